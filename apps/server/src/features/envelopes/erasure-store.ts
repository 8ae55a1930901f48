import { sql } from "kysely";
import type { Reader, Transaction } from "../../platform/database/database.ts";

/** Gives the envelopes of an owner that still wait for signatures: how many, and the first of them. */
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

/** Ids of an owner's envelopes that are no completed signature's evidence, in order of id, after the given one. */
export function selectWithoutEvidence(reader: Reader, of: OwnedAfter): Promise<string[]> {
  return selectOwned(reader, of, "!=");
}

/** Ids of an owner's completed envelopes, in order of id, after the given one. */
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
    .$if(of.afterId !== null, (query) => query.where("id", ">", of.afterId as string))
    .orderBy("id")
    .limit(of.limit)
    .execute();
  return rows.map((row) => row.id);
}

/** Ids of the erased accounts that still have an envelope which is no evidence; read from the index `users_erased`. */
export async function selectErasedOwners(reader: Reader): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select u.id from users u
    where u.erased_at is not null
      and exists (select from envelopes e where e.owner_id = u.id and e.status <> 'completed' and e.purged_at is null)
    order by u.id`.execute(reader);
  return rows.map((row) => row.id);
}

/** Ids of envelopes that have been closed for longer than evidence is kept; read from the index `envelopes_retention`. */
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

/** Ids of the envelopes that a person sent, or was invited to, in order of id, after the given one. What is purged holds nothing of anybody. */
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

/** Empties what names a person in a purged envelope. What stays is the tombstone: ids, dates, hashes, and the journal without its personal values. */
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
      awaited: false,
    })
    .where("envelope_id", "=", envelopeId)
    .execute();
  await trx
    .updateTable("signing_acts")
    .set({ ip_address: null, user_agent: null, content: null })
    .where("envelope_id", "=", envelopeId)
    .execute();
  // A signer's certificate bears a name and an address. Its serial number, dates and hash stay, so that its OCSP answers do.
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

/** Serial numbers of the certificates made for the signers of this envelope alone; the organisation's own serves others too. */
function oneTimeSerials(trx: Transaction, envelopeId: string) {
  return trx
    .selectFrom("signatures as s")
    .leftJoin("signing_acts as a", "a.id", "s.act_id")
    .select("s.serial_number")
    .where("s.envelope_id", "=", envelopeId)
    .where((eb) => eb.or([eb("a.method", "is", null), eb("a.method", "<>", "hsm")]));
}
