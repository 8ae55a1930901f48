import { failure, type Problem, problem, type Result, success } from "@paraphe/contracts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import type { SessionUser } from "./find-session-user.ts";
import { revokeOwnSession, revokeSessionsOfUser } from "./session-store.ts";

/** Ends one of one's own sessions. Errors: `not_found` for another's, an unknown one, and one that has ended. */
export async function endSession(
  platform: Platform,
  end: { readonly user: SessionUser; readonly sessionId: string },
): Promise<Result<void, Problem>> {
  const ended = await revokeOwnSession(platform.db, { userId: end.user.id, sessionId: end.sessionId, now: platform.clock() });
  if (!ended) return failure(problem("not_found"));
  platform.log.info({ userId: end.user.id, sessionId: end.sessionId }, "session ended by its owner");
  return success(undefined);
}

/** Ends all of one's own sessions but the one that asks. */
export async function endOtherSessions(platform: Platform, user: SessionUser): Promise<void> {
  await inTransaction(platform.db, (trx) =>
    revokeSessionsOfUser(trx, { userId: user.id, exceptSessionId: user.session_id, now: platform.clock() }),
  );
  platform.log.info({ userId: user.id }, "other sessions ended by their owner");
}
