import { failure, problem, type Result, success } from "@paraphe/contracts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import { appendEvent } from "../journal/public.ts";
import { withdrawNotices } from "../notices/public.ts";
import { checkClosable } from "./check-closable.ts";
import { decideDecline } from "./domain/decide-decline.ts";
import { type EnvelopeAggregate, loadEnvelope } from "./load-envelope.ts";
import { lockEnvelope } from "./lock-envelope.ts";
import { notifyDeclined } from "./notify-people.ts";
import { updateAwaited, updateDeclined } from "./recipient-store.ts";
import { updateEnvelopeRow } from "./store.ts";

/** Who may decline was settled by the caller: a guest whose code is confirmed, or a signed-in recipient. */
export type DeclineRequest = {
  readonly envelopeId: string;
  readonly recipientId: string;
  readonly reason: string;
  readonly client: { readonly ip: string; readonly userAgent: string };
};

const NOBODY: ReadonlySet<string> = new Set();

/**
 * Closes an open envelope because a recipient refuses to sign; the sender is told.
 * Errors: `not_found`, `already_signed`, `invalid_state`, `deadline_passed`, `not_your_turn`, `signature_in_progress`.
 */
export async function declineEnvelope(platform: Platform, request: DeclineRequest): Promise<Result<EnvelopeAggregate>> {
  return inTransaction(platform.db, async (trx) => {
    const aggregate = await lockEnvelope(trx, request.envelopeId);
    if (aggregate === null) return failure(problem("not_found"));
    const now = platform.clock();
    const recipient = decideDecline(aggregate, { recipientId: request.recipientId, now });
    if (!recipient.ok) return recipient;
    const closable = await checkClosable(trx, request.envelopeId);
    if (!closable.ok) return closable;
    await updateDeclined(trx, { recipientId: request.recipientId, reason: request.reason, now });
    await updateAwaited(trx, { envelopeId: request.envelopeId, awaited: NOBODY, invited: NOBODY, now });
    await updateEnvelopeRow(trx, { id: request.envelopeId, now, status: "declined" });
    await appendEvent(trx, platform, {
      envelopeId: request.envelopeId,
      action: "envelope_declined",
      actor: {
        kind: "recipient",
        id: request.recipientId,
        name: recipient.value.fullName,
        ip: request.client.ip,
        userAgent: request.client.userAgent,
      },
      personal: { reason: request.reason },
    });
    await withdrawNotices(trx, platform, { envelopeId: request.envelopeId });
    await notifyDeclined(trx, platform, { aggregate, recipient: recipient.value, reason: request.reason });
    const after = await loadEnvelope(trx, request.envelopeId);
    return after === null ? failure(problem("not_found")) : success(after);
  });
}
