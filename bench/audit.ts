import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { createTransparency, readInclusion } from "../apps/server/src/features/transparency/index.ts";
import { createTrust } from "../apps/server/src/features/trust/index.ts";
import { openPlatform } from "../apps/server/src/platform/open-platform.ts";
import type { Platform } from "../apps/server/src/platform/platform.ts";
import { readSettings } from "../apps/server/src/platform/settings/read-settings.ts";
import { checkHeads, checkJournals } from "../scripts/audit/check-journals.ts";
import { checkLog } from "../scripts/audit/check-log.ts";
import { createStatedFault } from "../scripts/audit/stated-fault.ts";
import { percentile } from "./percentile.ts";
import type { BenchRow } from "./row.ts";

/** `AUDIT_SIZE`: fewer events, to try the bench itself. */
const EVENTS = Number(process.env["AUDIT_SIZE"] ?? 1_000_000);
const EVENTS_PER_ENVELOPE = 10;
const CHUNK = 10_000;
const PROOFS = 200;
const MB = 2 ** 20;

/** The journals and the log at a million events: what `npm run audit -- check` reads in a second, in which memory; a checkpoint of all of it; one proof. */
export async function benchAudit(): Promise<BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), "paraphe-bench-"));
  const { platform, close } = await openPlatform(readSettings({ DATA_DIR: folder }, folder));
  try {
    await fillJournals(platform);
    const trust = await createTrust(platform);
    const transparency = createTransparency({ platform, trust });
    const checkpointS = await secondsOf(transparency.checkpoint);
    const proofMs = await proofTimes(platform);
    const watch = watchMemory();
    const journals = await checkJournals(platform);
    const heads = await checkHeads(platform);
    const log = await checkLog(platform, { statedFault: createStatedFault(await trust.evidence()), copies: null });
    const peakMb = watch.stop();
    const outcomes = [journals, heads, ...log];
    if (outcomes.some(({ faultCount }) => faultCount > 0) || journals.checked !== EVENTS)
      throw new Error("the audit found faults in what the bench made");
    const seconds = outcomes.reduce((sum, outcome) => sum + outcome.seconds, 0);
    const name = `${EVENTS.toLocaleString("en")} events of ${(EVENTS / EVENTS_PER_ENVELOPE).toLocaleString("en")} envelopes`;
    const row = (what: string, value: number, unit: string): BenchRow => ({ part: "audit", what, value, unit, goal: null });
    return [
      row(`events of the journals checked, ${name}`, journals.checked / journals.seconds, "/s"),
      row(`the whole check of the same, files apart`, seconds, "s"),
      row(`memory that it takes beside what the process held`, peakMb, "MB"),
      row(`first checkpoint of the same`, checkpointS, "s"),
      row(`proof of one of its journals, median`, percentile(proofMs, 0.5), "ms"),
    ];
  } finally {
    await close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Events of the service itself, whose canonical form SQL can write: the chains are sound, and are checked as such. */
async function fillJournals({ db }: Platform): Promise<void> {
  const envelopes = EVENTS / EVENTS_PER_ENVELOPE;
  for (let made = 0; made < envelopes; made += CHUNK) {
    await sql`
      with recursive event (envelope_id, sequence, canonical, hash, previous_hash) as (
        select id, 1, text, sha256(convert_to(text, 'UTF8')), null::bytea from (
          select id, '{"action":"envelope_updated","actor":"system","at":"2026-11-21T10:00:00.000Z","detail":{},"envelope_id":"' || id || '"}' as text
          from (select gen_random_uuid() as id from generate_series(1, ${Math.min(CHUNK, envelopes - made)})) made
        ) first
        union all
        select envelope_id, sequence + 1, canonical, sha256(hash || convert_to(canonical, 'UTF8')), hash from event where sequence < ${EVENTS_PER_ENVELOPE}
      )
      insert into audit_events (envelope_id, sequence, at, actor, action, detail, hash, previous_hash)
      select envelope_id, sequence, '2026-11-21T10:00:00Z', 'system', 'envelope_updated', '{}', hash, previous_hash from event`.execute(db);
  }
  console.log(`… ${EVENTS.toLocaleString("en")} events made`);
}

async function proofTimes({ db }: Platform): Promise<number[]> {
  const { rows } = await sql<{ id: string }>`select envelope_id as id from transparency_leaves order by head limit ${PROOFS}`.execute(db);
  const times: number[] = [];
  for (const { id } of rows) times.push(1_000 * (await secondsOf(() => readInclusion(db, id))));
  return times;
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1_000;
}

/** Gives how much more memory than at its start this process held at most, in MB. */
function watchMemory(): { stop(): number } {
  const before = process.memoryUsage().rss;
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 50);
  return {
    stop() {
      clearInterval(timer);
      return (peak - before) / MB;
    },
  };
}
