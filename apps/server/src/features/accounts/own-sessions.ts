import {
  failure,
  type Problem,
  problem,
  type Result,
  type SessionList,
  success,
} from "@paraphe/contracts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import { deviceName } from "./domain/names.ts";
import type { SessionUser } from "./find-session-user.ts";
import {
  revokeOwnSession,
  revokeSessionsOfUser,
  selectLiveSessions,
  selectLivingSessions,
} from "./session-store.ts";

/** Live sessions, the last used first. A session's id is not its token. */
export async function listSessions(platform: Platform, user: SessionUser): Promise<SessionList> {
  const sessions = await selectLiveSessions(platform.db, {
    userId: user.id,
    now: platform.clock(),
  });
  return {
    results: sessions.map((session) => ({
      id: session.id,
      current: session.id === user.session_id,
      created_at: session.createdAt.toISOString(),
      last_used_at: session.lastUsedAt.toISOString(),
      remember_me: session.remembered,
      device: deviceName(session.userAgent ?? ""),
      ip: session.ip,
    })),
  };
}

/** Of these sessions, those that are usable. */
export async function livingSessions(
  platform: Pick<Platform, "db" | "clock">,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  return new Set(
    await selectLivingSessions(platform.db, { ids: [...new Set(ids)], now: platform.clock() }),
  );
}

/** Errors: `not_found` for another's, unknown or ended session. */
export async function endSession(
  platform: Platform,
  end: { readonly user: SessionUser; readonly sessionId: string },
): Promise<Result<void, Problem>> {
  const ended = await revokeOwnSession(platform.db, {
    userId: end.user.id,
    sessionId: end.sessionId,
    now: platform.clock(),
  });
  if (!ended) return failure(problem("not_found"));
  platform.log.info(
    { userId: end.user.id, sessionId: end.sessionId },
    "session ended by its owner",
  );
  return success(undefined);
}

export async function endOtherSessions(platform: Platform, user: SessionUser): Promise<void> {
  await inTransaction(platform.db, (trx) =>
    revokeSessionsOfUser(trx, {
      userId: user.id,
      exceptSessionId: user.session_id,
      now: platform.clock(),
    }),
  );
  platform.log.info({ userId: user.id }, "other sessions ended by their owner");
}
