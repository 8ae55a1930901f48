import { FIELD_TYPES, isToCopy, type StoredStatus } from "@paraphe/contracts";
import { sql } from "kysely";
import type { Reader, Transaction } from "../../platform/database/database.ts";
import {
  build,
  inParallel,
  insertionOf,
  type Write,
  writeTogether,
} from "../../platform/database/in-transaction.ts";
import type { Delegate, EnvelopeField, EnvelopeRecipient, WaitingAct } from "./domain/envelope.ts";

export type RecipientToInsert = Pick<
  EnvelopeRecipient,
  "id" | "position" | "order" | "role" | "email" | "emailKey" | "fullName" | "phoneNumber"
> & {
  readonly signedAt?: Date | null;
};

type RecipientsToInsert = {
  readonly envelopeId: string;
  readonly recipients: readonly RecipientToInsert[];
};

export function insertRecipientRows(lists: readonly RecipientsToInsert[]): Write | null {
  return insertionOf(
    { into: "recipients", conflict: BECOMES },
    lists.flatMap(({ envelopeId, recipients }) =>
      recipients.map((recipient) => ({
        id: recipient.id,
        envelope_id: envelopeId,
        position: recipient.position,
        routing_order: recipient.order,
        role: recipient.role,
        email: recipient.email,
        email_key: recipient.emailKey,
        full_name: recipient.fullName,
        phone_number: recipient.phoneNumber,
        status: recipient.signedAt ? "signed" : "waiting",
        signed_at: recipient.signedAt ?? null,
      })),
    ),
  );
}

const CHANGING_NAMES = [
  "position",
  "routing_order",
  "role",
  "email",
  "email_key",
  "full_name",
  "phone_number",
];

const CHANGING = sql.join(CHANGING_NAMES.map((name) => sql.ref(name)));

function columnsOf(row: "recipients" | "excluded") {
  return sql.join(CHANGING_NAMES.map((name) => sql.ref(`${row}.${name}`)));
}

const IS_SAME = sql`(recipients.email_key = excluded.email_key and excluded.role <> 'viewer')`;
/** In a returned draft, a new address or a new role of copy counts as not asked yet. */
const BECOMES = sql`on conflict (id) do update set (${CHANGING}) = row (${columnsOf("excluded")}),
      notified_at = case when ${IS_SAME} then recipients.notified_at end,
      reassigned_at = case when ${IS_SAME} then recipients.reassigned_at end,
      reassigned_from = case when ${IS_SAME} then recipients.reassigned_from end,
      wrong_tries = case when ${IS_SAME} then recipients.wrong_tries else 0 end
      where (${columnsOf("recipients")}) is distinct from (${columnsOf("excluded")})`;

export function newRecipient(recipient: RecipientToInsert): EnvelopeRecipient {
  return {
    ...recipient,
    status: "waiting",
    awaited: false,
    notifiedAt: null,
    viewedAt: null,
    signedAt: null,
    approvedAt: null,
    reassignedAt: null,
    reassignedFrom: null,
    declinedAt: null,
    declineReason: null,
    remindedAt: null,
    askedAt: null,
    automaticReminders: 0,
    wrongTries: 0,
  };
}

/** Fields of `from` that become those of the recipient `to`. */
export type FieldsMove = {
  readonly from: Pick<EnvelopeRecipient, "id" | "notifiedAt">;
  readonly to: string;
};

const COPIED = FIELD_TYPES.filter((type) => isToCopy({ type }));

/** What somebody answered is not for the next; a sentence to copy is the sender's. */
export async function clearAnswers(trx: Transaction, ids: readonly string[]): Promise<void> {
  await trx
    .updateTable("fields")
    .set({ value: null })
    .where("recipient_id", "in", ids)
    .where("type", "not in", COPIED)
    .execute();
}

/** Deletes missing ones with their fields; unchanged rows stay. */
export async function replaceRecipientRows(
  trx: Transaction,
  {
    envelopeId,
    recipients,
    moves,
  }: {
    readonly envelopeId: string;
    readonly recipients: readonly RecipientToInsert[];
    readonly moves: readonly FieldsMove[];
  },
): Promise<void> {
  const ids = recipients.map((recipient) => recipient.id);
  await writeTogether(trx, [insertRecipientRows([{ envelopeId, recipients }])]);
  for (const { from, to } of moves)
    await trx
      .updateTable("fields")
      .set({ recipient_id: to })
      .where("recipient_id", "=", from.id)
      .execute();
  await trx
    .deleteFrom("recipients")
    .where("envelope_id", "=", envelopeId)
    .$if(ids.length > 0, (query) => query.where("id", "not in", ids))
    .execute();
}

/**
 * Those newly invited become `notified`; with `asked` they know that deadline, as after
 * `updateAsked`.
 */
export function updateAwaited(change: {
  readonly envelopeId: string;
  readonly awaited: ReadonlySet<string>;
  readonly invited: ReadonlySet<string>;
  readonly now: Date;
  readonly answered?: {
    readonly id: string;
    readonly at: Date;
    readonly status: "signed" | "approved";
  };
  readonly asked?: { readonly deadlineAt: Date | null };
}): Write {
  const isInvited = sql`id = any(${sql.val([...change.invited])}::uuid[])`;
  const asked =
    change.asked === undefined
      ? sql``
      : sql`asked_at = case when ${isInvited} then ${change.now}::timestamptz else asked_at end,
      told_deadline_at = case when ${isInvited} then ${change.asked.deadlineAt}::timestamptz else told_deadline_at end,
      untold_reopening = untold_reopening and not ${isInvited},`;
  const { id = null, at = null, status = "signed" } = change.answered ?? {};
  const hasAnswered = sql`id = ${id}::uuid`;
  const answeredAt = sql.ref(`${status}_at`);
  const statement = sql`
    update recipients set awaited = id = any(${sql.val([...change.awaited])}::uuid[]),
      ${asked}
      notified_at = case when ${isInvited} then ${change.now}::timestamptz else notified_at end,
      ${answeredAt} = case when ${hasAnswered} then ${at}::timestamptz else ${answeredAt} end,
      status = case when ${hasAnswered} then ${status}::text when ${isInvited} and status = 'waiting' then 'notified' else status end
    where envelope_id = ${change.envelopeId}::uuid
      and (awaited is distinct from (id = any(${sql.val([...change.awaited])}::uuid[])) or ${isInvited} or coalesce(${hasAnswered}, false))
  `;
  return { into: ["recipients"], statement };
}

export async function updateDeclined(
  trx: Transaction,
  declined: { readonly recipientId: string; readonly reason: string; readonly now: Date },
): Promise<void> {
  await trx
    .updateTable("recipients")
    .set({
      status: "declined",
      awaited: false,
      declined_at: declined.now,
      decline_reason: declined.reason,
    })
    .where("id", "=", declined.recipientId)
    .execute();
}

export function updateDelegate(recipientId: string, delegate: Delegate): Write {
  const statement = build
    .updateTable("recipients")
    .set({ delegate: JSON.stringify(delegate) })
    .where("id", "=", recipientId);
  return { into: ["recipients"], statement };
}

export function updateViewed(viewed: { readonly recipientId: string; readonly now: Date }): Write {
  const statement = build
    .updateTable("recipients")
    .set((eb) => ({
      viewed_at: viewed.now,
      status: eb.case().when("status", "=", "notified").then("viewed").else(eb.ref("status")).end(),
    }))
    .where("id", "=", viewed.recipientId)
    .where("viewed_at", "is", null);
  return { into: ["recipients"], statement };
}

/** Also unlocks a link frozen by wrong codes. */
export async function updateReminded(
  trx: Transaction,
  recipientIds: readonly string[],
  now: Date,
): Promise<void> {
  await trx
    .updateTable("recipients")
    .set({ reminded_at: now, wrong_tries: 0 })
    .where("id", "in", [...recipientIds])
    .execute();
}

/** Every request carries the deadline and a working link. */
export function updateAsked(asked: {
  readonly ids: readonly string[];
  readonly deadlineAt: Date | null;
  readonly now: Date;
}): Write | null {
  if (asked.ids.length === 0) return null;
  const statement = build
    .updateTable("recipients")
    .set({ asked_at: asked.now, told_deadline_at: asked.deadlineAt, untold_reopening: false })
    .where("id", "in", [...asked.ids]);
  return { into: ["recipients"], statement };
}

/** Unlike the sender's reminder, it does not unlock a frozen link. */
export async function countAutomaticReminder(
  trx: Transaction,
  reminded: { readonly ids: readonly string[]; readonly now: Date },
): Promise<void> {
  await trx
    .updateTable("recipients")
    .set({ reminded_at: reminded.now, automatic_reminders: sql`automatic_reminders + 1` })
    .where("id", "in", [...reminded.ids])
    .execute();
}

/** Everybody from the step on acts again. */
export async function resetAnswers(trx: Transaction, ids: ReadonlySet<string>): Promise<void> {
  await trx
    .updateTable("recipients")
    .set({
      status: "waiting",
      viewed_at: null,
      signed_at: null,
      approved_at: null,
      delegate: null,
      reminded_at: null,
      automatic_reminders: 0,
    })
    .where("id", "in", [...ids])
    .execute();
}

/** The new holder of a step starts without view, reminders or wrong codes. */
export async function updateHolder(
  trx: Transaction,
  change: {
    readonly recipientId: string;
    readonly email: string;
    readonly emailKey: string;
    readonly fullName: string;
    readonly now: Date;
  },
): Promise<void> {
  await trx
    .updateTable("recipients")
    .set((eb) => ({
      email: change.email,
      email_key: change.emailKey,
      full_name: change.fullName,
      phone_number: null,
      reassigned_at: change.now,
      reassigned_from: eb.ref("email_key"),
      status: eb
        .case()
        .when("notified_at", "is", null)
        .then("waiting" as const)
        .else("notified" as const)
        .end(),
      viewed_at: null,
      reminded_at: null,
      automatic_reminders: 0,
      wrong_tries: 0,
    }))
    .where("id", "=", change.recipientId)
    .execute();
}

export async function updateAddress(
  trx: Transaction,
  change: {
    readonly recipientId: string;
    readonly fullName: string;
    readonly email: string;
    readonly emailKey: string;
    readonly phoneNumber: string | null;
    readonly newAddress: boolean;
  },
): Promise<void> {
  await trx
    .updateTable("recipients")
    .set((eb) => ({
      full_name: change.fullName,
      email: change.email,
      email_key: change.emailKey,
      phone_number: change.phoneNumber,
      wrong_tries: 0,
      ...(change.newAddress
        ? {
            viewed_at: null,
            reminded_at: null,
            automatic_reminders: 0,
            status: eb
              .case()
              .when("status", "=", "viewed")
              .then("notified" as const)
              .else(eb.ref("status"))
              .end(),
          }
        : {}),
    }))
    .where("id", "=", change.recipientId)
    .execute();
}

/** Ends codes and sessions; also links and embed addresses after a change of address. */
export async function closeAccess(
  trx: Transaction,
  access: { readonly recipientId: string; readonly links: "revoke" | "keep"; readonly now: Date },
): Promise<void> {
  const { recipientId, links, now } = access;
  const spendEmbeddings = () =>
    trx
      .updateTable("embeddings")
      .set({ opened_at: now })
      .where("recipient_id", "=", recipientId)
      .where("opened_at", "is", null)
      .execute();
  const revokeLinks = () =>
    trx
      .updateTable("recipient_tokens")
      .set({ revoked_at: now })
      .where("recipient_id", "=", recipientId)
      .where("revoked_at", "is", null)
      .execute();
  const killCodes = () =>
    trx
      .updateTable("one_time_codes")
      .set({ killed_at: now })
      .where("recipient_id", "=", recipientId)
      .where("used_at", "is", null)
      .where("killed_at", "is", null)
      .execute();
  const endSessions = () =>
    trx.deleteFrom("guest_sessions").where("recipient_id", "=", recipientId).execute();
  // Waits for an opening, whose link is then revoked too.
  const revoked = links === "revoke" ? [spendEmbeddings(), revokeLinks()] : [];
  await inParallel([...revoked, killCodes(), endSessions()]);
}

/** Finds only a reassignment: a corrected address learns no name. */
export async function selectReassigned(
  reader: Reader,
  link: { readonly envelopeId: string; readonly sha256: Uint8Array },
): Promise<Pick<EnvelopeRecipient, "fullName" | "reassignedAt"> | null> {
  const row = await reader
    .selectFrom("recipient_tokens as t")
    .innerJoin("recipients as r", (join) =>
      join.onRef("r.id", "=", "t.recipient_id").onRef("r.reassigned_at", "=", "t.revoked_at"),
    )
    .select(["r.full_name", "r.reassigned_at"])
    .where("t.token_sha256", "=", link.sha256)
    .where("r.envelope_id", "=", link.envelopeId)
    .executeTakeFirst();
  return row === undefined ? null : { fullName: row.full_name, reassignedAt: row.reassigned_at };
}

/** The next person may then ask at once. */
export async function deleteCodes(trx: Transaction, recipientId: string): Promise<void> {
  await trx.deleteFrom("one_time_codes").where("recipient_id", "=", recipientId).execute();
}

export function insertTokenRows(
  tokens: readonly { readonly recipientId: string; readonly sha256: Uint8Array }[],
  now: Date,
): Write | null {
  return insertionOf(
    { into: "recipient_tokens" },
    tokens.map((token) => ({
      token_sha256: token.sha256,
      recipient_id: token.recipientId,
      created_at: now,
    })),
  );
}

/** Writes only the rows that differ. */
export async function replaceFieldRows(
  trx: Transaction,
  envelopeId: string,
  fields: readonly EnvelopeField[],
): Promise<void> {
  const listed = fields.map(({ documentId, recipientId, ...field }, index) => ({
    ...field,
    document_id: documentId,
    recipient_id: recipientId,
    position: index + 1,
  }));
  await sql`
    with listed as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(listed)}::jsonb) as listed (id uuid, ${TYPED})
    ), gone as (
      delete from fields where envelope_id = ${envelopeId}::uuid and id not in (select id from listed)
    ), changed as (
      update fields f set (${NAMES}) = (${ofRow("l")})
      from listed l where f.id = l.id and f.envelope_id = ${envelopeId}::uuid and (${ofRow("f")}) is distinct from (${ofRow("l")})
    )
    insert into fields (id, envelope_id, ${NAMES})
    select l.id, ${envelopeId}::uuid, ${ofRow("l")} from listed l where not exists (select from fields f where f.id = l.id)
  `.execute(trx);
}

const COLUMNS = {
  document_id: "uuid",
  recipient_id: "uuid",
  position: "integer",
  type: "text",
  page: "integer",
  x: "double precision",
  y: "double precision",
  width: "double precision",
  height: "double precision",
  required: "boolean",
  label: "text",
  value: "text",
} as const;

const TYPED = sql.join(
  Object.entries(COLUMNS).map(([name, type]) => sql`${sql.ref(name)} ${sql.raw(type)}`),
);

const NAMES = sql.join(Object.keys(COLUMNS).map((name) => sql.ref(name)));

function ofRow(row: "f" | "l") {
  return sql.join(Object.keys(COLUMNS).map((name) => sql.ref(`${row}.${name}`)));
}

/** Nothing may close the envelope before these are sealed. */
export async function selectWaitingActs(
  trx: Transaction,
  envelopeId: string,
): Promise<readonly WaitingAct[]> {
  const rows = await trx
    .selectFrom("signing_acts")
    .select(["id", "recipient_id", "signed_at", "failed_tries", "last_failure"])
    .where("envelope_id", "=", envelopeId)
    .where("sealed_at", "is", null)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    recipientId: row.recipient_id,
    signedAt: row.signed_at,
    failedTries: row.failed_tries,
    lastFailure: row.last_failure,
  }));
}

export async function selectConsenting(
  trx: Transaction,
  envelopeId: string,
): Promise<ReadonlySet<string>> {
  const acts = await selectWaitingActs(trx, envelopeId);
  return new Set(acts.map(({ recipientId }) => recipientId));
}

export async function deleteWaitingActs(
  trx: Transaction,
  envelopeId: string,
): Promise<readonly string[]> {
  const rows = await trx
    .deleteFrom("signing_acts")
    .where("envelope_id", "=", envelopeId)
    .where("sealed_at", "is", null)
    .returning("recipient_id")
    .execute();
  const ids = rows.map((row) => row.recipient_id);
  if (ids.length > 0)
    await trx.updateTable("recipients").set({ delegate: null }).where("id", "in", ids).execute();
  return ids;
}

/** Deletes their acts too: they are given again. */
export async function deleteSignatures(trx: Transaction, envelopeId: string): Promise<void> {
  await trx.deleteFrom("signatures").where("envelope_id", "=", envelopeId).execute();
  await trx.deleteFrom("signing_acts").where("envelope_id", "=", envelopeId).execute();
}

/** Who follows changes, and what they may see. */
type WatchedRow = {
  readonly id: string;
  readonly version: number;
  readonly status: StoredStatus;
  readonly ownerId: string;
  readonly teamId: string | null;
  readonly sentAt: Date | null;
  readonly isPurged: boolean;
  readonly recipients: readonly {
    readonly emailKey: string;
    readonly isInvited: boolean;
    readonly isAwaited: boolean;
  }[];
};

export async function selectWatched(
  reader: Reader,
  ids: readonly string[],
): Promise<readonly WatchedRow[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<WatchedRow>`
    select e.id, e.version, e.status, e.owner_id as "ownerId", e.team_id as "teamId", e.sent_at as "sentAt", e.purged_at is not null as "isPurged",
      coalesce((
        select jsonb_agg(jsonb_build_object('emailKey', r.email_key, 'isInvited', r.notified_at is not null, 'isAwaited', r.awaited))
        from recipients r where r.envelope_id = e.id
      ), '[]') as recipients
    from envelopes e where e.id = any(${sql.val([...ids])}::uuid[])
  `.execute(reader);
  return rows;
}
