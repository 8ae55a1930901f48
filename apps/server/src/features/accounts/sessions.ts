import {
  type KeyScope,
  type Problem,
  type ProgramHolder,
  type Result,
  type SessionList,
  type StandingDelegation,
  type User,
  failure,
  problem,
  success,
} from "@paraphe/contracts";
import type { Transaction } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import { selectHost } from "../organisations/public.ts";
import type { Asker } from "./account-deps.ts";
import { accessEnd, checkRefresh, refreshEnd, sessionEnd } from "./domain/limits.ts";
import { deviceName } from "./domain/names.ts";
import type { Standing } from "../organisations/public.ts";
import { hashToken, mintToken } from "./limit-requests.ts";
import {
  findSessionOwner,
  insertSession,
  insertSessionTokens,
  lockRefreshToken,
  type Also,
  type ConfirmedBy,
  type ProviderWord,
  revokeOwnSession,
  revokeSession,
  revokeSessionsOfUser,
  rotateRefreshToken,
  type SessionMeans,
  selectLiveSessions,
  selectLivingSessions,
} from "./session-store.ts";

/**
 * `recipient_key` is `email_key` once confirmed in a session of the account, else null; it matches
 * recipients.
 */
export type SessionUser = Standing & {
  readonly id: string;
  readonly session_id: string;
  readonly username: string;
  readonly email: string;
  readonly email_key: string;
  readonly recipient_key: string | null;
  readonly first_name: string;
  readonly last_name: string;
  readonly full_name: string;
  /** Set when a program calls; `session_id` repeats it. */
  readonly key_id?: string;
  readonly program?: string;
  readonly key_scopes?: readonly KeyScope[];
  /** The team or organisation whose key calls. */
  readonly holder?: ProgramHolder;
  /** What the provider of this session said; absent for the account's own means. */
  readonly provider?: ProviderWord;
  /** Whom this account signs for; absent when nobody. */
  readonly delegations?: readonly StandingDelegation[];
  readonly means: SessionMeans;
  /** From then on only a factor can be added; null when none is missing. */
  readonly second_factor_by: Date | null;
  /** What confirmed the signature under way. */
  readonly confirmed_by?: ConfirmedBy;
};

export async function findSessionUser(
  platform: Platform,
  accessToken: string | null,
  also: Also,
): Promise<{ readonly user: SessionUser; readonly also: unknown } | null> {
  if (accessToken === null || accessToken === "") return null;
  const owner = await findSessionOwner(platform.db, {
    accessSha256: hashToken(accessToken),
    now: platform.clock(),
    also,
  });
  if (owner === null) return null;
  const user = {
    id: owner.id,
    session_id: owner.sessionId,
    username: owner.username,
    email: owner.email,
    email_key: owner.emailKey,
    recipient_key: owner.isAddressConfirmed ? owner.emailKey : null,
    first_name: owner.firstName,
    last_name: owner.lastName,
    full_name: `${owner.firstName} ${owner.lastName}`.trim() || owner.username,
    role: owner.role,
    teams: owner.teams,
    ...(owner.provider !== null && { provider: owner.provider }),
    ...(owner.delegations.length > 0 && { delegations: owner.delegations }),
    means: owner.means,
    second_factor_by: owner.secondFactorBy,
  };
  return { user, also: owner.also };
}

export type SessionTokens = {
  readonly sessionId: string;
  readonly accessToken: string;
  readonly refreshToken: string;
  /** False: cookies end with the browser. */
  readonly remembered: boolean;
  readonly accessEndsAt: Date;
  readonly sessionEndsAt: Date;
};

export type LoggedIn = { readonly user: User; readonly tokens: SessionTokens };

/** Draws a new id and tokens (ASVS 7.2.4); null once closed. */
export async function openSession(
  trx: Transaction,
  platform: Platform,
  session: {
    readonly userId: string;
    readonly remembered: boolean;
    readonly asker: Asker;
    readonly means: SessionMeans;
  },
): Promise<SessionTokens | null> {
  const now = platform.clock();
  const { userId, remembered, asker, means } = session;
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
    means,
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
  const idleHours = (await selectHost(trx))?.access.idleHours ?? null;
  await insertSessionTokens(trx, [
    { sha256: access.sha256, sessionId: session.id, kind: "access", now, expiresAt: accessEndsAt },
    {
      sha256: refresh.sha256,
      sessionId: session.id,
      kind: "refresh",
      now,
      expiresAt: refreshEnd(now, session, idleHours),
    },
  ]);
  return {
    sessionId: session.id,
    accessToken: access.token,
    refreshToken: refresh.token,
    remembered: session.remembered,
    accessEndsAt,
    sessionEndsAt: session.expiresAt,
  };
}

/** Errors: `session_expired`; reuse after 30 seconds ends the session. */
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

/** The last used comes first. An id is no token. */
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

/** Gives the addresses that each may call from; none: from everywhere. */
export async function livingSessions(
  platform: Pick<Platform, "db" | "clock">,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const of = { ids: [...new Set(ids)], now: platform.clock() };
  const living = await selectLivingSessions(platform.db, of);
  return new Map(living.map(({ id, addresses }) => [id, addresses]));
}

/** Errors: `not_found` unless live and one's own. */
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
