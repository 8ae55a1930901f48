import { type Result, success } from "@paraphe/contracts";
import type { Transaction } from "../../platform/database/database.ts";
import { together } from "../../platform/database/together.ts";
import type { Platform } from "../../platform/platform.ts";
import { appendEvents, type AuditValue, type NewAuditEvent, requestCheckpoint } from "../journal/public.ts";
import { withdrawNotices } from "../notices/public.ts";
import { decideSignature, type SignatureDecision } from "./domain/decisions.ts";
import { type EnvelopeRecipient, mustSign, type PadesLevel } from "./domain/envelope.ts";
import { inviteRecipients } from "./invite-recipients.ts";
import type { EnvelopeAggregate } from "./load-envelope.ts";
import { notifyCompleted, notifySigned } from "./notify-people.ts";
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
export async function recordSignature(trx: Transaction, platform: Platform, record: SignatureRecord): Promise<Result<null>> {
  const { aggregate } = record;
  const decided = decideSignature(aggregate, record.recipientId);
  if (!decided.ok) return decided;
  const decision = decided.value;
  const signer = aggregate.recipients.find((recipient) => recipient.id === record.recipientId) as EnvelopeRecipient;
  await together([
    write(trx, platform, { record, decision, aggregate, signer }),
    record.tell === "nobody"
      ? Promise.resolve()
      : decision.status === "completed"
        ? notifyCompleted(trx, platform, aggregate)
        : askNext(trx, platform, { aggregate, decision, signer, record }),
  ]);
  return success(null);
}

type Writing = {
  readonly record: SignatureRecord;
  readonly decision: SignatureDecision;
  readonly aggregate: EnvelopeAggregate;
  readonly signer: EnvelopeRecipient;
};

async function write(trx: Transaction, platform: Platform, { record, decision, aggregate, signer }: Writing): Promise<void> {
  const now = platform.clock();
  const { envelope, recipients } = aggregate;
  const { status, signedCount, awaited } = decision;
  // People in copy are told at the end: from then on they may read.
  const inCopy = recipients.filter((recipient) => !mustSign(recipient)).map((recipient) => recipient.id);
  const invited = status === "completed" ? new Set(inCopy) : decision.toInvite;
  const signed: NewAuditEvent = {
    envelopeId: envelope.id,
    action: "recipient_signed",
    actor: { kind: "recipient", id: signer.id, name: signer.fullName, ip: record.client.ip, userAgent: record.client.userAgent },
    detail: { ...record.detail, recipient: signer.id, signed: signedCount, total: envelope.signerCount, level: record.level },
  };
  const completed: NewAuditEvent = {
    envelopeId: envelope.id,
    action: "envelope_completed",
    actor: { kind: "system", id: null },
    detail: { ...record.completionDetail, level: record.level },
  };
  await together([
    updateSigned(trx, { recipientId: signer.id, signedAt: record.signedAt }),
    updateAwaited(trx, { envelopeId: envelope.id, awaited, invited, now }),
    updateEnvelopeRow(trx, {
      id: envelope.id,
      now,
      status,
      signed_count: signedCount,
      ...(status === "completed" ? { completed_at: now, level: record.level } : {}),
    }),
    appendEvents(trx, platform, status === "completed" ? [signed, completed] : [signed]),
    // A warning that waits for the morning warns of nothing any more.
    ...(status === "completed"
      ? [withdrawNotices(trx, platform, { envelopeId: envelope.id, only: "warnings" }), requestCheckpoint(trx, platform)]
      : []),
    // Whoever has signed has no deadline to hear of.
    ...(envelope.deadlineAt === null
      ? []
      : [withdrawNotices(trx, platform, { envelopeId: envelope.id, recipientId: signer.id, only: "deadlines" })]),
  ]);
}

type Asking = {
  readonly aggregate: EnvelopeAggregate;
  readonly decision: SignatureDecision;
  readonly signer: EnvelopeRecipient;
  readonly record: SignatureRecord;
};

async function askNext(trx: Transaction, platform: Platform, { aggregate, decision, signer, record }: Asking): Promise<void> {
  const { envelope, recipients } = aggregate;
  const owner = await selectOwner(trx, envelope.ownerId);
  const next = recipients.filter((recipient) => decision.toInvite.has(recipient.id));
  if (next.length > 0) {
    await inviteRecipients(trx, platform, {
      kind: "invitation",
      envelope,
      owner,
      recipients: next,
      actor: { kind: "system", id: null },
      occasion: "1",
    });
  }
  await notifySigned(trx, platform, { envelope, owner, signer, signedAt: record.signedAt, signedCount: decision.signedCount });
}
