import type { Result } from "@paraphe/contracts";
import type { Transaction } from "../../platform/database/database.ts";
import type { Platform } from "../../platform/platform.ts";
import { type AuditActor, type AuditValue, SYSTEM_ACTOR } from "../journal/public.ts";
import { loadChanged } from "./change-envelope.ts";
import { commit } from "./commit.ts";
import { decideVisa } from "./domain/decisions.ts";
import { prepareInvitations } from "./invitations.ts";
import { updateAwaited } from "./recipient-store.ts";
import { type EnvelopeAggregate, updateEnvelopeRow } from "./store.ts";

/** An act of whoever has the step, identified and with the envelope locked. */
export type StepAct = {
  readonly aggregate: EnvelopeAggregate;
  readonly recipientId: string;
  readonly actor: AuditActor;
  /** Journal facts without personal data: what was read, and how the person was reached. */
  readonly detail: Readonly<Record<string, AuditValue>>;
};

/** Records a visa and invites whoever follows. Errors: those of `decideVisa`. */
export async function recordVisa(
  trx: Transaction,
  platform: Platform,
  { aggregate, recipientId, actor, detail }: StepAct,
): Promise<Result<EnvelopeAggregate>> {
  const now = platform.clock();
  const decided = decideVisa(aggregate, { recipientId, now });
  if (!decided.ok) return decided;
  const { awaited, toInvite } = decided.value;
  const { envelope, recipients } = aggregate;
  const { id: envelopeId } = envelope;
  const invitations = await prepareInvitations(trx, platform, {
    kind: "invitation",
    envelope,
    recipients: recipients.filter(({ id }) => toInvite.has(id)),
    actor: SYSTEM_ACTOR,
    occasion: "1",
  });
  const answered = { id: recipientId, at: now, status: "approved" } as const;
  await commit(trx, platform, {
    about: aggregate,
    writes: [
      updateAwaited({ envelopeId, awaited, invited: toInvite, now, answered }),
      updateEnvelopeRow({ id: envelopeId, now }),
      ...invitations.writes,
    ],
    events: [
      { envelopeId, action: "visa_given", actor, detail: { ...detail, recipient: recipientId } },
      ...invitations.events,
    ],
    notices: invitations.notices,
  });
  return loadChanged(trx, envelopeId);
}
