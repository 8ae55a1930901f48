import { failure, problem, type Result, success } from "@paraphe/contracts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import { appendEvent, SYSTEM_ACTOR } from "../journal/public.ts";
import { withdrawNotices } from "../notices/public.ts";
import { checkClosable } from "./check-closable.ts";
import { outcomeOf } from "./domain/transitions.ts";
import { lockEnvelope } from "./lock-envelope.ts";
import { notifyExpired } from "./notify-people.ts";
import { updateAwaited } from "./recipient-store.ts";
import { updateEnvelopeRow } from "./store.ts";

const NOBODY: ReadonlySet<string> = new Set();

/**
 * Closes an open envelope whose deadline has passed. May run twice.
 * Errors: `not_found`, `invalid_state` (closed meanwhile, or its deadline is not past), `signature_in_progress`.
 */
export async function expireEnvelope(platform: Platform, envelopeId: string): Promise<Result<null>> {
  return inTransaction(platform.db, async (trx) => {
    const aggregate = await lockEnvelope(trx, envelopeId);
    if (aggregate === null) return failure(problem("not_found"));
    const now = platform.clock();
    const { status, deadlineAt } = aggregate.envelope;
    const outcome = outcomeOf(status, "expire");
    if (!outcome.ok) return outcome;
    if (deadlineAt === null || deadlineAt > now) return failure(problem("invalid_state"));
    const closable = await checkClosable(trx, envelopeId);
    if (!closable.ok) return closable;
    await updateEnvelopeRow(trx, { id: envelopeId, now, status: "expired" });
    await updateAwaited(trx, { envelopeId, awaited: NOBODY, invited: NOBODY, now });
    await appendEvent(trx, platform, {
      envelopeId,
      action: "envelope_expired",
      actor: SYSTEM_ACTOR,
      detail: { deadline_at: deadlineAt.toISOString() },
    });
    await withdrawNotices(trx, platform, { envelopeId });
    await notifyExpired(trx, platform, aggregate);
    return success(null);
  });
}
