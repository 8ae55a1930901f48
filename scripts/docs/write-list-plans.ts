import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { connectDatabase } from "../../apps/server/src/platform/database/database.ts";
import { captureListQueries, type ListReader } from "./capture-list-queries.ts";

/** Those that hold one row or more for each envelope. */
const WHOLE_TABLE =
  /Seq Scan on (envelopes|envelope_search|envelope_inbox|recipients|documents|document_revisions|fields)\b(?! [^\n]*\(never executed\))/;
const RUNS = 7;
const TARGET = join(import.meta.dirname, "../../docs/reference/list-plans.md");

/**
 * Asks PostgreSQL how it runs each query of the lists, and writes it to `docs/reference/list-plans.md`. Gives the questions whose plan reads a
 * whole table of envelopes or of what belongs to them: there must be none.
 */
export async function writeListPlans(url: string, person: ListReader): Promise<readonly string[]> {
  const db = connectDatabase(url, { maxConnections: 2 });
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    const [parts, whole]: [string[], string[]] = [[], []];
    for (const { what, queries } of await captureListQueries(db, person))
      for (const { sql, values } of queries) {
        const explain = `explain (analyze, buffers off, costs off, timing off, summary on) ${sql}`;
        const plan = await quickest(async () =>
          (await client.query<{ readonly "QUERY PLAN": string }>(explain, values)).rows
            .map((row) => row["QUERY PLAN"])
            .join("\n"),
        );
        if (WHOLE_TABLE.test(plan)) whole.push(what);
        parts.push(
          `## ${what}\n\n\`\`\`text\n${shortened(parts.length === 0 ? plan : withoutPage(plan))}\n\`\`\`\n`,
        );
      }
    await writeFile(TARGET, `${introduction()}\n${parts.join("\n")}`);
    return whole;
  } finally {
    await client.end();
    await db.destroy();
  }
}

/** What else the machine does makes a run longer, never shorter. */
async function quickest(explained: () => Promise<string>): Promise<string> {
  const timeOf = (plan: string) => Number(/Execution Time: ([\d.]+)/.exec(plan)?.[1]);
  let best = await explained();
  for (let run = 1; run < RUNS; run += 1) {
    const plan = await explained();
    if (timeOf(plan) < timeOf(best)) best = plan;
  }
  return best;
}

/** Ids and what differs from run to run is noise; how long it took is not. */
function shortened(plan: string): string {
  return plan
    .replaceAll(/'[0-9a-f]{8}-[0-9a-f-]{27}'::uuid/g, "$person")
    .replaceAll(/'\{"?[0-9a-f-]{36}[^}]*\}'::uuid\[\]/g, "$ids")
    .split("\n")
    .filter((line) => !/^\s*(Storage:|Planning Time|Buckets:|Worker \d|Index Searches)/.test(line))
    .join("\n");
}

/** How the ten envelopes of a page get their recipients and fields is the same in every plan, and shown in the first. */
function withoutPage(plan: string): string {
  const kept: string[] = [];
  let cutAt = -1;
  for (const line of plan.split("\n")) {
    const depth = line.search(/\S/);
    if (cutAt >= 0 && (depth > cutAt || /^\s*SubPlan \d/.test(line))) continue;
    cutAt = /^\s*SubPlan \d/.test(line) ? depth : -1;
    if (cutAt < 0) kept.push(line);
  }
  return kept.join("\n");
}

function introduction(): string {
  return [
    "# How the lists are read at 1,000,000 envelopes",
    "",
    "Written by `npm run docs:plans`: a person who sent a million envelopes of every status, with two recipients each among fifty thousand addresses,",
    "and was sent 400. Every plan below is PostgreSQL's own (`EXPLAIN ANALYZE`, the quickest of seven runs); `$person` and `$ids` stand for ids. None reads a whole",
    "table, or the command fails. A search looks at the newest 400 first: when one in sixteen holds what is searched, the list is read in order until 10,001",
    "are met (« never executed » is the way that was not taken), else the index of keys gives them all. The recipients and fields of a page are read the same",
    "way each time: the first plan alone shows it. No message is kept here: whom none has told is looked for in empty tables.",
    "How long the calls take, beside a thousand envelopes in the same run: `npm run bench -- lists`.",
    "",
  ].join("\n");
}
