import { writeTogether } from "../src/platform/database/in-transaction.ts";
import { sql } from "kysely";
import { appendEvents, SYSTEM_ACTOR } from "../src/features/journal/public.ts";
import type { Platform } from "../src/platform/platform.ts";

type JournalPlatform = Pick<Platform, "db" | "clock" | "random" | "newId">;

/** Writes a journal for an envelope that exists nowhere else. */
export async function writeJournal(
  platform: JournalPlatform,
  envelopeId: string,
  count = 1,
): Promise<void> {
  const events = Array.from(
    { length: count },
    () => ({ envelopeId, action: "envelope_updated", actor: SYSTEM_ACTOR }) as const,
  );
  await platform.db
    .transaction()
    .execute((trx) => writeTogether(trx, [appendEvents(platform, events)]));
}

/** Writes one event each; gives the envelopes' ids. */
export async function writeJournals(
  platform: JournalPlatform,
  count: number,
): Promise<readonly string[]> {
  const ids = Array.from({ length: count }, () => platform.newId());
  for (const id of ids) await writeJournal(platform, id);
  return ids;
}

/** Writes heads for the log only: the hashes are arbitrary. */
export async function writeHeads(platform: Pick<Platform, "db">, count: number): Promise<void> {
  await sql`
    insert into audit_events (envelope_id, sequence, at, actor, action, detail, hash)
    select gen_random_uuid(), 1, now(), 'system', 'envelope_created', '{}', sha256(n::text::bytea) from generate_series(1, ${count}::int) n`.execute(
    platform.db,
  );
}
