import { type Result, success } from "@paraphe/contracts";
import type { Platform } from "../../platform/platform.ts";
import { auditActor, changeEnvelope } from "./change-envelope.ts";
import { decideRestore } from "./domain/decisions.ts";
import { awaitedRecipients, type Envelope } from "./domain/envelope.ts";
import type { EnvelopeCommand } from "./domain/viewer.ts";
import { prepareInvitations } from "./invitations.ts";
import { limitAction, mayAskToday } from "./limit-actions.ts";
import { type EnvelopeAggregate, updateEnvelopeRow } from "./store.ts";
import { updateAwaited } from "./recipient-store.ts";

/**
 * Gives a cancelled envelope its former status. The links of an open one work again, and the
 * recipients awaited, who were told of the cancellation, are asked again.
 * Errors: `not_found`, `not_allowed`, `invalid_state` (also once its 10 days are over); `too_many_requests`, `too_many_messages` when people are asked anew.
 */
export async function restoreEnvelope(
  platform: Platform,
  command: EnvelopeCommand,
): Promise<Result<EnvelopeAggregate>> {
  return changeEnvelope(
    platform,
    { command, action: "restore" },
    async (trx, { envelope, recipients }) => {
      const now = platform.clock();
      const status = decideRestore(envelope, now);
      if (!status.ok) return status;
      const isOpen = status.value === "sent" || status.value === "pending";
      const awaited = isOpen ? awaitedRecipients(envelope.flow, recipients) : null;
      const asked = recipients.filter(({ id }) => awaited?.has(id));
      const spent = await mayAskToday({ ...platform, db: trx }, { envelope, recipients: asked });
      if (!spent.ok) return spent;
      // In the transaction: what is refused is not counted.
      const limited =
        awaited === null
          ? success(null)
          : await limitAskingAnew({ ...platform, db: trx }, { envelope, count: awaited.size });
      if (!limited.ok) return limited;
      const actor = auditActor(command.actor);
      const { id: envelopeId } = envelope;
      const restored = {
        id: envelopeId,
        now,
        status: status.value,
        status_before_cancel: null,
        cancelled_at: null,
      };
      const event = {
        envelopeId,
        action: "envelope_restored",
        actor,
        detail: { to: status.value },
      } as const;
      if (awaited === null)
        return success({ writes: [() => updateEnvelopeRow(trx, restored)], events: [event] });
      const invitations = await prepareInvitations(trx, platform, {
        kind: "invitation",
        envelope,
        recipients: asked,
        actor,
        occasion: `restored:${envelope.version}`,
      });
      return success({
        writes: [
          () => updateEnvelopeRow(trx, restored),
          () => updateAwaited(trx, { envelopeId, awaited, invited: awaited, now }),
          ...invitations.writes,
        ],
        events: [event, ...invitations.events],
        notices: invitations.notices,
      });
    },
  );
}

async function limitAskingAnew(
  platform: Parameters<typeof limitAction>[0],
  {
    envelope,
    count,
  }: { readonly envelope: Pick<Envelope, "id" | "ownerId">; readonly count: number },
): Promise<Result<null>> {
  const restored = await limitAction(platform, { kind: "restore", id: envelope.id });
  return restored.ok
    ? limitAction(platform, { kind: "invite", id: envelope.ownerId, count })
    : restored;
}
