import type { Platform } from "../../platform/platform.ts";
import { hashToken } from "./secret-token.ts";
import { findLiveSession } from "./session-store.ts";

/** Gives the session of these cookies, or null when it has ended or there is none. */
export async function findSessionId(
  platform: Pick<Platform, "db" | "clock">,
  cookies: { readonly accessToken: string | null; readonly refreshToken: string | null },
): Promise<string | null> {
  const tokens = [cookies.accessToken, cookies.refreshToken].flatMap((token) => (token ? [hashToken(token)] : []));
  return findLiveSession(platform.db, { tokens, now: platform.clock() });
}
