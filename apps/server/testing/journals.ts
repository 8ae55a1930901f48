import { appendEvents, SYSTEM_ACTOR } from "../src/features/audit/index.ts";
import type { Platform } from "../src/platform/platform.ts";

type JournalPlatform = Pick<Platform, "db" | "clock" | "random" | "newId">;

/** Appends that many events to the journal of an envelope that exists nowhere else. */
export async function writeJournal(platform: JournalPlatform, envelopeId: string, count = 1): Promise<void> {
  const events = Array.from({ length: count }, () => ({ envelopeId, action: "envelope_updated", actor: SYSTEM_ACTOR }) as const);
  await platform.db.transaction().execute((trx) => appendEvents(trx, platform, events));
}

/** Begins that many journals, of an event each; gives their envelopes' ids. */
export async function writeJournals(platform: JournalPlatform, count: number): Promise<readonly string[]> {
  const ids = Array.from({ length: count }, () => platform.newId());
  for (const id of ids) await writeJournal(platform, id);
  return ids;
}
