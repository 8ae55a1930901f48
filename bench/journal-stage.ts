import { type RawBuilder, sql } from "kysely";
import { openPlatform } from "../apps/server/src/platform/open-platform.ts";
import type { Platform } from "../apps/server/src/platform/platform.ts";
import { readSettings } from "../apps/server/src/platform/settings/read-settings.ts";

export const EVENTS_PER_ENVELOPE = 11;
/** Envelopes per statement. */
export const CHUNK = 10_000;
const MB = 2 ** 20;

/** Works on this folder's platform, beside its service if it runs. */
export async function onBenchPlatform<T>(
  dataDir: string,
  work: (platform: Platform) => Promise<T>,
): Promise<T> {
  const { platform, close } = await openPlatform(
    readSettings({ DATA_DIR: dataDir, DATABASE_STATEMENT_S: "3600" }, dataDir),
  );
  return work(platform).finally(close);
}

/**
 * Writes sound journals for envelopes (a query for `id`), of events whose canonical form SQL can
 * write.
 */
export async function insertJournals(
  { db }: Pick<Platform, "db">,
  envelopes: RawBuilder<unknown>,
): Promise<void> {
  await sql`
    with recursive event (envelope_id, sequence, action, hash, previous_hash) as (
      select id, 1, 'envelope_created', sha256(${canonical(sql`'envelope_created'`, sql`id`)}), null::bytea from (${envelopes}) chosen
      union all
      select envelope_id, sequence + 1, next.action, sha256(hash || ${canonical(sql`next.action`, sql`envelope_id`)}), hash
      from event, lateral (select case when sequence = 1 then 'envelope_sent' else 'envelope_updated' end as action) next
      where sequence < ${EVENTS_PER_ENVELOPE}
    )
    insert into audit_events (envelope_id, sequence, at, actor, action, detail, hash, previous_hash)
    select envelope_id, sequence, '2026-11-21T10:00:00Z', 'system', action, '{}', hash, previous_hash from event`.execute(
    db,
  );
}

const canonical = (action: RawBuilder<unknown>, id: RawBuilder<unknown>) => sql`convert_to(
  '{"action":"' || ${action} || '","actor":"system","at":"2026-11-21T10:00:00.000Z","detail":{},"envelope_id":"' || ${id} || '"}', 'UTF8')`;

export async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1_000;
}

/** Gives peak memory above the start, and in all, in MB. */
export function watchMemory(): { stop(): { readonly more: number; readonly most: number } } {
  const before = process.memoryUsage().rss;
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 50);
  return {
    stop() {
      clearInterval(timer);
      return { more: (peak - before) / MB, most: peak / MB };
    },
  };
}
