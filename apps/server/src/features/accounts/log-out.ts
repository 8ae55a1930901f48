import type { Platform } from "../../platform/platform.ts";
import { hashToken } from "./secret-token.ts";
import { revokeSessionsOf } from "./session-store.ts";

/** Ends the session of these cookies; done already, or never begun, is no error. */
export async function logOut(platform: Platform, tokens: readonly (string | null)[]): Promise<void> {
  const known = tokens.filter((token) => token !== null);
  await revokeSessionsOf(platform.db, { tokens: known.map(hashToken), now: platform.clock() });
}
