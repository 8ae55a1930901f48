import { type Result, success } from "@paraphe/contracts";
import type { Transaction } from "../../platform/database/database.ts";
import { inTransaction, type WriteStep } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import {
  type AuditActor,
  type AuditValue,
  type NewAuditEvent,
  requestCheckpoint,
  SYSTEM_ACTOR,
} from "../journal/public.ts";
import type { Notice } from "../notices/public.ts";
import { actingFacts, commit, commitWithoutMessages, type Decision } from "./commit.ts";
import { decideSignature, type SignatureDecision } from "./domain/decisions.ts";
import {
  type EnvelopeRecipient,
  mustAct,
  type PadesLevel,
  type Delegate,
} from "./domain/envelope.ts";
import { prepareInvitations } from "./invitations.ts";
import { type EnvelopeAggregate, updateEnvelopeRow, lockEnvelope } from "./store.ts";
import { updateAwaited, deleteWaitingActs, updateViewed } from "./recipient-store.ts";

export type SignatureRecord = {
  /** The locked envelope, with the new revisions. */
  readonly aggregate: EnvelopeAggregate;
  readonly recipientId: string;
  readonly signedAt: Date;
  /** Level of the signed files, and of the envelope once complete. */
  readonly level: PadesLevel;
  readonly client: { readonly ip: string | null; readonly userAgent: string | null };
  /** Serial number, file hashes and method, without personal data. */
  readonly detail?: Readonly<Record<string, AuditValue>>;
  readonly completionDetail?: Readonly<Record<string, AuditValue>>;
  readonly messages?: "none";
  readonly notices?: readonly Notice[];
  /** Rows that make the signature, written first. */
  readonly writes: readonly WriteStep[];
};

/**
 * Counts the signature in the transaction that stores the signed files, invites the next, informs
 * the sender, and completes after the last.
 * Errors: `invalid_state`, `already_signed`.
 */
export async function recordSignature(
  trx: Transaction,
  platform: Platform,
  record: SignatureRecord,
): Promise<Result<null>> {
  const decided = decideSignature(record.aggregate, record.recipientId);
  if (!decided.ok) return decided;
  const decision = decided.value;
  const recording = { record, decision, aggregate: withSignature(record) };
  const { envelope, recipients } = recording.aggregate;
  if (record.messages === "none") {
    const { ownerId } = envelope;
    const own = {
      ownerId,
      writes: writesOf(trx, platform, recording),
      events: eventsOf(recording),
    };
    await commitWithoutMessages(trx, platform, own);
    return success(null);
  }
  const invitations = await prepareInvitations(trx, platform, {
    kind: "invitation",
    envelope,
    people: record.aggregate.people,
    isMarked: true,
    recipients:
      decision.status === "completed"
        ? []
        : recipients.filter(({ id }) => decision.toInvite.has(id)),
    actor: SYSTEM_ACTOR,
    // A step sent back comes to its next holder again.
    occasion: `turn:${envelope.version}`,
  });
  await commit(trx, platform, {
    about: recording.aggregate,
    writes: [...writesOf(trx, platform, recording), ...invitations.writes],
    events: [...eventsOf(recording), ...invitations.events],
    notices: [...invitations.notices, ...(record.notices ?? [])],
  });
  return success(null);
}

type Recording = {
  readonly record: SignatureRecord;
  readonly decision: SignatureDecision;
  readonly aggregate: EnvelopeAggregate;
};

function withSignature({ aggregate, recipientId, signedAt }: SignatureRecord): EnvelopeAggregate {
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
): readonly WriteStep[] {
  const now = platform.clock();
  const { envelope, recipients } = aggregate;
  const { status, signedCount, awaited } = decision;
  const completes = status === "completed";
  const { id: envelopeId } = envelope;
  const answered = { id: record.recipientId, at: record.signedAt, status: "signed" } as const;
  const invited = completes
    ? new Set(recipients.filter((one) => !mustAct(one)).map(({ id }) => id))
    : decision.toInvite;
  const completion = completes ? { completed_at: now, level: record.level } : {};
  return [
    ...(completes ? [() => requestCheckpoint(trx, platform)] : []),
    ...record.writes,
    updateAwaited({
      envelopeId,
      awaited,
      invited,
      now,
      answered,
      ...(completes ? {} : { asked: envelope }),
    }),
    updateEnvelopeRow({
      id: envelopeId,
      now,
      status,
      signed_count: signedCount,
      ...completion,
    }),
  ];
}

function eventsOf({
  record,
  decision,
  aggregate: { envelope, recipients },
}: Recording): readonly NewAuditEvent[] {
  const { recipientId, client, level } = record;
  const signer = recipients.find(({ id }) => id === recipientId) as EnvelopeRecipient;
  const { name, detail: delegated, ...facts } = actingFacts(signer, signer.delegate);
  const signed: NewAuditEvent = {
    envelopeId: envelope.id,
    action: "recipient_signed",
    ...facts,
    actor: {
      kind: "recipient",
      id: recipientId,
      name,
      ip: client.ip,
      userAgent: client.userAgent,
    },
    detail: {
      ...record.detail,
      ...delegated,
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
 * Voids consents of a locked envelope without a signature, with an event for each. A running
 * sealing finds its act gone and commits nothing.
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

export type View = {
  readonly envelopeId: string;
  readonly recipientId: string;
  readonly client: { readonly ip: string; readonly userAgent: string };
  readonly delegate?: Delegate | undefined;
};

export async function recordView(platform: Platform, view: View): Promise<void> {
  await inTransaction(platform.db, async (trx) => {
    const aggregate = await lockEnvelope(trx, view.envelopeId);
    const recipient = aggregate?.recipients.find((candidate) => candidate.id === view.recipientId);
    if (aggregate !== null && recipient?.viewedAt === null)
      await commit(trx, platform, {
        about: aggregate,
        ...decideView(platform, { ...view, recipient }),
      });
  });
}

export function decideView(
  platform: Pick<Platform, "clock">,
  {
    envelopeId,
    recipient,
    client,
    delegate,
  }: Omit<View, "recipientId"> & { readonly recipient: EnvelopeRecipient },
): Decision {
  const { ip, userAgent } = client;
  const { id } = recipient;
  const { name, ...facts } = actingFacts(recipient, delegate);
  const now = platform.clock();
  return {
    writes: [updateViewed({ recipientId: id, now })],
    events: [
      {
        envelopeId,
        action: "recipient_viewed",
        actor: { kind: "recipient", id, name, ip, userAgent },
        ...facts,
      },
    ],
  };
}
