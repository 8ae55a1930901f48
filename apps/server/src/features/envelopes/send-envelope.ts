import { toHex } from "@paraphe/kernel/bytes";
import { failure, problem, type Result, success, firstUnprinted } from "@paraphe/contracts";
import type { Transaction } from "../../platform/database/database.ts";
import { allOrNothing } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import {
  addRevisions,
  freeBytes,
  pdfAccess,
  type PreparedDocument,
  prepareRevision,
} from "../documents/public.ts";
import type { NewAuditEvent } from "../journal/public.ts";
import { admit, changeWithin, checkVersion, limitAction, mayAskToday } from "./change-envelope.ts";
import { type Decision, auditActor } from "./commit.ts";
import { committedParts } from "./own-envelope.ts";
import { checkCircuit } from "./circuits/circuits.ts";
import { storeAsked } from "./contacts/contacts.ts";
import { checkSend } from "./domain/check-send.ts";
import {
  awaitedRecipients,
  type EnvelopeField,
  type EnvelopeRecipient,
  mustSign,
  outcomeOf,
} from "./domain/envelope.ts";
import { placeMissingFields } from "./domain/fields.ts";
import type { Actor, EnvelopeCommand } from "./domain/viewer.ts";
import { coveredPageRefusal } from "./present-envelope.ts";
import { prepareInvitations } from "./invitations.ts";
import {
  type EnvelopeAggregate,
  insertFieldRows,
  loadEnvelope,
  updateEnvelopeRow,
} from "./store.ts";
import { peopleOf } from "./people-store.ts";
import { updateAwaited } from "./recipient-store.ts";

type Sending = {
  readonly actor: Actor;
  readonly version?: number | null;
  readonly message?: string | null | undefined;
};
export type EnvelopeSending = EnvelopeCommand &
  Sending & {
    /** As the session's statement read it. */
    readonly draft?: EnvelopeAggregate | null;
  };

const TRIES = 3;

/** The version is checked under the lock. Errors: those of `prepareSending`; `version_conflict`. */
export async function sendEnvelope(
  platform: Platform,
  sending: EnvelopeSending,
): Promise<Result<EnvelopeAggregate>> {
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    const draft =
      (attempt === 1 && sending.draft) || (await loadEnvelope(platform.db, sending.envelopeId));
    const prepared = await prepareSending(platform, { ...sending, draft });
    if (!prepared.ok) return prepared;
    const sent = await allOrNothing(platform.db, prepared.value.commit);
    await prepared.value.end(sent.ok ? sent.value : null);
    if (sent.ok || sent.error.code !== "version_conflict" || typeof sending.version === "number")
      return sent;
  }
  return failure(problem("version_conflict"));
}

export type PreparedSending = {
  commit(trx: Transaction): Promise<Result<EnvelopeAggregate>>;
  end(sent: EnvelopeAggregate | null): Promise<void>;
};

/**
 * Places missing signature fields, prepares the files before the transaction, and asks whose turn
 * it is.
 * Errors: `not_found`, `not_allowed`, `invalid_state`, `not_ready_to_send`, `page_covered`;
 * `pdf_*`; `storage_full`; `too_many_requests`, `too_many_messages`; `version_conflict`.
 */
export async function prepareSending(
  platform: Platform,
  { draft, ...sending }: Sending & { readonly draft: EnvelopeAggregate | null },
): Promise<Result<PreparedSending>> {
  const owned = admit(draft, { user: sending.actor.user, action: "send" });
  if (!owned.ok) return owned;
  const prepared = await prepare(platform, sending, owned.value);
  if (!prepared.ok) return prepared;
  const { actor } = sending;
  const command = { envelopeId: owned.value.envelope.id, actor };
  const commit = changeWithin(platform, { command, action: "send" }, async (trx, read) => {
    const ready = maySend(read, { sending, now: platform.clock() });
    if (!ready.ok) return ready;
    if (read.envelope.version !== prepared.value.version)
      return failure(problem("version_conflict"));
    const circuit = await checkCircuit(trx, platform, { aggregate: read, user: actor.user });
    if (!circuit.ok) return circuit;
    const envelope = { ...read.envelope, circuit: circuit.value };
    const aggregate = { ...read, envelope };
    const { recipients } = aggregate;
    const awaited = awaitedRecipients(envelope.flow, recipients);
    const asked = recipients.filter(({ id }) => awaited.has(id));
    const spent = await mayAskToday({ ...platform, db: trx }, { envelope, recipients: asked });
    if (!spent.ok) return spent;
    // Counted in the transaction, so that a refused attempt is not.
    const invited = { kind: "invite", id: actor.user.id, count: recipients.length } as const;
    const limited = await limitAction({ ...platform, db: trx }, invited);
    if (!limited.ok) return limited;
    const preparation = prepared.value;
    return success(await decideSending(trx, platform, { sending, aggregate, preparation, asked }));
  });
  return success({
    commit,
    async end(sent) {
      freeBytes(...prepared.value.documents.map(({ bytes }) => bytes));
      if (sent !== null)
        await storeAsked(platform, { sender: actor.user, people: sent.recipients });
    },
  });
}

type Preparation = {
  readonly version: number;
  readonly placed: readonly EnvelopeField[];
  readonly documents: readonly PreparedDocument[];
};

type Moment = {
  readonly sending: Sending;
  readonly now: Date;
};

/** Refuses what the sender has not seen. Errors: `version_conflict`, those of `checkSend`. */
function maySend(aggregate: EnvelopeAggregate, { sending, ...moment }: Moment): Result<null> {
  const outcome = outcomeOf(aggregate.envelope.status, "send");
  if (!outcome.ok) return outcome;
  const current = checkVersion(aggregate.envelope, sending.version);
  if (!current.ok) return current;
  return checkSend(aggregate, { ...moment, firstMissing: firstUnprinted });
}

/** Asks before a person does; writes nothing. Errors: those of `placedToSend` and `checkCircuit`. */
export async function checkReadyToSend(
  platform: Platform,
  { envelopeId, actor }: EnvelopeCommand,
): Promise<Result<null>> {
  const draft = await loadEnvelope(platform.db, envelopeId);
  const owned = admit(draft, { user: actor.user, action: "send" });
  if (!owned.ok) return owned;
  const placed = placedToSend(platform, { actor }, owned.value);
  if (!placed.ok) return placed;
  const asked = { aggregate: owned.value, user: actor.user };
  const circuit = await checkCircuit(platform.db, platform, asked);
  return circuit.ok ? success(null) : circuit;
}

/** Gives the missing signature fields. Errors: those of `maySend`; `page_covered`. */
function placedToSend(
  platform: Pick<Platform, "clock" | "newId">,
  sending: Sending,
  aggregate: EnvelopeAggregate,
): Result<readonly EnvelopeField[]> {
  const { documents, recipients, fields } = aggregate;
  const ready = maySend(aggregate, { sending, now: platform.clock() });
  if (!ready.ok) return ready;
  const placed = placeMissingFields({ documents, recipients, fields, newId: platform.newId });
  if (!placed.ok) return placed;
  const covered = coveredPageRefusal({ ...aggregate, fields: [...fields, ...placed.value] });
  return covered === null ? placed : failure(covered);
}

async function prepare(
  platform: Platform,
  sending: Sending,
  aggregate: EnvelopeAggregate,
): Promise<Result<Preparation>> {
  const { envelope, documents, recipients, fields } = aggregate;
  const placed = placedToSend(platform, sending, aggregate);
  if (!placed.ok) return placed;
  const prepared = await prepareRevision(
    pdfAccess(platform, { actor: sending.actor, haste: "urgent" }),
    {
      envelopeId: envelope.id,
      documents,
      fields: [...fields, ...placed.value],
      signers: recipients.filter(mustSign),
    },
  );
  return prepared.ok
    ? success({ version: envelope.version, placed: placed.value, documents: prepared.value })
    : prepared;
}

type Decided = {
  readonly sending: Sending;
  readonly aggregate: EnvelopeAggregate;
  readonly preparation: Preparation;
  readonly asked: readonly EnvelopeRecipient[];
};

async function decideSending(
  trx: Transaction,
  platform: Platform,
  { sending, aggregate, preparation, asked }: Decided,
): Promise<Decision> {
  const { envelope, fields } = aggregate;
  const { id: envelopeId } = envelope;
  const now = platform.clock();
  const message = sending.message === undefined ? envelope.message : sending.message || null;
  const awaited = new Set(asked.map(({ id }) => id));
  const invitations = await prepareInvitations(trx, platform, {
    kind: "invitation",
    envelope: { ...envelope, message },
    people: aggregate.people,
    isMarked: true,
    recipients: asked,
    actor: auditActor(sending.actor),
    // A returned draft is sent again.
    occasion: `sent:${envelope.version}`,
  });
  // The sender remains its maker, even when a team sends.
  const { owner } = await peopleOf(trx, aggregate, now);
  const placed = { envelopeId, fields: preparation.placed, firstPosition: fields.length + 1 };
  return {
    writes: [
      insertFieldRows([placed]),
      updateEnvelopeRow({
        id: envelopeId,
        now,
        status: "sent",
        sent_at: now,
        message,
        circuit: envelope.circuit && JSON.stringify(envelope.circuit),
      }),
      updateAwaited({ envelopeId, awaited, invited: awaited, now, asked: envelope }),
      addRevisions(platform, preparation.documents.map(preparedRevision)),
      ...invitations.writes,
    ],
    events: [
      sentEvent({ sending, aggregate, preparation, senderEmail: owner.email }),
      ...invitations.events,
    ],
    notices: invitations.notices,
  };
}

function preparedRevision({ documentId, sha256, bytes }: PreparedDocument) {
  const kind = "prepared" as const;
  const sizeBytes = bytes.length;
  return { documentId, previousNumber: 0, kind, sha256, sizeBytes, bytes, recipientId: null };
}

function sentEvent({
  sending,
  aggregate: { envelope, recipients, documents },
  preparation,
  senderEmail,
}: Omit<Decided, "asked"> & { readonly senderEmail: string }): NewAuditEvent {
  const parts = committedParts({
    ...envelope,
    senderEmail,
    documents: documents.map(({ id, name, uploadedSha256, original }) => ({
      id,
      name,
      uploaded: uploadedSha256,
      original: original.sha256,
    })),
    recipients,
  });
  return {
    envelopeId: envelope.id,
    action: "envelope_sent",
    actor: auditActor(sending.actor),
    detail: {
      documents: preparation.documents.map(({ sha256 }) => toHex(sha256)),
      placed_fields: preparation.placed.length,
      flow: envelope.flow,
      ...parts.detail,
    },
    personal: parts.personal,
  };
}
