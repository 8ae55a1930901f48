import { type FieldType, isId, type Role, type StoredStatus } from "@paraphe/contracts";
import { type Expression, type RawBuilder, sql } from "kysely";
import type { Reader, Transaction } from "../../platform/database/database.ts";
import {
  build,
  inParallel,
  insertionOf,
  type Write,
} from "../../platform/database/in-transaction.ts";
import {
  type DocumentJson,
  type StoredDocument,
  documentsOf,
  readDocument,
} from "../documents/public.ts";
import { unreachedOf } from "../notices/public.ts";
import type {
  Delegate,
  Envelope,
  EnvelopeField,
  EnvelopeRecipient,
  Flow,
  PadesLevel,
  RecipientStatus,
} from "./domain/envelope.ts";
import { type People, type PeopleJson, peopleAt, readPeople } from "./people-store.ts";
import { newRecipient, type RecipientToInsert } from "./recipient-store.ts";

export type EnvelopeRow = {
  readonly id: string;
  readonly version: number;
  readonly owner_id: string;
  readonly team_id: string | null;
  readonly team_name: string | null;
  readonly created_by_name: string;
  readonly sender_name: string | null;
  readonly title: string;
  readonly sent_title: string | null;
  readonly message: string | null;
  readonly status: string;
  readonly status_before_cancel: string | null;
  readonly flow: string;
  readonly signer_count: number;
  readonly signed_count: number;
  readonly level: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly sent_at: Date | null;
  readonly completed_at: Date | null;
  readonly deadline_at: Date | null;
  readonly cancelled_at: Date | null;
  readonly remind_every_days: number | null;
  readonly proof_only: boolean;
  readonly circuit: unknown;
  readonly document_kind: string | null;
};

/** PostgreSQL makes this JSON: times are texts. */
export type RecipientJson = {
  readonly id: string;
  readonly position: number;
  readonly routing_order: number;
  readonly role: Role;
  readonly email: string;
  readonly email_key: string;
  readonly full_name: string;
  readonly phone_number: string | null;
  readonly status: RecipientStatus;
  readonly awaited: boolean;
  readonly notified_at: string | null;
  readonly viewed_at: string | null;
  readonly signed_at: string | null;
  readonly approved_at: string | null;
  readonly reassigned_at: string | null;
  readonly reassigned_from: string | null;
  readonly declined_at: string | null;
  readonly decline_reason: string | null;
  readonly reminded_at: string | null;
  readonly asked_at: string | null;
  readonly automatic_reminders: number;
  readonly wrong_tries: number;
  readonly delegate?: Delegate | null;
};
type FieldJson = {
  readonly id: string;
  readonly document_id: string;
  readonly recipient_id: string;
  readonly type: FieldType;
  readonly page: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly required: boolean;
  readonly label: string | null;
  readonly value: string | null;
};

export function readEnvelopeRow(row: EnvelopeRow): Envelope {
  return {
    id: row.id,
    version: row.version,
    ownerId: row.owner_id,
    team: row.team_id === null ? null : { id: row.team_id, name: row.team_name ?? "" },
    createdByName: row.created_by_name,
    senderName: row.sender_name ?? row.created_by_name,
    title: row.title,
    sentTitle: row.sent_title ?? row.title,
    message: row.message,
    status: row.status as StoredStatus,
    statusBeforeCancel: row.status_before_cancel as StoredStatus | null,
    flow: row.flow as Flow,
    signerCount: row.signer_count,
    signedCount: row.signed_count,
    level: row.level as PadesLevel | null,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    sentAt: row.sent_at,
    completedAt: row.completed_at,
    deadlineAt: row.deadline_at,
    cancelledAt: row.cancelled_at,
    remindEveryDays: row.remind_every_days,
    proofOnly: row.proof_only,
    circuit: row.circuit as Envelope["circuit"],
    documentKind: row.document_kind,
  };
}

export function readRecipient(row: RecipientJson): EnvelopeRecipient {
  return {
    id: row.id,
    position: row.position,
    order: row.routing_order,
    role: row.role,
    email: row.email,
    emailKey: row.email_key,
    fullName: row.full_name,
    phoneNumber: row.phone_number,
    status: row.status,
    awaited: row.awaited,
    notifiedAt: toDate(row.notified_at),
    viewedAt: toDate(row.viewed_at),
    signedAt: toDate(row.signed_at),
    approvedAt: toDate(row.approved_at),
    reassignedAt: toDate(row.reassigned_at),
    reassignedFrom: row.reassigned_from,
    declinedAt: toDate(row.declined_at),
    declineReason: row.decline_reason,
    remindedAt: toDate(row.reminded_at),
    askedAt: toDate(row.asked_at),
    automaticReminders: row.automatic_reminders,
    wrongTries: row.wrong_tries,
    ...(row.delegate ? { delegate: row.delegate } : {}),
  };
}

function readField(row: FieldJson): EnvelopeField {
  return {
    id: row.id,
    documentId: row.document_id,
    recipientId: row.recipient_id,
    type: row.type,
    page: row.page,
    x: row.x,
    y: row.y,
    width: row.width,
    height: row.height,
    required: row.required,
    label: row.label,
    value: row.value,
  };
}

function toDate(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}

export const ENVELOPE_COLUMNS = [
  "id",
  "version",
  "owner_id",
  "team_id",
  "created_by_name",
  "title",
  "message",
  "status",
  "status_before_cancel",
  "flow",
  "signer_count",
  "signed_count",
  "level",
  "created_at",
  "updated_at",
  "sent_at",
  "completed_at",
  "deadline_at",
  "cancelled_at",
  "remind_every_days",
  "proof_only",
  "circuit",
  "document_kind",
] as const;

export function recipientsOf(envelopeId: Expression<string>) {
  return sql<
    RecipientJson[]
  >`coalesce((select json_agg(r order by r.position) from recipients r where r.envelope_id = ${envelopeId}), '[]')`;
}

function fieldsOf(envelopeId: Expression<string>) {
  return sql<
    FieldJson[]
  >`coalesce((select json_agg(f order by f.position) from fields f where f.envelope_id = ${envelopeId}), '[]')`;
}

type EnvelopeParts = {
  readonly envelope: Envelope;
  readonly recipients: readonly EnvelopeRecipient[];
  readonly fields: readonly EnvelopeField[];
};

function readParts(
  row: EnvelopeRow & { recipients: RecipientJson[]; fields: FieldJson[] },
): EnvelopeParts {
  return {
    envelope: readEnvelopeRow(row),
    recipients: row.recipients.map(readRecipient),
    fields: row.fields.map(readField),
  };
}

/** Each list is in order; `people` and `unreached` are present where asked for. */
export type EnvelopeAggregate = EnvelopeParts & {
  readonly documents: readonly StoredDocument[];
  readonly people?: People;
  readonly unreached?: ReadonlySet<string>;
};
type WholeRow = EnvelopeRow & {
  recipients: RecipientJson[];
  fields: FieldJson[];
  documents: DocumentJson[];
};

export async function loadEnvelope(reader: Reader, id: string): Promise<EnvelopeAggregate | null> {
  const { rows } = await selectWhole(id, NO_FACTS()).execute(reader);
  return rows[0] === undefined ? null : readWhole(rows[0]);
}

/** Also reads the recipients whom no message reached. */
export async function loadToAnswer(reader: Reader, id: string): Promise<EnvelopeAggregate | null> {
  const { rows } = await selectWhole(id, unreachedOf(ID)).execute(reader);
  const [row] = rows;
  return row === undefined ? null : { ...readWhole(row), unreached: new Set(row.facts) };
}

/** For another statement; read by `readWholeJson`. */
export function wholeAsJson(id: string): RawBuilder<unknown> | undefined {
  if (!isId(id)) return undefined;
  return sql`(select row_to_json(whole) from (
    select ${WHOLE} from envelopes e where e.id = ${id}::uuid and e.purged_at is null) as whole)`;
}

const TIMES = [
  "created_at",
  "updated_at",
  "sent_at",
  "completed_at",
  "deadline_at",
  "cancelled_at",
] as const;

export function readWholeJson(json: unknown): EnvelopeAggregate | null {
  if (json === null) return null;
  const row = json as WholeRow & Readonly<Record<(typeof TIMES)[number], string | null>>;
  const times = TIMES.map((name) => [name, row[name] === null ? null : new Date(row[name])]);
  return readWhole({ ...row, ...Object.fromEntries(times) });
}

/** What another feature reads of a recipient in the envelope's statement. */
export type Facts<F> = (recipientId: Expression<string>) => RawBuilder<F>;

export const NO_FACTS = (): RawBuilder<null> => sql`null`;

export async function selectEnvelopeByToken<F>(
  reader: Reader,
  { id, tokenSha256, facts }: { id: string; tokenSha256: Uint8Array; facts: Facts<F> },
): Promise<{ recipientId: string; aggregate: EnvelopeAggregate; facts: F } | null> {
  const { rows } = await sql<WholeRow & { recipient_id: string; facts: F }>`
    select ${WHOLE}, holder.id as recipient_id, ${facts(sql.ref("holder.id"))} as facts
    from recipient_tokens t
    join recipients holder on holder.id = t.recipient_id
    join envelopes e on e.id = holder.envelope_id
    where t.token_sha256 = ${tokenSha256}::bytea and t.revoked_at is null and e.id = ${id}::uuid and e.purged_at is null
  `.execute(reader);
  const [row] = rows;
  return row === undefined
    ? null
    : { recipientId: row.recipient_id, aggregate: readWhole(row), facts: row.facts };
}

const selectWhole = <F>(id: string, facts: RawBuilder<F>) =>
  sql<
    WholeRow & { facts: F }
  >`select ${WHOLE}, ${facts} as facts from envelopes e where e.id = ${id}::uuid and e.purged_at is null`;

function readWhole(row: WholeRow): EnvelopeAggregate {
  return { ...readParts(row), documents: row.documents.map(readDocument) };
}

const ID = sql.ref<string>("e.id");
// Inline text: a query node per name costs more than the statement.
export const NAMES = sql`(select t.name from teams t where t.id = e.team_id) as team_name,
  (select coalesce(nullif(trim(u.first_name || ' ' || u.last_name), ''), u.username) from users u
    where u.id = e.owner_id and u.deactivated_at is null) as sender_name,
  (case when e.sent_at is not null and 'draft' in (e.status, e.status_before_cancel)
    then last_sent_title(e.id) end) as sent_title`;
const COLUMNS = sql`${sql.raw(ENVELOPE_COLUMNS.map((column) => `e.${column}`).join(", "))}, ${NAMES}`;
const WHOLE = sql`${COLUMNS}, ${recipientsOf(ID)} as recipients, ${fieldsOf(ID)} as fields, ${documentsOf(ID)} as documents`;

const RECIPIENT_KEYS = sql`array(select email_key from recipients where envelope_id = e.id)`;

/** Also reads the people who may get messages. */
export async function lockWithPeople<F>(
  trx: Transaction,
  id: string,
  { facts, now }: { readonly facts: RawBuilder<F>; readonly now: Date },
): Promise<{ readonly aggregate: EnvelopeAggregate; readonly facts: F } | null> {
  const people = peopleAt(sql.ref("e.owner_id"), RECIPIENT_KEYS, now);
  const both = sql<{ people: PeopleJson; facts: F }>`json_build_object('people', ${people},
    'facts', ${facts})`;
  const locked = await lockWithFacts(trx, id, both);
  if (locked === null) return null;
  const { aggregate, facts: read } = locked;
  const { ownerId } = aggregate.envelope;
  return {
    aggregate: { ...aggregate, people: readPeople(read.people, { ownerId, now }) },
    facts: read.facts,
  };
}

/** Every writer locks first, then loads. */
export async function lockEnvelope(
  trx: Transaction,
  id: string,
): Promise<EnvelopeAggregate | null> {
  return (await lockWithFacts(trx, id, NO_FACTS()))?.aggregate ?? null;
}

export async function lockWithFacts<F>(
  trx: Transaction,
  id: string,
  facts: RawBuilder<F>,
): Promise<{ readonly aggregate: EnvelopeAggregate; readonly facts: F } | null> {
  const lock = sql`select from envelopes where id = ${id}::uuid and purged_at is null for update`;
  // A single statement would show the state before the wait.
  const { locked, loaded } = await inParallel({
    locked: lock.execute(trx),
    loaded: selectWhole(id, facts).execute(trx),
  });
  const [row] = locked.rows.length > 0 ? loaded.rows : [];
  return row === undefined ? null : { aggregate: readWhole(row), facts: row.facts };
}

export type EnvelopeToInsert = Pick<
  Envelope,
  | "id"
  | "ownerId"
  | "team"
  | "createdByName"
  | "title"
  | "message"
  | "flow"
  | "signerCount"
  | "createdAt"
  | "deadlineAt"
  | "remindEveryDays"
  | "proofOnly"
  | "documentKind"
> & {
  readonly searchText: string;
  /** `sent`: only its owner signs. */
  readonly status?: "draft" | "sent";
  readonly completed?: { readonly at: Date; readonly level: Envelope["level"] };
};

export function insertEnvelopeRows(envelopes: readonly EnvelopeToInsert[]): Write | null {
  return insertionOf(
    { into: "envelopes" },
    envelopes.map(({ completed, ...envelope }) => ({
      id: envelope.id,
      owner_id: envelope.ownerId,
      team_id: envelope.team?.id ?? null,
      created_by_name: envelope.createdByName,
      title: envelope.title,
      search_text: envelope.searchText,
      message: envelope.message,
      status: completed ? "completed" : (envelope.status ?? "draft"),
      flow: envelope.flow,
      signer_count: envelope.signerCount,
      signed_count: completed ? envelope.signerCount : 0,
      level: completed?.level ?? null,
      created_at: envelope.createdAt,
      updated_at: envelope.createdAt,
      completed_at: completed?.at ?? null,
      deadline_at: envelope.deadlineAt,
      remind_every_days: envelope.remindEveryDays,
      proof_only: envelope.proofOnly,
      document_kind: envelope.documentKind,
    })),
  );
}

type Draft = Pick<EnvelopeAggregate, "documents" | "fields"> & {
  readonly row: EnvelopeToInsert;
  readonly recipients: readonly RecipientToInsert[];
};

export function newDraft({ row, recipients, documents, fields }: Draft): EnvelopeAggregate {
  const { searchText: _, status: __, completed: ___, ...inserted } = row;
  const envelope = {
    ...inserted,
    senderName: row.createdByName,
    sentTitle: row.title,
    version: 1,
    status: "draft",
    statusBeforeCancel: null,
    signedCount: 0,
    level: null,
    updatedAt: row.createdAt,
    sentAt: null,
    completedAt: null,
    cancelledAt: null,
    circuit: null,
  } as const;
  return { envelope, recipients: recipients.map(newRecipient), documents, fields };
}

export type EnvelopeChange = Partial<{
  title: string;
  search_text: string;
  message: string | null;
  status: StoredStatus;
  status_before_cancel: StoredStatus | null;
  flow: string;
  signer_count: number;
  signed_count: number;
  level: string | null;
  sent_at: Date;
  completed_at: Date;
  deadline_at: Date | null;
  remind_every_days: number | null;
  proof_only: boolean;
  team_id: string | null;
  extension_requested_at: Date | null;
  cancelled_at: Date | null;
  purged_at: Date;
  created_by_name: string;
  circuit: string | null;
  document_kind: string | null;
}>;

/** A new deadline clears the last warning. */
export function updateEnvelopeRow(
  change: EnvelopeChange & { readonly id: string; readonly now: Date },
): Write {
  const { id, now, ...columns } = change;
  const statement = build
    .updateTable("envelopes")
    .set({
      ...columns,
      ...(columns.deadline_at === undefined ? {} : { deadline_warned_days: null }),
      updated_at: now,
      version: sql`version + 1`,
    })
    .where("id", "=", id);
  return { into: ["envelopes"], statement };
}

/** Frees the people of a circuit that changed or ended since the document was sent. */
export async function releaseOutdated(trx: Transaction, id: string): Promise<void> {
  await sql`update envelopes e set circuit = jsonb_set(circuit, '{imposed}', 'false')
    where id = ${id} and circuit is not null and not exists (select from circuits c
      where c.id::text = e.circuit->>'id' and c.updated_at <= e.sent_at)`.execute(trx);
}

/** The next look comes no later than this moment. The version stays. */
export async function bringReminderForward(
  trx: Transaction,
  next: { readonly envelopeId: string; readonly at: Date },
): Promise<void> {
  await trx
    .updateTable("envelopes")
    .set({ next_reminder_at: sql<Date>`least(next_reminder_at, ${next.at}::timestamptz)` })
    .where("id", "=", next.envelopeId)
    .execute();
}

export async function announceChange(trx: Transaction, id: string): Promise<void> {
  await sql`select tell_change(${id})`.execute(trx);
}

type FieldsToInsert = {
  readonly envelopeId: string;
  readonly fields: readonly EnvelopeField[];
  readonly firstPosition: number;
};

export function insertFieldRows(lists: readonly FieldsToInsert[]): Write | null {
  return insertionOf(
    { into: "fields" },
    lists.flatMap(({ envelopeId, fields, firstPosition }) =>
      fields.map((field, index) => ({
        id: field.id,
        envelope_id: envelopeId,
        document_id: field.documentId,
        recipient_id: field.recipientId,
        position: firstPosition + index,
        type: field.type,
        page: field.page,
        x: field.x,
        y: field.y,
        width: field.width,
        height: field.height,
        required: field.required,
        label: field.label,
        value: field.value,
      })),
    ),
  );
}
