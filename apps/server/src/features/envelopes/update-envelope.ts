import { toHex } from "@paraphe/kernel/bytes";
import {
  failure,
  type FieldType,
  MAX_FIELDS,
  problem,
  type Result,
  success,
  type UpdateEnvelopeRequest,
  firstUnprinted,
  isServedNumber,
} from "@paraphe/contracts";
import type { Transaction } from "../../platform/database/database.ts";
import type { Platform } from "../../platform/platform.ts";
import { checkRoom, emailKey, type Room, takeRoom } from "../accounts/public.ts";
import {
  type DocumentsRevision,
  type NormalisedCopy,
  normaliseDocuments,
  pdfAccess,
  type ReceivedDocument,
  receiveFiles,
  renamedFile,
  reviseDocuments,
  storeBytes,
  takeForm,
  type TakenForm,
  type UploadedFile,
} from "../documents/public.ts";
import { type NewAuditEvent, selectLastAt } from "../journal/public.ts";
import { admit, changeEnvelope, checkVersion, limitAction } from "./change-envelope.ts";
import { type Decision, auditActor, publicPageEvent } from "./commit.ts";
import { replacingRecipients } from "./correct-recipient.ts";
import { checkDraft, checkSize, placeForm, ranksOf, chooseTeam } from "./domain/draft-checks.ts";
import {
  type EnvelopeField,
  isReturned,
  mustSign,
  outcomeOf,
  checkKind,
} from "./domain/envelope.ts";
import { isUpdateRecorded } from "./domain/decisions.ts";
import { envelopeText } from "./domain/search-text.ts";
import { type EnvelopeCommand } from "./domain/viewer.ts";
import {
  type EnvelopeAggregate,
  type EnvelopeChange,
  announceChange,
  loadEnvelope,
  updateEnvelopeRow,
} from "./store.ts";
import { addedBytes, takeUploads } from "./uploads/uploads.ts";
import { replaceFieldRows, type RecipientToInsert } from "./recipient-store.ts";

type PlannedDocuments = Pick<DocumentsRevision, "remove" | "order" | "rename">;

type PlannedRevision = {
  readonly documents: PlannedDocuments | null;
  readonly recipients: readonly RecipientToInsert[] | null;
  readonly fields: readonly EnvelopeField[] | null;
};

type RevisionToPlan = {
  readonly aggregate: EnvelopeAggregate;
  readonly request: UpdateEnvelopeRequest;
  readonly added: readonly ReceivedDocument[];
  readonly taken: readonly TakenForm[];
};

/** Checks the parts against each other. Errors: `validation`; `envelope_too_large`. */
function planRevision(
  platform: Pick<Platform, "newId" | "clock" | "settings">,
  plan: RevisionToPlan,
): Result<PlannedRevision> {
  const { aggregate, request, added } = plan;
  const documents = planDocuments(plan);
  if (!documents.ok) return documents;
  const kept = aggregate.documents.filter(
    (document) => !documents.value.remove.includes(document.id),
  );
  const size = checkSize([
    ...kept.map((document) => document.uploadedSizeBytes),
    ...added.map((document) => document.bytes.length),
  ]);
  if (!size.ok) return size;
  const recipients = planRecipients(platform, plan);
  if (!recipients.ok) return recipients;
  const people = recipients.value ?? aggregate.recipients;
  const found = planForms(platform, plan, people);
  if (!found.ok) return found;
  const named = planFields(platform, plan);
  const left = { documentIds: kept.map((document) => document.id), recipients: people };
  const after = [...(named ?? fieldsLeft(aggregate, left)), ...found.value];
  const isOther =
    named !== null || after.length !== aggregate.fields.length || found.value.length > 0;
  const checked = checkDraft({
    deadlineAt: typeof request.deadline_at === "string" ? new Date(request.deadline_at) : null,
    pageCounts: [...kept, ...added].map((document) => document.pageCount),
    recipients: people,
    fields: after.map((field) => ({
      documentIndex: kept.findIndex((document) => document.id === field.documentId),
      recipientIndex: people.findIndex((recipient) => recipient.id === field.recipientId),
      page: field.page,
      type: field.type as FieldType,
      label: field.label,
      value: field.value,
    })),
    now: platform.clock(),
    firstMissing: firstUnprinted,
    isServed: (number) => isServedNumber(number, platform.settings.smsCountries),
  });
  if (!checked.ok) return checked;
  return success({
    documents: touchesDocuments(plan) ? documents.value : null,
    recipients: recipients.value,
    fields: isOther ? after : null,
  });
}

const DOCUMENT_PARTS = [
  "remove_documents",
  "order",
  "accept_normalised",
  "use_forms",
  "document_names",
] as const;

function touchesDocuments({ request, added }: RevisionToPlan): boolean {
  return added.length > 0 || DOCUMENT_PARTS.some((part) => request[part] !== undefined);
}

function planDocuments({ aggregate, request }: RevisionToPlan): Result<PlannedDocuments> {
  const known = new Set(aggregate.documents.map((document) => document.id));
  const remove = request.remove_documents ?? [];
  const accept = request.accept_normalised ?? [];
  if (remove.some((id) => !known.has(id)))
    return invalid({ remove_documents: ["Ce document n’est pas dans l’enveloppe"] });
  if (accept.some((id) => !known.has(id)))
    return invalid({ accept_normalised: ["Ce document n’est pas dans l’enveloppe"] });
  const rename = (request.document_names ?? []).map(({ id, name }) => ({
    id,
    name: renamedFile(name),
  }));
  if (rename.some(({ id }) => !known.has(id)))
    return invalid({ document_names: ["Ce document n’est pas dans l’enveloppe"] });
  if (new Set(rename.map(({ id }) => id)).size !== rename.length)
    return invalid({ document_names: ["Ce document est nommé deux fois"] });
  const kept = aggregate.documents
    .map((document) => document.id)
    .filter((id) => !remove.includes(id));
  const order = request.order ?? kept;
  const isWhole =
    order.length === kept.length &&
    new Set(order).size === order.length &&
    order.every((id) => kept.includes(id));
  return isWhole
    ? success({ remove, order, rename })
    : invalid({ order: ["L’ordre doit nommer chaque document une fois"] });
}

function planRecipients(
  platform: Pick<Platform, "newId">,
  { aggregate, request }: RevisionToPlan,
): Result<readonly RecipientToInsert[] | null> {
  if (request.recipients === undefined) return success(null);
  const known = new Set(aggregate.recipients.map((recipient) => recipient.id));
  if (request.recipients.some(({ id }) => id !== undefined && !known.has(id)))
    return invalid({ recipients: ["Ce destinataire n’est pas dans l’enveloppe"] });
  const ranks = ranksOf(request.flow ?? aggregate.envelope.flow, request.recipients);
  return success(
    request.recipients.map((recipient, index) => ({
      id: recipient.id ?? platform.newId(),
      position: index + 1,
      order: ranks[index] ?? 1,
      role: recipient.role,
      email: recipient.email,
      emailKey: emailKey(recipient.email),
      fullName: recipient.full_name,
      phoneNumber: recipient.phone_number || null,
    })),
  );
}

/** A field's id that another envelope has is replaced. */
function planFields(
  platform: Pick<Platform, "newId">,
  { aggregate, request }: RevisionToPlan,
): readonly EnvelopeField[] | null {
  if (request.fields === undefined) return null;
  const known = new Set(aggregate.fields.map((field) => field.id));
  return request.fields.map(({ id, document_id, recipient_id, ...field }) => ({
    ...field,
    id: id !== undefined && known.has(id) ? id : platform.newId(),
    documentId: document_id,
    recipientId: recipient_id,
  }));
}

/** Errors: those of `placeForm`; `validation` for too many fields. */
function planForms(
  platform: Pick<Platform, "newId">,
  { aggregate, request, taken }: RevisionToPlan,
  people: readonly Pick<RecipientToInsert, "id" | "role">[],
): Result<readonly EnvelopeField[]> {
  const fields: EnvelopeField[] = [];
  for (const [at, { copy, fields: found }] of taken.entries()) {
    const chosen = (request.use_forms?.[at]?.recipients ?? []).map(({ role, recipient_id }) => ({
      role,
      recipient: recipient_id,
    }));
    const placed = placeForm({
      found,
      chosen,
      signers: people.filter(mustSign).map(({ id }) => id),
      firstMissing: firstUnprinted,
      path: `use_forms.${at}.recipients`,
    });
    if (!placed.ok) return placed;
    for (const { recipient: recipientId, ...field } of placed.value)
      fields.push({ ...field, id: platform.newId(), documentId: copy.documentId, recipientId });
  }
  const there = (request.fields ?? aggregate.fields).length;
  return fields.length > 0 && there + fields.length > MAX_FIELDS
    ? invalid({ use_forms: [`${MAX_FIELDS} champs au maximum dans une enveloppe`] })
    : success(fields);
}

/** A field ends with its document or recipient; whoever does not sign has none. */
function fieldsLeft(
  { fields }: EnvelopeAggregate,
  left: {
    readonly documentIds: readonly string[];
    readonly recipients: readonly Pick<RecipientToInsert, "id" | "role">[];
  },
): readonly EnvelopeField[] {
  const fillers = new Set(left.recipients.filter(mustSign).map((recipient) => recipient.id));
  return fields.filter(
    (field) => left.documentIds.includes(field.documentId) && fillers.has(field.recipientId),
  );
}

function invalid(errors: Record<string, string[]>): {
  readonly ok: false;
  readonly error: ReturnType<typeof problem>;
} {
  return failure(problem("validation", { errors }));
}

type EnvelopeUpdate = EnvelopeCommand & {
  readonly version: number | null;
  readonly request: UpdateEnvelopeRequest;
  readonly files: readonly UploadedFile[];
};

/**
 * Changes what the request names of a draft.
 * Errors: `not_found`, `not_allowed`, `invalid_state`, `version_conflict`; `too_many_requests`;
 * `validation`; those of the files; `storage_quota_reached`, `storage_full`.
 */
export async function updateEnvelope(
  platform: Platform,
  update: EnvelopeUpdate,
): Promise<Result<EnvelopeAggregate>> {
  // Access is checked first: nobody has another's files processed.
  const seen = mayUpdate(await loadEnvelope(platform.db, update.envelopeId), update);
  if (!seen.ok) return seen;
  const chosen = checkTeam(seen.value, update);
  if (!chosen.ok) return chosen;
  const limited =
    update.files.length === 0
      ? success(null)
      : await limitAction(platform, { kind: "upload", id: update.actor.user.id });
  if (!limited.ok) return limited;
  const read = await readParts(platform, seen.value, update);
  if (!read.ok) return read;
  const { room, added, copies, forms } = read.value;
  return changeEnvelope(platform, { command: update, action: "update" }, async (trx, aggregate) => {
    const allowed = mayUpdate(aggregate, update);
    if (!allowed.ok) return allowed;
    const fits = room.bytes === 0 ? success(null) : await takeRoom(trx, platform, room);
    if (!fits.ok) return fits;
    if (!areUnchanged(aggregate, seen.value, forms.copies)) {
      const { version } = aggregate.envelope;
      return failure(problem("version_conflict", { extensions: { version } }));
    }
    const { request } = update;
    const plan = planRevision(platform, { aggregate, request, added, taken: forms.taken });
    if (!plan.ok) return plan;
    const used = await takeUploads(trx, platform, update);
    if (!used.ok) return used;
    const all = [...copies, ...forms.copies];
    const writing = { aggregate, update, plan: plan.value, added, copies: all };
    const parts = changedParts(writing);
    return success(
      parts.length === 0 ? null : await decideUpdate(trx, platform, { ...writing, parts }),
    );
  });
}

type ReadParts = {
  readonly room: Room;
  readonly added: readonly ReceivedDocument[];
  readonly copies: readonly NormalisedCopy[];
  readonly forms: TakenForms;
};

async function readParts(
  platform: Platform,
  seen: EnvelopeAggregate,
  update: EnvelopeUpdate,
): Promise<Result<ReadParts>> {
  const bytes = addedBytes(update.files);
  const room = { ownerId: update.actor.user.id, bytes };
  const fits = bytes === 0 ? success(null) : await checkRoom(platform, room);
  if (!fits.ok) return fits;
  const access = pdfAccess(platform, { actor: update.actor, haste: "patient" });
  const received = await receiveFiles(access, update.files, { envelopeId: seen.envelope.id });
  if (!received.ok) return received;
  const stored = await storeBytes(
    platform,
    received.value.map((document) => document.bytes),
  );
  if (!stored.ok) return stored;
  const accepted = update.request.accept_normalised ?? [];
  const copies = await normaliseDocuments(
    access,
    seen.documents.flatMap((document) => {
      const at = accepted.indexOf(document.id);
      return at === -1 ? [] : [{ ...document, member: `accept_normalised.${at}` }];
    }),
  );
  if (!copies.ok) return copies;
  const forms = await takeForms(access, seen, update.request);
  return forms.ok
    ? success({ room, added: received.value, copies: copies.value, forms: forms.value })
    : forms;
}

type TakenForms = {
  readonly taken: readonly TakenForm[];
  readonly copies: readonly NormalisedCopy[];
};

/** Stored. Errors: those of `takeForm`; `storage_full`. */
async function takeForms(
  platform: ReturnType<typeof pdfAccess<Platform>>,
  { documents }: EnvelopeAggregate,
  { use_forms: asked = [] }: UpdateEnvelopeRequest,
): Promise<Result<TakenForms>> {
  const taken: TakenForm[] = [];
  for (const [at, { document_id: id, erase_tags: erasesTags }] of asked.entries()) {
    const path = `use_forms.${at}.document_id`;
    const document = documents.find((one) => one.id === id);
    if (document === undefined || taken.some(({ copy }) => copy.documentId === id))
      return invalid({ [path]: ["Ce document n’est pas dans l’enveloppe"] });
    const { name, control, original, normalisedAccepted: accepted } = document;
    const bytes = await platform.files.get(original.sha256);
    const source = { id, name, bytes, control, accepted };
    const one = await takeForm(platform, source, { erasesTags, path });
    if (!one.ok) return one;
    taken.push(one.value);
  }
  const stored = await storeBytes(
    platform,
    taken.map(({ copy }) => copy.bytes),
  );
  if (!stored.ok) return stored;
  const copies = taken.map(({ copy }, index) => ({
    ...copy,
    sha256: stored.value[index] as Uint8Array,
  }));
  return success({ taken, copies });
}

/** Another change may have replaced a file while its form was read. */
function areUnchanged(
  now: EnvelopeAggregate,
  seen: EnvelopeAggregate,
  copies: readonly NormalisedCopy[],
): boolean {
  const hashOf = ({ documents }: EnvelopeAggregate, id: string): string =>
    toHex(documents.find((one) => one.id === id)?.original.sha256 ?? new Uint8Array());
  return copies.every(({ documentId: id }) => hashOf(now, id) === hashOf(seen, id));
}

/** Errors: those of `chooseTeam`, for another team. */
function checkTeam(
  { envelope }: EnvelopeAggregate,
  { actor, request: { team } }: EnvelopeUpdate,
): Result<unknown> {
  return team === undefined || team === envelope.team?.id
    ? success(null)
    : chooseTeam(actor.user, team);
}

function mayUpdate(
  aggregate: EnvelopeAggregate | null,
  update: EnvelopeUpdate,
): Result<EnvelopeAggregate> {
  const owned = admit(aggregate, { user: update.actor.user, action: "update" });
  if (!owned.ok) return owned;
  const outcome = outcomeOf(owned.value.envelope.status, "update");
  if (!outcome.ok) return outcome;
  const { documentKind } = owned.value.envelope;
  const current = checkVersion(owned.value.envelope, update.version);
  if (!current.ok) return current;
  const { document_kind: kind = documentKind } = update.request;
  const kept = checkKind(owned.value.envelope, kind);
  return kept.ok ? owned : kept;
}

type Writing = {
  readonly aggregate: EnvelopeAggregate;
  readonly update: EnvelopeUpdate;
  readonly plan: PlannedRevision;
  readonly added: readonly ReceivedDocument[];
  readonly copies: readonly NormalisedCopy[];
};
type ChangedPart = keyof UpdateEnvelopeRequest | "files";

function changedParts(writing: Writing): readonly ChangedPart[] {
  const { aggregate, update, plan, added, copies } = writing;
  const { request } = update;
  const { envelope, documents } = aggregate;
  const columns = columnsOf(update);
  const { remove = [], order = [], rename = [] } = plan.documents ?? {};
  const names = new Map(documents.map(({ id, name }) => [id, name]));
  const kept = documents.filter(({ id }) => !remove.includes(id));
  const forms = request.use_forms?.length ?? 0;
  const isOther: Readonly<Record<ChangedPart, boolean>> = {
    title: columns.title !== envelope.title,
    message: columns.message !== envelope.message,
    deadline_at: columns.deadline_at?.getTime() !== envelope.deadlineAt?.getTime(),
    flow: columns.flow !== envelope.flow,
    reminders: columns.remind_every_days !== envelope.remindEveryDays,
    proof_only: columns.proof_only !== envelope.proofOnly,
    document_kind: columns.document_kind !== envelope.documentKind,
    team: columns.team_id !== (envelope.team?.id ?? null),
    recipients: !areSame(plan.recipients ?? [], aggregate.recipients, RECIPIENT_PARTS),
    fields: !areSame(plan.fields ?? [], aggregate.fields, FIELD_PARTS),
    files: added.length > 0,
    remove_documents: remove.length > 0,
    order: kept.some(({ id }, index) => id !== order[index]),
    accept_normalised: copies.length > forms,
    use_forms: forms > 0,
    document_names: rename.some(({ id, name }) => name !== names.get(id)),
  };
  const named = [...Object.keys(request), "files"] as readonly ChangedPart[];
  return named.filter((part) => isOther[part]).toSorted();
}

type Decided = Writing & { readonly parts: readonly ChangedPart[] };

async function decideUpdate(
  trx: Transaction,
  platform: Platform,
  { aggregate, update, plan, added, copies, parts }: Decided,
): Promise<Decision> {
  const { id, title, createdByName, circuit, proofOnly: shownBefore } = aggregate.envelope;
  const now = platform.clock();
  const { proof_only: proofOnly = shownBefore } = update.request;
  const { documents, recipients, fields } = plan;
  const people =
    recipients && replacingRecipients(trx, { command: update, aggregate, recipients, now });
  const events = [
    ...(await updateEvents(trx, platform, { aggregate, update, added, parts })),
    ...(people?.events ?? []),
    ...(proofOnly === shownBefore ? [] : [publicPageEvent({ ...update, proofOnly })]),
  ];
  const change = {
    id,
    now,
    ...columnsOf(update),
    ...(parts.includes("document_kind") && circuit?.imposed
      ? { circuit: JSON.stringify({ ...circuit, imposed: false }) }
      : {}),
    ...(recipients === null ? {} : { signer_count: recipients.filter(mustSign).length }),
    search_text: envelopeText(
      update.request.title ?? title,
      createdByName,
      recipients ?? aggregate.recipients,
    ),
  };
  return {
    writes: [
      async () => {
        if (documents !== null)
          await reviseDocuments(trx, platform, {
            envelopeId: id,
            ...documents,
            accept: copies,
            add: added,
          });
        await people?.write();
        if (fields !== null) await replaceFieldRows(trx, id, fields);
      },
      updateEnvelopeRow(change),
      // Open pages follow events, or this announcement.
      ...(events.length === 0 ? [() => announceChange(trx, id)] : []),
    ],
    events,
  };
}

async function updateEvents(
  trx: Transaction,
  platform: Platform,
  { aggregate, update, added, parts }: Omit<Decided, "copies" | "plan">,
): Promise<readonly NewAuditEvent[]> {
  const { id } = aggregate.envelope;
  const correction = isReturned(aggregate.envelope);
  const changed = parts.filter((part) => part !== "proof_only");
  if (changed.length === 0) return [];
  const lastRecordedAt = await selectLastAt(trx, { envelopeId: id, action: "envelope_updated" });
  const isDue =
    correction || isUpdateRecorded({ parts: changed, lastRecordedAt }, platform.clock());
  if (!isDue) return [];
  const documents = added.map((document) => toHex(document.sha256));
  const detail = {
    changed,
    ...(correction ? { correction } : {}),
    ...(added.length > 0 ? { documents } : {}),
  };
  return [{ envelopeId: id, action: "envelope_updated", actor: auditActor(update.actor), detail }];
}

const RECIPIENT_PARTS = [
  "id",
  "position",
  "order",
  "role",
  "email",
  "fullName",
  "phoneNumber",
] as const;

const FIELD_PARTS = [
  "documentId",
  "recipientId",
  "type",
  "page",
  "x",
  "y",
  "width",
  "height",
  "required",
  "label",
  "value",
] as const;

function areSame<P extends string>(
  planned: readonly Readonly<Record<P, unknown>>[],
  there: readonly Readonly<Record<P, unknown>>[],
  parts: readonly P[],
): boolean {
  return (
    planned.length === there.length &&
    planned.every((row, index) => parts.every((part) => row[part] === there[index]?.[part]))
  );
}

function columnsOf({ request }: EnvelopeUpdate): EnvelopeChange {
  return {
    ...(request.title === undefined ? {} : { title: request.title }),
    ...(request.message === undefined ? {} : { message: request.message || null }),
    ...(request.deadline_at === undefined
      ? {}
      : { deadline_at: request.deadline_at === null ? null : new Date(request.deadline_at) }),
    ...(request.flow === undefined ? {} : { flow: request.flow }),
    ...(request.reminders === undefined ? {} : { remind_every_days: request.reminders.every_days }),
    ...(request.proof_only === undefined ? {} : { proof_only: request.proof_only }),
    ...(request.document_kind === undefined ? {} : { document_kind: request.document_kind }),
    ...(request.team === undefined ? {} : { team_id: request.team }),
  };
}
