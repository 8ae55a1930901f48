import {
  type CorrectionAnswer,
  type Envelope,
  type EventsAnswer,
  type FormAnswer,
  type Problem,
  type Result,
  failure,
  problem,
  success,
} from "@paraphe/contracts";
import type { Platform } from "../../platform/platform.ts";
import {
  compareCopy,
  type DocumentAccess,
  findForm,
  type FoundInDocument,
  pdfAccess,
} from "../documents/public.ts";
import { type EventsPage, listEvents, readJournal, selectStepChanges } from "../journal/public.ts";
import { admit, requireOwner } from "./change-envelope.ts";
import {
  behalfIn,
  type EnvelopeCommand,
  namesSignedFor,
  viewerOf,
  wasAsked,
  type Actor,
  type Viewer,
} from "./domain/viewer.ts";
import { inCorrection, isReturned, outcomeOf } from "./domain/envelope.ts";
import { presentTo, presentToOwner } from "./present-envelope.ts";
import { loadEnvelope, type EnvelopeAggregate } from "./store.ts";

/** Errors: `not_found`. */
export async function readEnvelope(
  platform: Pick<Platform, "db" | "clock" | "settings">,
  { envelopeId, actor }: EnvelopeCommand,
): Promise<Result<Envelope>> {
  const aggregate = await loadEnvelope(platform.db, envelopeId);
  if (aggregate === null) return failure(problem("not_found"));
  const viewer = viewerOf(aggregate, actor.user);
  if (!viewer.ok)
    return isReturned(aggregate.envelope) && wasAsked(aggregate, actor.user)
      ? failure(await returnRefusal(platform, aggregate))
      : viewer;
  if (viewer.value.kind === "owner")
    return success(await presentToOwner(platform, aggregate, actor.user));
  const behalf = behalfIn(aggregate, actor.user);
  const signedFor = namesSignedFor(aggregate.recipients, actor.user);
  return success(await presentTo(platform, aggregate, { viewer: viewer.value, behalf, signedFor }));
}

async function returnRefusal(
  { db }: Pick<Platform, "db">,
  { envelope }: EnvelopeAggregate,
): Promise<Problem> {
  const changes = await selectStepChanges(db, envelope.id);
  const last = changes.find(({ action }) => action === "step_sent_back");
  const refused = inCorrection(envelope);
  return {
    ...refused,
    extensions: { ...refused.extensions, document_title: envelope.sentTitle, reason: last?.reason },
  };
}

/** Addresses and browsers are the owner's alone. Errors: `not_found`, `not_allowed`. */
export async function listEnvelopeEvents(
  platform: Pick<Platform, "db" | "clock">,
  command: EnvelopeCommand & { readonly page: EventsPage },
): Promise<Result<EventsAnswer>> {
  const owned = requireOwner(
    await loadEnvelope(platform.db, command.envelopeId),
    command.actor.user,
  );
  return owned.ok ? success(await listEvents(platform, command.envelopeId, command.page)) : owned;
}

/** In a session, owners read everything, recipients what they were invited to. */
export function sessionDocumentAccess(platform: Pick<Platform, "db">): DocumentAccess {
  return async ({ envelopeId, user }) => {
    if (user === null) return failure(problem("session_expired"));
    const parts = await loadEnvelope(platform.db, envelopeId);
    if (parts === null) return failure(problem("not_found"));
    const viewer = viewerOf(parts, user);
    if (!viewer.ok)
      return isReturned(parts.envelope) && wasAsked(parts, user)
        ? failure(inCorrection(parts.envelope))
        : viewer;
    return success(
      viewer.value.kind === "owner"
        ? { reader: "owner", recipientId: null }
        : { reader: "recipient", recipientId: viewer.value.recipientId },
    );
  };
}

type DocumentToCompare = EnvelopeCommand & { readonly documentId: string; readonly from: number };

/**
 * Compares a draft's corrected copy with its upload, for the owner.
 * Errors: those of `admit` and `compareCopy`; `not_found` without a copy.
 */
export async function compareDocument(
  platform: Platform,
  { envelopeId, documentId, actor, from }: DocumentToCompare,
): Promise<Result<CorrectionAnswer>> {
  const owned = admit(await loadEnvelope(platform.db, envelopeId), {
    user: actor.user,
    action: "update",
  });
  if (!owned.ok) return owned;
  const document = owned.value.documents.find(
    ({ id, control, normalisedAccepted }) =>
      id === documentId && control.result === "fixable" && !normalisedAccepted,
  );
  if (document === undefined) return failure(problem("not_found"));
  const bytes = await platform.files.get(document.original.sha256);
  return compareCopy(pdfAccess(platform, { actor, haste: "patient" }), {
    name: document.name,
    bytes,
    pageCount: document.pageCount,
    from,
  });
}

/**
 * What a draft's files hold to fill in, for its owner.
 * Errors: those of `admit` and `findForm`.
 */
export async function findForms(
  platform: Platform,
  { envelopeId, actor }: EnvelopeCommand,
): Promise<Result<FormAnswer>> {
  const owned = admit(await loadEnvelope(platform.db, envelopeId), {
    user: actor.user,
    action: "update",
  });
  if (!owned.ok) return owned;
  const outcome = outcomeOf(owned.value.envelope.status, "update");
  if (!outcome.ok) return outcome;
  const access = pdfAccess(platform, { actor, haste: "patient" });
  const documents: FormAnswer["documents"] = [];
  for (const { id, name, original, control, normalisedAccepted } of owned.value.documents) {
    const bytes = await platform.files.get(original.sha256);
    const document = { id, name, bytes, control, accepted: normalisedAccepted };
    const found = await findForm(access, document);
    if (!found.ok) return found;
    documents.push({ document_id: id, ...presentForm(found.value) });
  }
  return success({ documents });
}

function presentForm({ refused, fields, findings }: FoundInDocument) {
  return {
    refused,
    findings: [...findings],
    fields: fields.map(({ pageNumber, maxLength, label, ...field }) => ({
      ...field,
      page: pageNumber,
      label: label || null,
      max_length: maxLength,
    })),
  };
}

/** Gives the owner the whole journal, a recipient what they did, not who had their step before. */
export async function* ownJournal(
  { db }: Pick<Platform, "db">,
  { envelope, recipients }: EnvelopeAggregate,
  {
    user,
    viewer,
  }: { readonly user: Pick<Actor["user"], "id" | "recipient_key">; readonly viewer: Viewer },
): ReturnType<typeof readJournal> {
  if (viewer.kind === "owner") return yield* readJournal(db, envelope.id);
  const changes = await selectStepChanges(db, envelope.id);
  const since = (id: string) =>
    changes.find(({ recipient, newAddress }) => recipient === id && newAddress)?.sequence ?? 0;
  const own = recipients.filter((recipient) => recipient.emailKey === user.recipient_key);
  const actors = own.map(({ id }) => [`recipient:${id}`, since(id)] as const);
  yield* readJournal(db, envelope.id, new Map([[`user:${user.id}`, 0], ...actors]));
}
