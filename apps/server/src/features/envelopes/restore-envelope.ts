import { type Result, success } from "@paraphe/contracts";
import type { Platform } from "../../platform/platform.ts";
import { appendEvent } from "../journal/public.ts";
import { auditActor, changeEnvelope } from "./change-envelope.ts";
import { decideRestore } from "./domain/decisions.ts";
import { awaitedRecipients, type Envelope } from "./domain/envelope.ts";
import type { EnvelopeCommand } from "./domain/viewer.ts";
import { inviteRecipients } from "./invite-recipients.ts";
import { limitAction, mayAskToday } from "./limit-actions.ts";
import type { EnvelopeAggregate } from "./load-envelope.ts";
import { updateAwaited } from "./recipient-store.ts";
import { selectOwner, updateEnvelopeRow } from "./store.ts";

/**
 * Gives a cancelled envelope the status it had. The links of an open one work again, and those awaited, who were told that it was cancelled, are asked anew.
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
      await updateEnvelopeRow(trx, {
        id: envelope.id,
        now,
        status: status.value,
        status_before_cancel: null,
        cancelled_at: null,
      });
      await appendEvent(trx, platform, {
        envelopeId: envelope.id,
        action: "envelope_restored",
        actor,
        detail: { to: status.value },
      });
      if (awaited === null) return success(null);
      await updateAwaited(trx, { envelopeId: envelope.id, awaited, invited: awaited, now });
      await inviteRecipients(trx, platform, {
        kind: "invitation",
        envelope,
        owner: await selectOwner(trx, envelope.ownerId),
        recipients: asked,
        actor,
        occasion: `restored:${envelope.version}`,
      });
      return success(null);
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
