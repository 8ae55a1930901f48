import { type Result, success } from "@paraphe/contracts";
import type { Transaction } from "../../platform/database/database.ts";
import type { Platform } from "../../platform/platform.ts";
import {
  type AuditValue,
  type NewAuditEvent,
  requestCheckpoint,
  SYSTEM_ACTOR,
} from "../journal/public.ts";
import { withdrawNotices } from "../notices/public.ts";
import { commit } from "./commit.ts";
import { decideSignature, type SignatureDecision } from "./domain/decisions.ts";
import { type EnvelopeRecipient, mustSign, type PadesLevel } from "./domain/envelope.ts";
import { inviteRecipients } from "./invite-recipients.ts";
import type { EnvelopeAggregate } from "./load-envelope.ts";
import { updateAwaited, updateSigned } from "./recipient-store.ts";
import { selectOwner, updateEnvelopeRow } from "./store.ts";

export type SignatureRecord = {
  /** The envelope as read under its lock, which the caller holds; its documents at their new revisions. */
  readonly aggregate: EnvelopeAggregate;
  readonly recipientId: string;
  /** When the person agreed: the moment the act was committed. */
  readonly signedAt: Date;
  /** What the signed files reach now; it becomes the envelope's when this signature completes it. */
  readonly level: PadesLevel;
  readonly client: { readonly ip: string | null; readonly userAgent: string | null };
  /** Facts for the journal that name nobody: serial number, hashes of the signed files, method. */
  readonly detail?: Readonly<Record<string, AuditValue>>;
  /** The same of the completion, should this signature complete the envelope. */
  readonly completionDetail?: Readonly<Record<string, AuditValue>>;
  /** Nobody is told of what somebody did alone, with a document of their own. */
  readonly tell?: "nobody";
};

/**
 * Records that one recipient's signature is in the files, in the transaction that stores them: counts it, asks the next in turn, tells the sender, and completes the envelope with the last one.
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
  const aggregate = signedBy(record);
  await commit(trx, platform, {
    aggregate,
    writes: writesOf(trx, platform, { record, decision, aggregate }),
    events: eventsOf({ record, decision, aggregate }),
    tells: record.tell,
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
  // People in copy are told at the end: from then on they may read.
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
    // Whoever has signed has no deadline to hear of; a warning that waits for the morning warns of nothing once all have.
    ...(envelope.deadlineAt === null
      ? []
      : [() => withdrawNotices(trx, platform, { envelopeId, recipientId, only: "deadlines" })]),
    ...(record.tell === "nobody" || completes
      ? []
      : [() => inviteNext(trx, platform, { decision, aggregate })]),
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

async function inviteNext(
  trx: Transaction,
  platform: Platform,
  { decision, aggregate }: Omit<Recording, "record">,
): Promise<void> {
  const { envelope, recipients } = aggregate;
  const next = recipients.filter((recipient) => decision.toInvite.has(recipient.id));
  if (next.length === 0) return;
  const owner = await selectOwner(trx, envelope.ownerId);
  await inviteRecipients(trx, platform, {
    kind: "invitation",
    envelope,
    owner,
    recipients: next,
    actor: SYSTEM_ACTOR,
    occasion: "1",
  });
}
