import { failure, type Problem, problem, type Result, success } from "@paraphe/contracts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import { judgeRefresh } from "./domain/session-rules.ts";
import { issueTokens, type SessionTokens } from "./open-session.ts";
import { hashToken } from "./secret-token.ts";
import { lockRefreshToken, revokeSession, rotateRefreshToken } from "./session-store.ts";

/**
 * Gives a fresh pair of tokens for a refresh token, which is thereby used up.
 * Errors: `session_expired`; a token used up more than 30 seconds ago ends its whole session.
 */
export async function refreshSession(platform: Platform, refreshToken: string | null): Promise<Result<SessionTokens, Problem>> {
  if (refreshToken === null) return failure(problem("session_expired"));
  const refreshSha256 = hashToken(refreshToken);
  return inTransaction(platform.db, async (trx) => {
    const now = platform.clock();
    const token = await lockRefreshToken(trx, refreshSha256);
    if (!token?.accountOpen || token.session.revokedAt !== null || token.session.expiresAt <= now)
      return failure(problem("session_expired"));
    const worth = judgeRefresh(token, now);
    if (worth === "reused") {
      await revokeSession(trx, { sessionId: token.session.id, now });
      platform.log.warn({ sessionId: token.session.id, userId: token.session.userId }, "a used refresh token came back: session ended");
    }
    if (worth !== "renew") return failure(problem("session_expired"));
    await rotateRefreshToken(trx, { refreshSha256, sessionId: token.session.id, now });
    return success(await issueTokens(trx, platform, token.session));
  });
}
