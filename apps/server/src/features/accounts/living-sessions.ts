import type { Platform } from "../../platform/platform.ts";
import { selectLivingSessions } from "./session-store.ts";

/** Gives which of these sessions could still be used: not ended, not idle for too long, the account open. */
export async function livingSessions(platform: Pick<Platform, "db" | "clock">, ids: readonly string[]): Promise<ReadonlySet<string>> {
  return new Set(await selectLivingSessions(platform.db, { ids: [...new Set(ids)], now: platform.clock() }));
}
