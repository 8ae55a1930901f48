import type { SessionList } from "@paraphe/contracts";
import type { Platform } from "../../platform/platform.ts";
import { deviceName } from "./domain/device-name.ts";
import type { SessionUser } from "./find-session-user.ts";
import { selectLiveSessions } from "./session-store.ts";

/** Gives the sessions of whoever is signed in that still live, the last used first. A session's id is not its token: it opens nothing. */
export async function listSessions(platform: Platform, user: SessionUser): Promise<SessionList> {
  const sessions = await selectLiveSessions(platform.db, { userId: user.id, now: platform.clock() });
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
