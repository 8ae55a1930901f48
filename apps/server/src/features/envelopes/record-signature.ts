import { type Result, success } from "@paraphe/contracts";
import type { Transaction } from "../../platform/database/database.ts";
import type { Platform } from "../../platform/platform.ts";
import {
  type AuditActor,
  type AuditValue,
  type NewAuditEvent,
  requestCheckpoint,
  SYSTEM_ACTOR,
} from "../journal/public.ts";
import { commit, commitWithoutMessages } from "./commit.ts";
import { decideSignature, type SignatureDecision } from "./domain/decisions.ts";
import { type EnvelopeRecipient, mustSign, type PadesLevel } from "./domain/envelope.ts";
import { prepareInvitations } from "./invitations.ts";
import { deleteWaitingActs, type EnvelopeAggregate, updateEnvelopeRow } from "./store.ts";
import { updateAwaited, updateSigned } from "./recipient-store.ts";

export type SignatureRecord = {
  /** The envelope as read under its lock, which the caller holds; its documents at their new revisions. */
  readonly aggregate: EnvelopeAggregate;
  readonly recipientId: string;
  /** When the person agreed: the moment the act was committed. */
  readonly signedAt: Date;
  /** What the signed files reach now; it becomes the envelope's when this signature completes it. */
  readonly level: PadesLevel;
  readonly client: { readonly ip: string | null; readonly userAgent: string | null };
  /** Facts for the journal without personal data: serial number, hashes of the signed files, method. */
  readonly detail?: Readonly<Record<string, AuditValue>>;
  /** The same for the completion, if this signature completes the envelope. */
  readonly completionDetail?: Readonly<Record<string, AuditValue>>;
  /** Of a document that its owner signs alone: nobody is written to. */
  readonly messages?: "none";
};

/**
 * Records one recipient's signature in the transaction that stores the signed files: counts it,
 * invites the next recipients, informs the sender; the last one completes the envelope.
 * Errors: `invalid_state`, `already_signed`: nothing was written.
 */
export async function recordSignature(
  trx: Transaction,
  platform: Platform,
  record: SignatureRecord,
): Promise<Result<null>> {
  const decided = decideSignature(record.aggregate, record.recipientId);
  if (!decided.ok) return decided;
  const decision = decided.value;
  const recording = { record, decision, aggregate: signedBy(record) };
  const { envelope, recipients } = recording.aggregate;
  if (record.messages === "none") {
    const own = { writes: writesOf(trx, platform, recording), events: eventsOf(recording) };
    await commitWithoutMessages(trx, platform, own);
    return success(null);
  }
  const invitations = await prepareInvitations(trx, platform, {
    kind: "invitation",
    envelope,
    recipients:
      decision.status === "completed"
        ? []
        : recipients.filter(({ id }) => decision.toInvite.has(id)),
    actor: SYSTEM_ACTOR,
    occasion: "1",
  });
  await commit(trx, platform, {
    about: recording.aggregate,
    writes: [...writesOf(trx, platform, recording), ...invitations.writes],
    events: [...eventsOf(recording), ...invitations.events],
    notices: invitations.notices,
  });
  return success(null);
}

type Recording = {
  readonly record: SignatureRecord;
  readonly decision: SignatureDecision;
  /** The envelope with the signer as the signature leaves them. */
  readonly aggregate: EnvelopeAggregate;
};

function signedBy({ aggregate, recipientId, signedAt }: SignatureRecord): EnvelopeAggregate {
  const recipients = aggregate.recipients.map(
    (one): EnvelopeRecipient =>
      one.id === recipientId ? { ...one, status: "signed", signedAt } : one,
  );
  return { ...aggregate, recipients };
}

function writesOf(
  trx: Transaction,
  platform: Platform,
  { record, decision, aggregate }: Recording,
): readonly (() => Promise<unknown>)[] {
  const now = platform.clock();
  const { envelope, recipients } = aggregate;
  const { status, signedCount, awaited } = decision;
  const completes = status === "completed";
  const { id: envelopeId } = envelope;
  const { recipientId } = record;
  // Viewers get their copy at completion, and may read from then on.
  const invited = completes
    ? new Set(recipients.filter((one) => !mustSign(one)).map(({ id }) => id))
    : decision.toInvite;
  const completion = completes ? { completed_at: now, level: record.level } : {};
  return [
    () => updateSigned(trx, { recipientId, signedAt: record.signedAt }),
    () => updateAwaited(trx, { envelopeId, awaited, invited, now }),
    () =>
      updateEnvelopeRow(trx, {
        id: envelopeId,
        now,
        status,
        signed_count: signedCount,
        ...completion,
      }),
    ...(completes ? [() => requestCheckpoint(trx, platform)] : []),
  ];
}

function eventsOf({
  record,
  decision,
  aggregate: { envelope, recipients },
}: Recording): readonly NewAuditEvent[] {
  const { recipientId, client, level } = record;
  const signer = recipients.find(({ id }) => id === recipientId) as EnvelopeRecipient;
  const signed: NewAuditEvent = {
    envelopeId: envelope.id,
    action: "recipient_signed",
    actor: {
      kind: "recipient",
      id: recipientId,
      name: signer.fullName,
      ip: client.ip,
      userAgent: client.userAgent,
    },
    detail: {
      ...record.detail,
      recipient: recipientId,
      signed: decision.signedCount,
      total: envelope.signerCount,
      level,
    },
  };
  if (decision.status !== "completed") return [signed];
  const detail = { ...record.completionDetail, level };
  return [
    signed,
    { envelopeId: envelope.id, action: "envelope_completed", actor: SYSTEM_ACTOR, detail },
  ];
}

/**
 * Withdraws the consents of a locked envelope that have no signature yet; gives an event for each.
 * A sealing under way finds its act gone, and commits nothing. After a restoration each recipient
 * may sign again.
 */
export async function voidConsents(
  trx: Transaction,
  { envelopeId, actor }: { readonly envelopeId: string; readonly actor: AuditActor },
): Promise<readonly NewAuditEvent[]> {
  const recipientIds = await deleteWaitingActs(trx, envelopeId);
  return recipientIds.map((recipient) => ({
    envelopeId,
    action: "consent_void",
    actor,
    detail: { recipient },
  }));
}
