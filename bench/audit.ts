import { sql } from "kysely";
import { createTransparency, readInclusion } from "../apps/server/src/features/transparency/index.ts";
import { createTrust } from "../apps/server/src/features/trust/index.ts";
import type { Platform } from "../apps/server/src/platform/platform.ts";
import { checkHeads, checkJournals } from "../apps/cli/src/audit/check-journals.ts";
import { checkLog } from "../apps/cli/src/audit/check-log.ts";
import { createStatedFault } from "../apps/cli/src/audit/stated-fault.ts";
import { CHUNK, EVENTS_PER_ENVELOPE, insertJournals, secondsOf, watchMemory, withBenchPlatform } from "./journal-stage.ts";
import { percentile } from "./percentile.ts";
import type { BenchRow } from "./row.ts";

/** `AUDIT_SIZE`: fewer events, to try the bench itself. */
const EVENTS = Number(process.env["AUDIT_SIZE"] ?? 1_000_000);
const ENVELOPES = EVENTS / EVENTS_PER_ENVELOPE;
const PROOFS = 200;

/** The journals and the log at a million events: what `paraphe audit check` reads in a second, in which memory; a checkpoint of all of it; one proof. */
export function benchAudit(): Promise<BenchRow[]> {
  return withBenchPlatform(async (platform) => {
    for (let made = 0; made < ENVELOPES; made += CHUNK)
      await insertJournals(platform, sql`select gen_random_uuid() as id from generate_series(1, ${Math.min(CHUNK, ENVELOPES - made)})`);
    console.log(`… ${EVENTS.toLocaleString("en")} events made`);
    const trust = await createTrust(platform);
    const checkpointS = await secondsOf(createTransparency({ platform, trust }).checkpoint);
    const proofMs = await proofTimes(platform);
    const watch = watchMemory();
    const journals = await checkJournals(platform);
    const heads = await checkHeads(platform);
    const log = await checkLog(platform, { statedFault: createStatedFault(await trust.evidence()), copies: null });
    const peakMb = watch.stop().more;
    const outcomes = [journals, heads, ...log];
    if (outcomes.some(({ faultCount }) => faultCount > 0) || journals.checked !== EVENTS)
      throw new Error("the audit found faults in what the bench made");
    const seconds = outcomes.reduce((sum, outcome) => sum + outcome.seconds, 0);
    const name = `${EVENTS.toLocaleString("en")} events of ${ENVELOPES.toLocaleString("en")} envelopes`;
    const row = (what: string, value: number, unit: string): BenchRow => ({ part: "audit", what, value, unit, goal: null });
    return [
      row(`events of the journals checked, ${name}`, journals.checked / journals.seconds, "/s"),
      row("the whole check of the same, files apart", seconds, "s"),
      row("memory that it takes beside what the process held", peakMb, "MB"),
      row("first checkpoint of the same", checkpointS, "s"),
      row("proof of one of its journals, median", percentile(proofMs, 0.5), "ms"),
    ];
  });
}

async function proofTimes({ db }: Platform): Promise<number[]> {
  const { rows } = await sql<{ id: string }>`select envelope_id as id from transparency_leaves order by head limit ${PROOFS}`.execute(db);
  const times: number[] = [];
  for (const { id } of rows) times.push(1_000 * (await secondsOf(() => readInclusion(db, id))));
  return times;
}
