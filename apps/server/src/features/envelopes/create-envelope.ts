import { toHex } from "@paraphe/kernel/bytes";
import {
  type CreateEnvelopeRequest,
  failure,
  MAX_FIELDS,
  type Problem,
  problem,
  type Result,
  success,
  firstUnprinted,
  isServedNumber,
  isToCopy,
} from "@paraphe/contracts";
import type { Transaction } from "../../platform/database/database.ts";
import { allOrNothing } from "../../platform/database/in-transaction.ts";
import { MissingFileError } from "../../platform/files/file-store.ts";
import type { Platform } from "../../platform/platform.ts";
import { checkRoom, emailKey, type Room, takeRoom } from "../accounts/public.ts";
import {
  insertDocuments,
  type NormalisedCopy,
  pdfAccess,
  type ReceivedDocument,
  receiveFiles,
  freeBytes,
  storeBytes,
  takeForm,
  type UploadedFile,
} from "../documents/public.ts";
import type { NewAuditEvent } from "../journal/public.ts";
import { limitAction, requireOwner } from "./change-envelope.ts";
import { choosingCircuit } from "./circuits/circuits.ts";
import { auditActor, commitWithoutMessages, publicPageEvent } from "./commit.ts";
import { checkDraft, checkSize, placeForm, ranksOf, chooseTeam } from "./domain/draft-checks.ts";
import {
  type Envelope,
  mustSign,
  type EnvelopeField,
  type EnvelopeRecipient,
} from "./domain/envelope.ts";
import { envelopeText } from "./domain/search-text.ts";
import type { Actor, EnvelopeCommand } from "./domain/viewer.ts";
import type { PreparedSending } from "./send-envelope.ts";
import {
  type EnvelopeAggregate,
  insertEnvelopeRows,
  insertFieldRows,
  loadEnvelope,
  newDraft,
} from "./store.ts";
import { insertRecipientRows } from "./recipient-store.ts";
import { addedBytes, takeUploads } from "./uploads/uploads.ts";

type NewEnvelope = {
  readonly actor: Actor;
  readonly request: CreateEnvelopeRequest;
  readonly files: readonly UploadedFile[];
  readonly copyOf?: string;
  /** Sent in the transaction that makes it, or not made. */
  readonly sends?: (draft: EnvelopeAggregate) => Promise<Result<PreparedSending>>;
  readonly link?: (trx: Transaction, envelopeId: string) => Promise<void>;
  /** Changes the draft in that transaction, or nothing is made. */
  readonly change?: (trx: Transaction, envelopeId: string) => Promise<Result<EnvelopeAggregate>>;
};

/**
 * Makes a draft of PDFs, recipients and fields, or nothing.
 * Errors: those of the files; `validation`; `envelope_too_large`; `storage_quota_reached`;
 * `storage_full`; `too_many_requests`; those of `prepareSending`.
 */
export async function createEnvelope(
  platform: Platform,
  envelope: NewEnvelope,
): Promise<Result<EnvelopeAggregate>> {
  const { actor, request, files } = envelope;
  if (files.length === 0)
    return failure(problem("validation", { errors: { files: ["Au moins un fichier"] } }));
  const team = chooseTeam(actor.user, request.team);
  if (!team.ok) return team;
  const limited = await limitAction(platform, { kind: "create", id: actor.user.id });
  if (!limited.ok) return limited;
  const size = checkSize(files.map((file) => file.bytes.length));
  if (!size.ok) return size;
  const room = { ownerId: actor.user.id, bytes: addedBytes(files) };
  const fits = await checkRoom(platform, room);
  if (!fits.ok) return fits;
  const access = pdfAccess(platform, { actor, haste: "patient" });
  const received = await receiveFiles(access, files);
  if (!received.ok) return received;
  const placed = await placeForms(access, request, received.value);
  if (!placed.ok) return placed;
  const { documents, copies } = placed.value;
  const checked = await check(platform, placed.value.request, documents);
  if (!checked.ok) return checked;
  const stored = await storeBytes(
    platform,
    [...documents, ...copies].map(({ bytes }) => bytes),
  );
  if (!stored.ok) return stored;
  const hashed = copies.map((copy, index) => ({
    ...copy,
    sha256: stored.value[documents.length + index] as Uint8Array,
  }));
  const whole = { ...envelope, ...placed.value, copies: hashed, team: team.value, room };
  const inserted = await insert(platform, whole);
  freeBytes(...files.map(({ bytes }) => bytes));
  return inserted;
}

type PlacedForms = {
  readonly request: CreateEnvelopeRequest;
  readonly documents: readonly ReceivedDocument[];
  readonly ids: readonly string[];
  readonly copies: readonly Omit<NormalisedCopy, "sha256">[];
};

/** The fields of `use_forms` follow the request's own. Errors: those of `takeForm`, `placeForm`. */
async function placeForms(
  platform: ReturnType<typeof pdfAccess<Platform>>,
  request: CreateEnvelopeRequest,
  received: readonly ReceivedDocument[],
): Promise<Result<PlacedForms>> {
  const ids = received.map(() => platform.newId());
  const documents = [...received];
  const copies: PlacedForms["copies"][number][] = [];
  const fields = [...request.fields];
  const signers = request.recipients.flatMap((one, index) => (mustSign(one) ? [index] : []));
  for (const [at, asked] of (request.use_forms ?? []).entries()) {
    const { document_index: index, recipients, erase_tags: erasesTags } = asked;
    const [document, id] = [documents[index], ids[index]];
    const path = `use_forms.${at}.document_index`;
    if (document === undefined || id === undefined)
      return invalidForm(path, "Ce document n’est pas dans l’enveloppe");
    if (copies.some((one) => one.documentId === id))
      return invalidForm(path, "Ce document est déjà nommé");
    const source = { ...document, id, accepted: false };
    const taken = await takeForm(platform, source, { erasesTags, path });
    if (!taken.ok) return taken;
    const placed = placeForm({
      found: taken.value.fields,
      chosen: recipients.map(({ role, recipient_index }) => ({ role, recipient: recipient_index })),
      signers,
      firstMissing: firstUnprinted,
      path: `use_forms.${at}.recipients`,
    });
    if (!placed.ok) return placed;
    const { pages, control } = taken.value.copy;
    documents[index] = { ...document, pages, control };
    copies.push(taken.value.copy);
    for (const { recipient, ...field } of placed.value)
      fields.push({ ...field, document_index: index, recipient_index: recipient });
    if (fields.length > MAX_FIELDS)
      return invalidForm(path, `${MAX_FIELDS} champs au maximum dans une enveloppe`);
  }
  return success({ request: { ...request, fields }, documents, ids, copies });
}

const invalidForm = (path: string, reason: string) =>
  failure<Problem>(problem("validation", { errors: { [path]: [reason] } }));

async function check(
  platform: Platform,
  request: CreateEnvelopeRequest,
  documents: readonly ReceivedDocument[],
): Promise<Result<null, Problem>> {
  return checkDraft({
    deadlineAt: request.deadline_at === null ? null : new Date(request.deadline_at),
    pageCounts: documents.map((document) => document.pageCount),
    recipients: request.recipients.map((recipient) => ({
      emailKey: emailKey(recipient.email),
      fullName: recipient.full_name,
      role: recipient.role,
      phoneNumber: recipient.phone_number || null,
    })),
    fields: request.fields.map((field) => ({
      documentIndex: field.document_index,
      recipientIndex: field.recipient_index,
      page: field.page,
      type: field.type,
      label: field.label,
      value: field.value,
    })),
    namedBy: "index",
    now: platform.clock(),
    firstMissing: firstUnprinted,
    isServed: (number) => isServedNumber(number, platform.settings.smsCountries),
  });
}

type Insertion = NewEnvelope & {
  readonly documents: readonly ReceivedDocument[];
  readonly ids: readonly string[];
  readonly copies: readonly NormalisedCopy[];
  readonly room: Room;
  readonly team: Envelope["team"];
};

async function insert(
  platform: Platform,
  { actor, request, files, documents, ids, copies, copyOf, room, team, ...made }: Insertion,
): Promise<Result<EnvelopeAggregate>> {
  const ranks = ranksOf(request.flow, request.recipients);
  const recipients = request.recipients.map((recipient, index) => ({
    id: platform.newId(),
    position: index + 1,
    order: ranks[index] ?? 1,
    role: recipient.role,
    email: recipient.email,
    emailKey: emailKey(recipient.email),
    fullName: recipient.full_name,
    phoneNumber: recipient.phone_number || null,
  }));
  const row = {
    ...rowOf(platform, { actor, request }),
    team,
    searchText: envelopeText(request.title, actor.user.full_name, recipients),
    signerCount: recipients.filter(mustSign).length,
  };
  const { id } = row;
  const placed = { envelopeId: id, firstPosition: 1, documents, ids, copies };
  const inserted = insertDocuments(platform, placed);
  const fields = request.fields.map(({ document_index, recipient_index, ...field }) => ({
    ...field,
    id: platform.newId(),
    documentId: inserted.documents[document_index]?.id as string,
    recipientId: recipients[recipient_index]?.id as string,
  }));
  const draft = newDraft({ row, recipients, documents: inserted.documents, fields });
  const sending = made.sends ? await made.sends(draft) : success(null);
  if (!sending.ok) return failure(unmade(sending.error));
  return endingSending(platform, sending.value, async (trx) => {
    const fits = await takeRoom(trx, platform, room);
    if (!fits.ok) return fits;
    const taken = await takeUploads(trx, platform, { actor, files });
    if (!taken.ok) return taken;
    await commitWithoutMessages(trx, platform, {
      ownerId: actor.user.id,
      writes: [
        insertEnvelopeRows([row]),
        insertRecipientRows([{ envelopeId: id, recipients }]),
        ...inserted.writes,
        insertFieldRows([{ envelopeId: id, fields, firstPosition: 1 }]),
      ],
      events: eventsOf({ id, actor, request, documents, copyOf }),
    });
    await made.link?.(trx, id);
    if (made.change) return made.change(trx, id);
    if (sending.value === null) return success(draft);
    const sent = await sending.value.commit(trx);
    return sent.ok ? sent : failure(unmade(sent.error));
  });
}

const unmade = (refusal: Problem): Problem => ({
  ...refusal,
  params: {
    ...refusal.params,
    next:
      refusal.params?.["next"] === undefined
        ? "Rien n’a été créé\u00a0: complétez la demande, puis renvoyez-la."
        : `Rien n’a été créé\u00a0: créez le brouillon sans «\u00a0send\u00a0». ${refusal.params["next"]}`,
  },
});

async function endingSending(
  { db }: Platform,
  sending: PreparedSending | null,
  work: (trx: Transaction) => Promise<Result<EnvelopeAggregate>>,
): Promise<Result<EnvelopeAggregate>> {
  const made = await allOrNothing(db, work);
  if (made.ok) await sending?.end(made.value);
  return made;
}

type Created = Pick<Insertion, "actor" | "request" | "documents"> & {
  readonly id: string;
  readonly copyOf: string | undefined;
};

function eventsOf({ id, actor, request, documents, copyOf }: Created): readonly NewAuditEvent[] {
  const created: NewAuditEvent = {
    envelopeId: id,
    action: "envelope_created",
    actor: auditActor(actor),
    detail: {
      documents: documents.map(({ sha256 }) => toHex(sha256)),
      recipients: request.recipients.length,
      fields: request.fields.length,
      ...(copyOf === undefined ? {} : { copy_of: copyOf }),
    },
  };
  return request.proof_only
    ? [created, publicPageEvent({ envelopeId: id, actor, proofOnly: true })]
    : [created];
}

function rowOf(platform: Platform, { actor, request }: Pick<Insertion, "actor" | "request">) {
  return {
    id: platform.newId(),
    ownerId: actor.user.id,
    createdByName: actor.user.full_name,
    title: request.title,
    message: request.message || null,
    flow: request.flow,
    createdAt: platform.clock(),
    deadlineAt: request.deadline_at === null ? null : new Date(request.deadline_at),
    remindEveryDays: request.reminders.every_days,
    proofOnly: request.proof_only,
    documentKind: request.document_kind,
  };
}

/**
 * Copies an envelope in any state to a draft; its files are checked and its circuit chosen again.
 * Errors: those of `requireOwner`, `createEnvelope` and `chooseCircuit`.
 */
export async function duplicateEnvelope(
  platform: Platform,
  { envelopeId, actor }: EnvelopeCommand,
): Promise<Result<EnvelopeAggregate>> {
  const source = requireOwner(await loadEnvelope(platform.db, envelopeId), actor.user);
  if (!source.ok) return source;
  const files = await readOriginals(platform, source.value);
  if (!files.ok) return files;
  const copied = source.value;
  const { circuit, documentKind: kind } = copied.envelope;
  const again = { kind, circuit_id: circuit?.id ?? null, other_party: [] };
  return createEnvelope(platform, {
    actor,
    request: duplicateOf(copied, actor.user.teams),
    files: files.value,
    copyOf: copied.envelope.id,
    ...((circuit ?? kind) === null
      ? {}
      : {
          change: (trx, envelopeId) =>
            choosingCircuit(platform, { envelopeId, actor, request: again, copied })(trx),
        }),
  });
}

/** Errors: `not_found` once purged. */
async function readOriginals(
  platform: Pick<Platform, "db" | "files">,
  { envelope, documents }: EnvelopeAggregate,
): Promise<Result<readonly UploadedFile[]>> {
  try {
    const read = documents.map(async ({ name, original }) => ({
      name,
      bytes: await platform.files.get(original.sha256),
    }));
    return success(await Promise.all(read));
  } catch (error) {
    if (
      error instanceof MissingFileError &&
      (await loadEnvelope(platform.db, envelope.id)) === null
    )
      return failure(problem("not_found"));
    throw error;
  }
}

type Source = {
  readonly envelope: Pick<
    Envelope,
    "status" | "team" | "title" | "message" | "flow" | "remindEveryDays" | "proofOnly"
  >;
  readonly documents: readonly { readonly id: string }[];
  readonly recipients: readonly Pick<
    EnvelopeRecipient,
    "id" | "email" | "fullName" | "phoneNumber" | "role" | "order"
  >[];
  readonly fields: readonly EnvelopeField[];
};

/**
 * Gives the same request without signatures, state or deadline; `teams` decides whether its team
 * stays. Recipients' answers are left out; the sender's mentions are copied.
 */
function duplicateOf(
  { envelope, documents, recipients, fields }: Source,
  teams: readonly { readonly id: string }[],
): CreateEnvelopeRequest {
  const documentPlace = new Map(documents.map(({ id }, index) => [id, index]));
  const recipientPlace = new Map(recipients.map(({ id }, index) => [id, index]));
  const isDraft = envelope.status === "draft";
  return {
    title: envelope.title,
    message: envelope.message,
    deadline_at: null,
    flow: envelope.flow,
    reminders: { every_days: envelope.remindEveryDays, business_days: true },
    proof_only: envelope.proofOnly,
    document_kind: null,
    team: teams.find(({ id }) => id === envelope.team?.id)?.id ?? null,
    recipients: recipients.map(({ email, fullName, phoneNumber, role, order }) => ({
      email,
      full_name: fullName,
      phone_number: phoneNumber,
      role,
      order,
    })),
    fields: fields.flatMap(({ id: _own, documentId, recipientId, value, ...form }) => {
      const [document_index, recipient_index] = [
        documentPlace.get(documentId),
        recipientPlace.get(recipientId),
      ];
      if (document_index === undefined || recipient_index === undefined) return [];
      return [
        {
          ...form,
          document_index,
          recipient_index,
          value: isDraft || isToCopy(form) ? value : null,
        },
      ];
    }),
  };
}
