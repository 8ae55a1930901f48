import type { Transaction } from "../../platform/database/database.ts";
import type { Platform } from "../../platform/platform.ts";
import type { Asker } from "./account-deps.ts";
import { accessEnd, refreshEnd, sessionEnd } from "./domain/session-rules.ts";
import { mintToken } from "./secret-token.ts";
import { insertSession, insertSessionTokens } from "./session-store.ts";

/** The two cookies of a session, and how long the browser keeps them. */
export type SessionTokens = {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** False: both go when the browser is closed. */
  readonly remembered: boolean;
  readonly accessEndsAt: Date;
  readonly sessionEndsAt: Date;
};

/** Opens a session of an account, under an id and tokens that nobody knew before (ASVS 7.2.4); null when the account was closed meanwhile. */
export async function openSession(
  trx: Transaction,
  platform: Platform,
  session: { readonly userId: string; readonly remembered: boolean; readonly asker: Asker },
): Promise<SessionTokens | null> {
  const now = platform.clock();
  const { userId, remembered, asker } = session;
  const opened = { id: platform.newId(), userId, remembered, expiresAt: sessionEnd(now, remembered) };
  const inserted = await insertSession(trx, { ...opened, ip: asker.ip, userAgent: asker.userAgent, now });
  return inserted ? issueTokens(trx, platform, opened) : null;
}

/** Adds a fresh pair of tokens to a session. */
export async function issueTokens(
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
    { sha256: refresh.sha256, sessionId: session.id, kind: "refresh", now, expiresAt: refreshEnd(now, session) },
  ]);
  return {
    accessToken: access.token,
    refreshToken: refresh.token,
    remembered: session.remembered,
    accessEndsAt,
    sessionEndsAt: session.expiresAt,
  };
}
