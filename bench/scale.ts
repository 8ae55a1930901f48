import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RawBuilder, sql } from "kysely";
import { runBackup } from "../apps/cli/src/backup/run-backup.ts";
import { verifyChanged, verifyStore } from "../apps/cli/src/store/run-verify-store.ts";
import type { StoreOutcome } from "../apps/cli/src/store/store-outcome.ts";
import { sweepFiles } from "../apps/server/src/features/documents/jobs.ts";
import { createTransparency, readLog } from "../apps/server/src/features/journal/public.ts";
import { createTrust } from "../apps/server/src/features/trust/public.ts";
import { openPlatform } from "../apps/server/src/platform/open-platform.ts";
import type { Platform } from "../apps/server/src/platform/platform.ts";
import { readSettings } from "../apps/server/src/platform/settings/read-settings.ts";
import { openDatabase } from "../tests/support/open-database.ts";
import { startMailServer } from "../tests/support/start-mail-server.ts";
import { type RunningServer, startServer } from "../tests/support/start-server.ts";
import * as story from "../tests/support/story.ts";
import { type BenchRow, percentile } from "./figures.ts";
import { fillLists, say } from "./lists.ts";
import { samplePdf } from "./sample-files.ts";

/** `SCALE_SIZE`: a smaller size for a trial. */
const SIZES = [10_000, Number(process.env["SCALE_SIZE"] ?? 1_000_000)] as const;
const [SMALL, LARGE] = SIZES;
const CALLS = 60;
const WARM_UP = 10;
const PROOFS = 200;
const FILES_AT_ONCE = 64;
const SAID_EACH = 100_000;
/** Files for one night's sweep: they depend on the day, not on the size. */
const LOOSE = 1_000;
const CHANGED = 1_000;
/** A larger service has deeper indexes and a colder cache. */
const CALL_RATIO = 1.5;
const LINEAR_RATIO = 1.1;
const ENVELOPES = "/api/signature/envelopes/";

type Mails = Awaited<ReturnType<typeof startMailServer>>;
type Client = Awaited<ReturnType<typeof story.logIn>>;
type Service = {
  readonly size: number;
  readonly server: RunningServer;
  readonly username: string;
  readonly checkpointS: number;
};
type Call = (of: {
  readonly client: Client;
  readonly world: story.World;
  readonly size: number;
  readonly number: number;
}) => Promise<number>;

/** A million envelopes against ten thousand, by turns: calls must not grow, full reads linearly. */
export async function benchScale(): Promise<BenchRow[]> {
  const mails = await startMailServer();
  const services: Service[] = [];
  try {
    for (const size of SIZES) services.push(await fill(mails, size));
    const calls = await measureCalls(services, mails);
    for (const { server } of services) await server.stop();
    const linear = [];
    for (const { server, checkpointS } of services) {
      const night = await onBenchPlatform(server.dataDir, measureWhole);
      linear.push({ checkpointS, ...night, ...(await measureBackups(server.dataDir)) });
    }
    return [...calls, ...rowsOfWhole(linear)];
  } finally {
    for (const { server } of services)
      await server
        .close()
        .catch((error: unknown) => console.error("a service did not stop well", error));
    await mails.close();
  }
}

/** Two people and eleven events each; a document of 36 bytes, as more would measure the disk. */
async function fill(mails: Mails, size: number): Promise<Service> {
  const server = await startServer({ env: { SMTP_URL: mails.url, RATE_LIMITS: "off" } });
  const username = `echelle${size}`;
  await story.registerPerson(
    { url: server.url, mails },
    { username, email: `${username}@exemple.fr`, firstName: "Basile", lastName: "Étalon" },
  );
  const client = await story.logIn(server.url, username);
  const ownerId = (await client.get("/api/signature/me/")).json.user.id as string;
  client.close();
  const database = await openDatabase(server.dataDir);
  say(`${size.toLocaleString("en")} envelopes are made`);
  await fillLists(database, { ownerId, size, statuses: ["sent"] });
  // Nobody listens for the row's notification here.
  await database.query("alter table audit_events disable trigger announce_envelope");
  const service = await onBenchPlatform(server.dataDir, async (platform) => {
    await writeJournals(platform, size);
    await database.query("alter table audit_events enable trigger announce_envelope");
    // Autovacuum's statistics.
    for (const { name } of await database.query<{ name: string }>(
      "select relid::text as name from pg_partition_tree('audit_events') where isleaf",
    ))
      await database.query(`vacuum (analyze) ${name}`);
    const checkpointS = await saidSecondsOf(
      "first checkpoint",
      createTransparency({ platform, trust: await createTrust(platform) }).checkpoint,
    );
    return { size, server, username, checkpointS };
  });
  await database.close();
  return service;
}

async function writeJournals(platform: Platform, size: number): Promise<void> {
  const made = new Set<string>();
  for (let [after, done] = ["00000000-0000-0000-0000-000000000000", 0]; ; ) {
    const chosen = sql`select id from envelopes where id > ${after}::uuid order by id limit ${CHUNK}`;
    const { rows } = await sql<{ id: string }>`${chosen}`.execute(platform.db);
    const last = rows.at(-1);
    if (!last) return;
    const ids = rows.map(({ id }) => id);
    await Promise.all([
      insertJournals(platform, chosen),
      storeFiles(join(platform.settings.dataDir, "files"), { ids, made }),
    ]);
    [after, done] = [last.id, done + ids.length];
    if (done % SAID_EACH === 0 || done === size)
      say(`${done.toLocaleString("en")} journals and files`);
  }
}

/** Stores without fsync. `made`: folders that exist. */
async function storeFiles(
  files: string,
  { ids, made }: { readonly ids: readonly string[]; readonly made: Set<string> },
): Promise<void> {
  for (let from = 0; from < ids.length; from += FILES_AT_ONCE)
    await Promise.all(
      ids.slice(from, from + FILES_AT_ONCE).map(async (id) => {
        const name = createHash("sha256").update(id).digest("hex");
        const folder = join(files, name.slice(0, 2), name.slice(2, 4));
        if (!made.has(folder)) await mkdir(folder, { recursive: true });
        made.add(folder);
        await writeFile(join(folder, name), id);
      }),
    );
}

const guestOf = (name: string): story.Guest => ({
  email: `${name}@exemple.fr`,
  full_name: "Maëlys Œuvrard",
});

const read =
  (path: string): Call =>
  async ({ client }) => {
    const started = performance.now();
    story.expectStatus(await client.get(path), 200, path);
    return performance.now() - started;
  };

const create: Call = async ({ client, size, number }) => {
  const started = performance.now();
  await story.createEnvelope(client, {
    title: `Échelle ${number}`,
    pdf: await samplePdf(),
    guests: [guestOf(`cree-${size}-${number}`)],
    lastPage: 1,
  });
  return performance.now() - started;
};

const send: Call = async ({ client, size, number }) => {
  const { id } = await story.createEnvelope(client, {
    title: `Échelle ${number}`,
    pdf: await samplePdf(),
    guests: [guestOf(`envoi-${size}-${number}`)],
    lastPage: 1,
  });
  const started = performance.now();
  await story.sendEnvelope(client, id);
  return performance.now() - started;
};

const sign: Call = async ({ client, world, size, number }) => {
  const guest = guestOf(`signe-${size}-${number}`);
  const { id } = await story.createEnvelope(client, {
    title: `Échelle ${number}`,
    pdf: await samplePdf(),
    guests: [guest],
    lastPage: 1,
  });
  await story.sendEnvelope(client, id);
  const visit = await story.openInvitation(world, guest, id);
  await story.confirmGuest(world, visit);
  const started = performance.now();
  await story.signAsGuest(visit, story.DRAWN);
  const took = performance.now() - started;
  visit.client.close();
  return took;
};

const ASKED: readonly { readonly what: string; readonly call: Call }[] = [
  { what: "the dashboard", call: read("/api/signature/dashboard/") },
  { what: "a list, its first page", call: read(`${ENVELOPES}?status=sent`) },
  {
    what: "a search that finds one",
    call: read(`${ENVELOPES}?search=${encodeURIComponent("réf 9e3779b1")}`),
  },
  { what: "a creation, with its file", call: create },
  { what: "a sending", call: send },
  { what: "a guest’s signature", call: sign },
];

async function measureCalls(services: readonly Service[], mails: Mails): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const { what, call } of ASKED) {
    const opened = await Promise.all(
      services.map(async ({ size, server, username }) => ({
        size,
        world: { url: server.url, mails },
        client: await story.logIn(server.url, username),
        times: [] as number[],
      })),
    );
    for (let number = 0; number < WARM_UP + CALLS; number += 1)
      for (const { times, ...of } of opened) {
        const took = await call({ ...of, number });
        if (number >= WARM_UP) times.push(took);
      }
    for (const { client } of opened) client.close();
    const [small = 0, large = 0] = opened.map(({ times }) => percentile(times, 0.5));
    say(`${what}: p50 ${small.toFixed(1)} → ${large.toFixed(1)} ms`);
    rows.push(row(`${what}, p50 at ${LARGE.toLocaleString("en")} envelopes`, large, "ms"), {
      ...row(`the same against ${SMALL.toLocaleString("en")}`, large / small, "×"),
      goal: { atMost: CALL_RATIO },
    });
  }
  return rows;
}

type Night = {
  readonly proofMs: number;
  readonly sweepS: number;
  readonly verifyS: number;
  readonly verifyMb: number;
  readonly changedS: number;
};
type Backups = { readonly backupS: number; readonly nextBackupS: number };
type Whole = Night & Backups & Pick<Service, "checkpointS">;

async function measureWhole(platform: Platform): Promise<Night> {
  const proofMs = await medianProof(platform);
  await sql`insert into loose_files (sha256, at) select sha256(n::text::bytea), now() - interval '2 days' from generate_series(1, ${LOOSE}) as n`.execute(
    platform.db,
  );
  const sweepS = await saidSecondsOf("sweep", () => sweepFiles(platform));
  const memory = watchMemory();
  const verifyS = await saidSecondsOf("`verify-store`", async () =>
    expectSound(await verifyStore(platform)),
  );
  const verifyMb = memory.stop().more;
  const { rows } = await sql<{
    size: number;
  }>`select max(leaf_index) + 1 as size from transparency_leaves`.execute(platform.db);
  const changedS = await saidSecondsOf("`verify-store --since-last`", async () =>
    expectSound(await verifyChanged(platform, (rows[0]?.size ?? 0) - CHANGED)),
  );
  return { proofMs, sweepS, verifyS, verifyMb, changedS };
}

async function measureBackups(dataDir: string): Promise<Backups> {
  const target = await mkdtemp(join(tmpdir(), "paraphe-bench-backup-"));
  const backUp = async () => {
    const { code, lines } = await runBackup([target], {
      environment: { DATA_DIR: dataDir },
      folder: dataDir,
    });
    if (code !== 0) throw new Error(lines.join("\n"));
  };
  try {
    return {
      backupS: await saidSecondsOf("`backup`", backUp),
      nextBackupS: await saidSecondsOf("`backup` again", backUp),
    };
  } finally {
    await rm(target, { recursive: true, force: true });
  }
}

async function saidSecondsOf(what: string, work: () => Promise<unknown>): Promise<number> {
  const seconds = await secondsOf(work);
  say(`${what}: ${seconds.toFixed(1)} s`);
  return seconds;
}

function expectSound(outcomes: readonly StoreOutcome[]): void {
  const faults = outcomes.reduce((sum, { faultCount }) => sum + faultCount, 0);
  if (faults > 0) throw new Error(`${faults} faults were found in what the bench made`);
}

async function medianProof({ db }: Platform): Promise<number> {
  const { rows } = await sql<{
    id: string;
  }>`select envelope_id as id from transparency_leaves order by head limit ${PROOFS}`.execute(db);
  const times: number[] = [];
  for (const { id } of rows) times.push(1_000 * (await secondsOf(() => readLog(db, id))));
  return percentile(times, 0.5);
}

function rowsOfWhole([small, large]: readonly Whole[]): BenchRow[] {
  if (!small || !large) throw new Error("both sizes are measured");
  const more = LARGE / SMALL;
  const linear = Math.round(LINEAR_RATIO * more);
  const name = `${LARGE.toLocaleString("en")} envelopes (${(LARGE * EVENTS_PER_ENVELOPE).toLocaleString("en")} events)`;
  const pair = (
    what: string,
    unit: string,
    of: (whole: Whole) => number,
    atMost: number,
  ): BenchRow[] => [
    row(`${what}, ${name}`, of(large), unit),
    {
      ...row(`the same against ${SMALL.toLocaleString("en")}`, of(large) / of(small), "×"),
      goal: { atMost },
    },
  ];
  return [
    ...pair("first checkpoint", "s", ({ checkpointS }) => checkpointS, linear),
    ...pair("proof of one journal, median", "ms", ({ proofMs }) => proofMs, CALL_RATIO),
    ...pair(
      `sweep of ${LOOSE.toLocaleString("en")} loose files`,
      "s",
      ({ sweepS }) => sweepS,
      CALL_RATIO,
    ),
    ...pair("`verify-store`", "s", ({ verifyS }) => verifyS, linear),
    ...pair(
      `\`verify-store --since-last\`, ${CHANGED.toLocaleString("en")} changed`,
      "s",
      ({ changedS }) => changedS,
      CALL_RATIO,
    ),
    ...pair("`backup`, the first", "s", ({ backupS }) => backupS, linear),
    ...pair("`backup`, nothing changed since", "s", ({ nextBackupS }) => nextBackupS, linear),
    row("memory that `verify-store` takes beside what the process held", large.verifyMb, "MB"),
  ];
}

const row = (what: string, value: number, unit: string): BenchRow => ({
  part: "scale",
  what,
  value,
  unit,
  goal: null,
});

export const EVENTS_PER_ENVELOPE = 11;
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

/** Inserts events, whose canonical form SQL writes, for the envelopes of a query for `id`. */
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
