import { failure, problem, type Result, success, type UpdateEnvelopeRequest } from "@paraphe/contracts";
import type { Transaction } from "../../platform/database/database.ts";
import { loadPrintableCharacters } from "../../platform/fonts/printable-characters.ts";
import type { Platform } from "../../platform/platform.ts";
import { checkRoom, takeRoom } from "../accounts/public.ts";
import { type NormalisedCopy, normaliseDocuments, type ReceivedDocument, reviseDocuments, storeBytes } from "../documents/public.ts";
import { appendEvents, type NewAuditEvent, selectLastAt } from "../journal/public.ts";
import { auditActor } from "./audit-actor.ts";
import { admit, changeEnvelope } from "./change-envelope.ts";
import type { EnvelopeCommand } from "./domain/command.ts";
import { mustSign } from "./domain/envelope.ts";
import { isUpdateTold } from "./domain/journal-update.ts";
import { envelopeText } from "./domain/search-text.ts";
import { outcomeOf } from "./domain/transitions.ts";
import { replaceFieldRows } from "./field-store.ts";
import { limitAction } from "./limit-actions.ts";
import { type EnvelopeAggregate, loadEnvelope } from "./load-envelope.ts";
import { pdfAccess } from "./pdf-access.ts";
import { type PlannedRevision, planRevision } from "./plan-revision.ts";
import { publicPageEvent } from "./public-page-event.ts";
import { receiveFiles, type UploadedFile } from "./receive-files.ts";
import { type RecipientToInsert, replaceRecipientRows } from "./recipient-store.ts";
import { announceChange, type EnvelopeChange, updateEnvelopeRow } from "./store.ts";

export type EnvelopeUpdate = EnvelopeCommand & {
  /** The version the person saw; null when the request does not say. */
  readonly version: number | null;
  readonly request: UpdateEnvelopeRequest;
  readonly files: readonly UploadedFile[];
};

/**
 * Changes a draft: what the request names, nothing else.
 * Errors: `not_found`, `not_allowed`, `invalid_state`, `version_conflict`; `too_many_requests`; `validation`; those of the files; `storage_quota_reached`, `storage_full`.
 */
export async function updateEnvelope(platform: Platform, update: EnvelopeUpdate): Promise<Result<EnvelopeAggregate>> {
  // Who may not change it is told before any file is looked at.
  const seen = mayUpdate(await loadEnvelope(platform.db, update.envelopeId), update);
  if (!seen.ok) return seen;
  const limited = update.files.length === 0 ? success(null) : await limitAction(platform, { kind: "upload", id: update.actor.user.id });
  if (!limited.ok) return limited;
  const room = { ownerId: update.actor.user.id, bytes: update.files.reduce((sum, { bytes }) => sum + bytes.length, 0) };
  const fits = room.bytes === 0 ? success(null) : await checkRoom(platform, room);
  if (!fits.ok) return fits;
  const access = pdfAccess(platform, { actor: update.actor, haste: "patient" });
  const received = await receiveFiles(access, update.files);
  if (!received.ok) return received;
  const stored = await storeBytes(
    platform,
    received.value.map((document) => document.bytes),
  );
  if (!stored.ok) return stored;
  const accepted = update.request.accept_normalised ?? [];
  const copies = await normaliseDocuments(
    access,
    seen.value.documents.filter((document) => accepted.includes(document.id)),
  );
  if (!copies.ok) return copies;
  const { firstMissing } = await loadPrintableCharacters();
  return changeEnvelope(platform, { command: update, action: "update" }, async (trx, aggregate) => {
    const allowed = mayUpdate(aggregate, update);
    if (!allowed.ok) return allowed;
    const taken = room.bytes === 0 ? success(null) : await takeRoom(trx, platform, room);
    if (!taken.ok) return taken;
    const plan = planRevision(platform, { aggregate, request: update.request, added: received.value, firstMissing });
    if (!plan.ok) return plan;
    await write(trx, platform, { aggregate, update, plan: plan.value, added: received.value, copies: copies.value });
    return success(null);
  });
}

function mayUpdate(aggregate: EnvelopeAggregate | null, update: EnvelopeUpdate): Result<EnvelopeAggregate> {
  const owned = admit(aggregate, { user: update.actor.user, action: "update" });
  if (!owned.ok) return owned;
  const outcome = outcomeOf(owned.value.envelope.status, "update");
  if (!outcome.ok) return outcome;
  const { version } = owned.value.envelope;
  return update.version !== null && update.version !== version ? failure(problem("version_conflict", { extensions: { version } })) : owned;
}

type Writing = {
  readonly aggregate: EnvelopeAggregate;
  readonly update: EnvelopeUpdate;
  readonly plan: PlannedRevision;
  readonly added: readonly ReceivedDocument[];
  readonly copies: readonly NormalisedCopy[];
};

async function write(trx: Transaction, platform: Platform, { aggregate, update, plan, added, copies }: Writing): Promise<void> {
  const { id } = aggregate.envelope;
  const now = platform.clock();
  if (plan.documents !== null) await reviseDocuments(trx, platform, { envelopeId: id, ...plan.documents, accept: copies, add: added });
  if (plan.recipients !== null) await replaceRecipientRows(trx, id, plan.recipients);
  if (plan.fields !== null) await replaceFieldRows(trx, id, plan.fields);
  await updateEnvelopeRow(trx, {
    id,
    now,
    ...columnsOf(update),
    ...(plan.recipients === null ? {} : { signer_count: plan.recipients.filter(mustSign).length }),
    search_text: envelopeText(
      update.request.title ?? aggregate.envelope.title,
      aggregate.envelope.createdByName,
      plan.recipients ?? aggregate.recipients,
    ),
  });
  await tell(trx, platform, { aggregate, update, plan, added });
}

/** Writes the update in the journal, or, of what it does not tell, announces it to the pages that are open. */
async function tell(trx: Transaction, platform: Platform, writing: Omit<Writing, "copies">): Promise<void> {
  const { envelope } = writing.aggregate;
  const { proof_only: proofOnly = envelope.proofOnly } = writing.update.request;
  const events = [
    ...(await updateEvents(trx, platform, writing)),
    ...(proofOnly === envelope.proofOnly ? [] : [publicPageEvent({ ...writing.update, proofOnly })]),
  ];
  if (events.length === 0) await announceChange(trx, envelope.id);
  else await appendEvents(trx, platform, events);
}

/** The line of an update, when it is told. What the public page shows has a line of its own. */
async function updateEvents(
  trx: Transaction,
  platform: Platform,
  { aggregate, update, plan, added }: Omit<Writing, "copies">,
): Promise<readonly NewAuditEvent[]> {
  const { id } = aggregate.envelope;
  const named = (Object.keys(update.request) as (keyof UpdateEnvelopeRequest)[]).filter((part) => part !== "proof_only");
  const parts = [...named, ...(added.length > 0 ? (["files"] as const) : [])].sort();
  if (parts.length === 0) return [];
  const lastToldAt = await selectLastAt(trx, { envelopeId: id, action: "envelope_updated" });
  const otherRecipients = plan.recipients !== null && !isSameList(plan.recipients, aggregate.recipients);
  if (!isUpdateTold({ parts, otherRecipients, lastToldAt }, platform.clock())) return [];
  const documents = added.map((document) => Buffer.from(document.sha256).toString("hex"));
  const detail = { changed: parts, ...(added.length > 0 ? { documents } : {}) };
  return [{ envelopeId: id, action: "envelope_updated", actor: auditActor(update.actor), detail }];
}

const RECIPIENT_PARTS = ["id", "position", "order", "role", "email", "fullName", "phoneNumber"] as const;

function isSameList(planned: readonly RecipientToInsert[], there: readonly RecipientToInsert[]): boolean {
  return (
    planned.length === there.length && planned.every((row, index) => RECIPIENT_PARTS.every((part) => row[part] === there[index]?.[part]))
  );
}

function columnsOf({ request }: EnvelopeUpdate): EnvelopeChange {
  return {
    ...(request.title === undefined ? {} : { title: request.title }),
    ...(request.message === undefined ? {} : { message: request.message || null }),
    ...(request.deadline_at === undefined ? {} : { deadline_at: request.deadline_at === null ? null : new Date(request.deadline_at) }),
    ...(request.flow === undefined ? {} : { flow: request.flow }),
    ...(request.reminders === undefined ? {} : { remind_every_days: request.reminders.every_days }),
    ...(request.proof_only === undefined ? {} : { proof_only: request.proof_only }),
  };
}
