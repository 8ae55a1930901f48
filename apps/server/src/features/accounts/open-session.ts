import { failure, type Problem, problem, type Result, success } from "@paraphe/contracts";
import type { Transaction } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import type { Asker } from "./account-deps.ts";
import { accessEnd, checkRefresh, refreshEnd, sessionEnd } from "./domain/limits.ts";
import { hashToken, mintToken } from "./limit-requests.ts";
import {
  insertSession,
  insertSessionTokens,
  lockRefreshToken,
  revokeSession,
  rotateRefreshToken,
} from "./session-store.ts";

export type SessionTokens = {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** False: the cookies go when the browser closes. */
  readonly remembered: boolean;
  readonly accessEndsAt: Date;
  readonly sessionEndsAt: Date;
};

/** A session with fresh id and tokens (ASVS 7.2.4); null when the account was closed meanwhile. */
export async function openSession(
  trx: Transaction,
  platform: Platform,
  session: { readonly userId: string; readonly remembered: boolean; readonly asker: Asker },
): Promise<SessionTokens | null> {
  const now = platform.clock();
  const { userId, remembered, asker } = session;
  const opened = {
    id: platform.newId(),
    userId,
    remembered,
    expiresAt: sessionEnd(now, remembered),
  };
  const inserted = await insertSession(trx, {
    ...opened,
    ip: asker.ip,
    userAgent: asker.userAgent,
    now,
  });
  return inserted ? issueTokens(trx, platform, opened) : null;
}

async function issueTokens(
  trx: Transaction,
  platform: Platform,
  session: { readonly id: string; readonly remembered: boolean; readonly expiresAt: Date },
): Promise<SessionTokens> {
  const now = platform.clock();
  const access = mintToken(platform);
  const refresh = mintToken(platform);
  const accessEndsAt = accessEnd(now, session);
  await insertSessionTokens(trx, [
    { sha256: access.sha256, sessionId: session.id, kind: "access", now, expiresAt: accessEndsAt },
    {
      sha256: refresh.sha256,
      sessionId: session.id,
      kind: "refresh",
      now,
      expiresAt: refreshEnd(now, session),
    },
  ]);
  return {
    accessToken: access.token,
    refreshToken: refresh.token,
    remembered: session.remembered,
    accessEndsAt,
    sessionEndsAt: session.expiresAt,
  };
}

/**
 * Rotates a refresh token.
 * Errors: `session_expired`; reuse after more than 30 seconds ends the whole session.
 */
export async function refreshSession(
  platform: Platform,
  refreshToken: string | null,
): Promise<Result<SessionTokens, Problem>> {
  if (refreshToken === null) return failure(problem("session_expired"));
  const refreshSha256 = hashToken(refreshToken);
  return inTransaction(platform.db, async (trx) => {
    const now = platform.clock();
    const token = await lockRefreshToken(trx, refreshSha256);
    if (!token?.accountOpen || token.session.revokedAt !== null || token.session.expiresAt <= now)
      return failure(problem("session_expired"));
    const worth = checkRefresh(token, now);
    if (worth === "reused") {
      await revokeSession(trx, { sessionId: token.session.id, now });
      platform.log.warn(
        { sessionId: token.session.id, userId: token.session.userId },
        "a used refresh token came back: session ended",
      );
    }
    if (worth !== "renew") return failure(problem("session_expired"));
    await rotateRefreshToken(trx, { refreshSha256, sessionId: token.session.id, now });
    return success(await issueTokens(trx, platform, token.session));
  });
}
