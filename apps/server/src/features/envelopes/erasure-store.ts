import { sql } from "kysely";
import type { Reader, Transaction } from "../../platform/database/database.ts";
import { teamOutlives } from "../organisations/public.ts";

const ENDS_WITH_OWNER = sql<boolean>`not ${teamOutlives("envelopes")}`;

export async function selectOpenOwned(
  reader: Reader,
  of: { readonly ownerId: string; readonly limit: number },
): Promise<{
  readonly count: number;
  readonly first: readonly { readonly id: string; readonly title: string }[];
}> {
  const { rows } = await sql<{ id: string; title: string; count: number }>`
    select id, title, count(*) over () as count from envelopes
    where owner_id = ${of.ownerId}::uuid and status in ('sent', 'pending') and purged_at is null
      and ${ENDS_WITH_OWNER}
    order by created_at desc, id desc limit ${of.limit}`.execute(reader);
  return {
    count: Number(rows[0]?.count ?? 0),
    first: rows.map(({ id, title }) => ({ id, title })),
  };
}

type OwnedAfter = {
  readonly ownerId: string;
  readonly afterId: string | null;
  readonly limit: number;
};

/** Gives those not completed after this id, in order. */
export function selectWithoutEvidence(reader: Reader, of: OwnedAfter): Promise<string[]> {
  return selectOwned(reader, of, "!=");
}

/** Gives those completed after this id, in order. */
export function selectEvidenceOf(reader: Reader, of: OwnedAfter): Promise<string[]> {
  return selectOwned(reader, of, "=");
}

async function selectOwned(
  reader: Reader,
  of: OwnedAfter,
  isCompleted: "=" | "!=",
): Promise<string[]> {
  const rows = await reader
    .selectFrom("envelopes")
    .select("id")
    .where("owner_id", "=", of.ownerId)
    .where("status", isCompleted, "completed")
    .where("purged_at", "is", null)
    .where(ENDS_WITH_OWNER)
    .$if(of.afterId !== null, (query) => query.where("id", ">", of.afterId as string))
    .orderBy("id")
    .limit(of.limit)
    .execute();
  return rows.map((row) => row.id);
}

/** Gives erased accounts with an envelope left; index `users_erased`. */
export async function selectErasedOwners(reader: Reader): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select u.id from users u
    where u.erased_at is not null
      and exists (select from envelopes e where e.owner_id = u.id and e.status <> 'completed' and e.purged_at is null)
    order by u.id`.execute(reader);
  return rows.map((row) => row.id);
}

/** Gives those closed for longer than the retention; index `envelopes_retention`. */
export async function selectPastRetention(
  reader: Reader,
  window: { readonly closedBefore: Date; readonly limit: number; readonly skip: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from envelopes
    where purged_at is null and status in ('completed', 'declined', 'expired') and coalesce(completed_at, updated_at) <= ${window.closedBefore}
    order by coalesce(completed_at, updated_at), id limit ${window.limit} offset ${window.skip}`.execute(
    reader,
  );
  return rows.map((row) => row.id);
}

/** Gives those sent or received and not purged, after this id, in order. */
export async function selectEnvelopesOf(
  reader: Reader,
  person: {
    readonly userId: string;
    readonly emailKey: string | null;
    readonly afterId: string | null;
    readonly limit: number;
  },
): Promise<string[]> {
  const after = person.afterId === null ? sql`true` : sql`e.id > ${person.afterId}::uuid`;
  const { rows } = await sql<{ id: string }>`
    select e.id from envelopes e
    where e.purged_at is null and ${after} and (
      e.owner_id = ${person.userId}::uuid
      or (e.status not in ('draft', 'cancelled')
        and e.id in (select r.envelope_id from recipients r where r.email_key = ${person.emailKey} and r.notified_at is not null)))
    order by e.id limit ${person.limit}`.execute(reader);
  return rows.map((row) => row.id);
}

/** Ids, dates, hashes and the journal's chain stay. */
export async function blankPersonalColumns(trx: Transaction, envelopeId: string): Promise<void> {
  await trx.deleteFrom("fields").where("envelope_id", "=", envelopeId).execute();
  await trx
    .deleteFrom("recipient_tokens")
    .where(
      "recipient_id",
      "in",
      trx.selectFrom("recipients").select("id").where("envelope_id", "=", envelopeId),
    )
    .execute();
  await trx
    .updateTable("recipients")
    .set({
      email: "",
      email_key: "",
      full_name: "",
      phone_number: null,
      decline_reason: null,
      delegate: null,
      awaited: false,
    })
    .where("envelope_id", "=", envelopeId)
    .execute();
  await trx
    .updateTable("signing_acts")
    .set({ ip_address: null, user_agent: null, content: null })
    .where("envelope_id", "=", envelopeId)
    .execute();
  // The certificate names its signer. OCSP answers need serial number, dates and hash.
  await trx
    .updateTable("certificates")
    .set({
      certificate_hash: sql`sha256(certificate_der)`,
      certificate_der: Buffer.alloc(0),
      subject: "",
    })
    .where("serial_number", "in", oneTimeSerials(trx, envelopeId))
    .where("certificate_hash", "is", null)
    .execute();
  await trx
    .updateTable("signatures")
    .set({ signer_name: "", certificate_der: Buffer.alloc(0) })
    .where("envelope_id", "=", envelopeId)
    .execute();
}

/** The organisation's certificate serves other envelopes too. */
function oneTimeSerials(trx: Transaction, envelopeId: string) {
  return trx
    .selectFrom("signatures as s")
    .leftJoin("signing_acts as a", "a.id", "s.act_id")
    .select("s.serial_number")
    .where("s.envelope_id", "=", envelopeId)
    .where((eb) => eb.or([eb("a.method", "is", null), eb("a.method", "<>", "hsm")]));
}
