import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ApiClient } from "../tests/support/api-client.ts";
import { openDatabase } from "../tests/support/open-database.ts";
import { startMailServer } from "../tests/support/start-mail-server.ts";
import { startServer } from "../tests/support/start-server.ts";
import * as story from "../tests/support/story.ts";
import type { BenchRow } from "./figures.ts";
import { samplePdf } from "./sample-files.ts";

const WARM_UP = 3;
const ENVELOPES = 30;
const PERSON = {
  username: "banc",
  email: "banc@exemple.fr",
  firstName: "Basile",
  lastName: "Étalon",
};
/** Work that a call leaves behind (mails, jobs) ends within this time and counts as the call's. */
const AFTERWARDS_MS = 400;
const IDLE_MS = 20_000;
const OWN = "banc-statements";
/** Without a pause between calls the service's own statements hardly count. */
const WHOLE = "whole";
const CALLS = ["create", "send", "send_otp", "verify_otp", "guest", "sign"] as const;
type Call = (typeof CALLS)[number];
type Counted = Call | typeof WHOLE | "idle";
type Counting = <T>(what: Counted, work: () => Promise<T>) => Promise<T>;
const uncounted: Counting = (_what, work) => work();

/**
 * Statements for one envelope of one guest, from PostgreSQL's own log, a row a call.
 * `STATEMENTS=<file>` stores those of the last envelope.
 */
export async function benchStatements(): Promise<BenchRow[]> {
  const mails = await startMailServer();
  const server = await startServer({ env: { SMTP_URL: mails.url, RATE_LIMITS: "off" } });
  const world = { url: server.url, mails };
  const pdf = await samplePdf();
  const database = await openDatabase(server.dataDir);
  try {
    await story.registerPerson(world, PERSON);
    const sender = await story.logIn(server.url, PERSON.username);
    const counts = new Map<Counted, Count>();
    await database.query(`set application_name = '${OWN}'`);
    for (const setting of [
      "log_line_prefix = '%a|%v|%x|'",
      "log_statement = 'all'",
      "log_parameter_max_length = 0",
    ])
      await database.query(`alter system set ${setting}`);
    await database.query("select pg_reload_conf()");
    let dump = "";
    const counting: Counting = async (call, work) => {
      const startedAt = performance.now();
      const before = (await readLog(server.dataDir)).length;
      const result = await work();
      await sleep(AFTERWARDS_MS);
      const lines = parseLog((await readLog(server.dataDir)).slice(before));
      const count = counts.get(call) ?? { statements: 0, transactions: 0, seconds: 0 };
      count.seconds += (performance.now() - startedAt) / 1_000;
      count.statements += lines.length;
      count.transactions += new Set(lines.map(({ transaction }) => transaction)).size;
      counts.set(call, count);
      dump += `\n=== ${call}\n${lines.map(({ transaction, text }) => `${transaction}  ${text}`).join("\n")}\n`;
      return result;
    };
    let number = 0;
    const complete = async (count: Counting) => {
      number += 1;
      dump = "";
      await completeEnvelope(world, { sender, pdf, number, count });
    };
    for (let index = 0; index < WARM_UP; index += 1) await complete(uncounted);
    for (let index = 0; index < ENVELOPES; index += 1) await complete(counting);
    if (process.env["STATEMENTS"]) await writeFile(process.env["STATEMENTS"], dump);
    await counting(WHOLE, async () => {
      for (let index = 0; index < ENVELOPES; index += 1) await complete(uncounted);
    });
    await counting("idle", () => sleep(IDLE_MS));
    return rowsOf(counts);
  } finally {
    await database.close();
    await server.close();
    await mails.close();
  }
}

type Envelope = {
  readonly sender: ApiClient;
  readonly pdf: Uint8Array;
  readonly number: number;
  readonly count: Counting;
};

async function completeEnvelope(
  world: story.World,
  { sender, pdf, number, count }: Envelope,
): Promise<void> {
  const guest = { email: `invite-${number}@exemple.fr`, full_name: "Maëlys Œuvrard" };
  const { id } = await count("create", () =>
    story.createEnvelope(sender, { title: "Banc", pdf, guests: [guest], lastPage: 1 }),
  );
  await count("send", () => story.sendEnvelope(sender, id));
  const visit = await story.openInvitation(world, guest, id);
  const otp = await count("send_otp", () => story.receiveCode(world, visit));
  await count("verify_otp", () =>
    visit.client.post(`${visit.path}/verify_otp/`, { json: { otp } }),
  );
  const shown = await count("guest", () => visit.client.get(`${visit.path}/guest/`));
  const json = { fields: valuesOf(shown.json), signature: story.DRAWN, consent: true };
  await count("sign", async () =>
    story.expectStatus(await visit.client.post(`${visit.path}/sign/`, { json }), 200, "sign"),
  );
  visit.client.close();
}

type Count = { statements: number; transactions: number; seconds: number };

const NONE: Count = { statements: 0, transactions: 0, seconds: 0 };

function rowsOf(counts: ReadonlyMap<Counted, Count>): BenchRow[] {
  const idle = counts.get("idle") ?? NONE;
  const of = (call: Counted, which: "statements" | "transactions") => {
    const count = counts.get(call) ?? NONE;
    return (count[which] - (idle[which] / idle.seconds) * count.seconds) / ENVELOPES;
  };
  const row = (what: string, value: number, atMost?: number): BenchRow => ({
    part: "statements",
    what,
    value,
    unit: "",
    goal: atMost === undefined ? null : { atMost },
  });
  return [
    row("statements of a one-guest envelope", of(WHOLE, "statements"), 40),
    row("transactions of a one-guest envelope", of(WHOLE, "transactions"), 16),
    row("statements a second without any call", idle.statements / idle.seconds),
    ...CALLS.flatMap((call) => [
      row(`${call}, statements`, of(call, "statements")),
      row(`${call}, transactions`, of(call, "transactions")),
    ]),
  ];
}

function valuesOf({
  fields,
}: {
  readonly fields: readonly { readonly id: string; readonly own: boolean; readonly type: string }[];
}) {
  return fields
    .filter(({ own, type }) => own && type === "name")
    .map(({ id }) => ({ id, value: "Maëlys Œuvrard" }));
}

const readLog = (dataDir: string) => readFile(join(dataDir, "postgresql.log"), "utf8");

type Line = { readonly transaction: string; readonly text: string };

/** `begin` and `commit` are the transaction's, not statements of their own. */
function parseLog(text: string): readonly Line[] {
  return text.split(/^(?=[^|\n]*\|\d+\/\d+\|)/m).flatMap((entry) => {
    const [application, transaction = "", , ...rest] = entry.split("|");
    const statement = /(?:statement|execute [^:]*): ([\s\S]*)/.exec(rest.join("|"))?.[1]?.trim();
    if (statement === undefined || application === OWN) return [];
    if (/^(begin|commit|rollback|start transaction)\b/i.test(statement)) return [];
    return [{ transaction, text: statement.replaceAll(/\s+/g, " ") }];
  });
}
