import { openDatabase } from "../tests/support/open-database.ts";
import { startMailServer } from "../tests/support/start-mail-server.ts";
import { startServer } from "../tests/support/start-server.ts";
import * as story from "../tests/support/story.ts";
import { fillLists, RECEIVED } from "./lists-dataset.ts";
import { type BenchRow, percentile } from "./figures.ts";
import { readCpuSeconds } from "./process-tree.ts";

const CALLS = 200;
/** Where no ratio is a goal. */
const FEW_CALLS = 40;
const WARM_UP = 20;
/** `LISTS_SIZE`: a smaller size for a trial. */
const SIZES = [1_000, Number(process.env["LISTS_SIZE"] ?? 1_000_000)] as const;
const ENVELOPES = "/api/signature/envelopes/";

/**
 * Questions with their permitted ratio. `null`: the larger size answers more (counts up to 10 000),
 * so that only time has a goal.
 */
const QUESTIONS: readonly {
  readonly what: string;
  readonly query: string;
  readonly ratio: number | null;
}[] = [
  { what: "Envoyé", query: "?status=sent", ratio: 1.5 },
  { what: "Complété(s)", query: "?status=completed", ratio: 1.5 },
  { what: "Action requise", query: "?status=action_required", ratio: 1.5 },
  { what: "Brouillons", query: "?status=draft", ratio: 1.5 },
  { what: "Supprimé", query: "?status=cancelled", ratio: 1.5 },
  { what: "filter « Expirée »", query: "?status=expired", ratio: 1.5 },
  { what: "Envoyé, page 5", query: "?status=sent&page=5", ratio: 1.5 },
  { what: "Envoyé, by deadline", query: "?status=sent&ordering=deadline_at", ratio: 1.5 },
  { what: "Envoyé, by title", query: "?status=sent&ordering=title", ratio: 1.5 },
  { what: "counts", query: "counts/", ratio: 1.5 },
  { what: "search, one found", query: `?search=${encodeURIComponent("réf 9e3779b1")}`, ratio: 1.5 },
  { what: "search, nothing found", query: "?search=introuvable", ratio: 1.5 },
  { what: "search, two characters that nothing holds", query: "?search=zq", ratio: 1.5 },
  { what: "Envoyé, last page", query: "?status=sent&page=last", ratio: 1.5 },
  {
    what: "search, one in a thousand",
    query: `?search=${encodeURIComponent("Œuvrard")}`,
    ratio: null,
  },
  { what: "search, all titles", query: "?search=prestation", ratio: null },
  { what: "search, one title in seven", query: "?search=martin", ratio: null },
  {
    what: "search in Complété(s), held elsewhere",
    query: `?status=completed&search=${encodeURIComponent("Œuvrard")}`,
    ratio: null,
  },
  { what: "Envoyé, middle page", query: "?status=sent&page=middle", ratio: null },
];

type Client = Awaited<ReturnType<typeof story.logIn>>;
/** Sessions last a quarter of an hour: each question opens one. */
type Account = { readonly server: Server; readonly username: string };
type Figures = { readonly p50: number; readonly p95: number };

/**
 * List calls at two sizes, each its own service, by turns so that other load affects both alike: a
 * page's cost must not grow.
 */
export async function benchLists(): Promise<BenchRow[]> {
  const mails = await startMailServer();
  const servers: Server[] = [];
  try {
    const accounts: Account[] = [];
    for (const size of SIZES) {
      const server = await startServer({ env: { SMTP_URL: mails.url, RATE_LIMITS: "off" } });
      servers.push(server);
      accounts.push(await makeAccount(server, mails, size));
    }
    const large = accounts.at(-1) as Account;
    const cpuMs = await asked([large], ([client]) => cpuOf(large.server, client as Client));
    console.log(`… CPU of one list call: ${cpuMs.toFixed(2)} ms`);
    const rows: BenchRow[] = [];
    for (const { what, query, ratio } of QUESTIONS) {
      const figures = await answeredOrSaid(what, () =>
        asked(accounts, (clients) =>
          measure(clients, { query, calls: ratio === null ? FEW_CALLS : CALLS }),
        ),
      );
      if (figures === null) continue;
      console.log(
        `… ${what}: p50 ${figures.map(({ p50 }) => p50.toFixed(1)).join(" → ")} ms, p95 ${figures.map(({ p95 }) => p95.toFixed(1)).join(" → ")} ms`,
      );
      rows.push(...rowsOf({ what, ratio, figures }));
    }
    return rows;
  } finally {
    // A failing stop must not lose the figures.
    for (const server of servers)
      await server
        .close()
        .catch((error: unknown) => console.error("a service did not stop well", error));
    await mails.close();
  }
}

type Server = Awaited<ReturnType<typeof startServer>>;
type Mails = Awaited<ReturnType<typeof startMailServer>>;

async function asked<T>(
  accounts: readonly Account[],
  work: (clients: readonly Client[]) => Promise<T>,
): Promise<T> {
  const clients = await Promise.all(
    accounts.map(({ server, username }) => story.logIn(server.url, username)),
  );
  try {
    return await work(clients);
  } finally {
    for (const client of clients) client.close();
  }
}

/** A failing question is reported and fails the command at its end; the others continue. */
async function answeredOrSaid<T>(what: string, ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask();
  } catch (error) {
    console.error(`✗ ${what}:`, error);
    process.exitCode = 1;
    return null;
  }
}

async function makeAccount(server: Server, mails: Mails, size: number): Promise<Account> {
  const [username, other] = [`liste${size}`, `autre${size}`];
  const service = { url: server.url, mails };
  await story.registerPerson(service, {
    username,
    email: `${username}@exemple.fr`,
    firstName: "Basile",
    lastName: "Étalon",
  });
  await story.registerPerson(service, {
    username: other,
    email: `${other}@exemple.fr`,
    firstName: "Colette",
    lastName: "Pair",
  });
  const idOf = async (name: string) =>
    (await (await story.logIn(server.url, name)).get("/api/signature/me/")).json.user.id as string;
  const database = await openDatabase(server.dataDir);
  const started = performance.now();
  // Received envelopes need a confirmed address.
  await database.query("update users set address_confirmed_at = now() where username = $1", [
    username,
  ]);
  await fillLists(database, {
    ownerId: await idOf(username),
    received: { correspondentId: await idOf(other), email: `${username}@exemple.fr` },
    size,
  });
  await database.close();
  console.log(
    `… ${size.toLocaleString("en")} envelopes made in ${((performance.now() - started) / 1_000).toFixed(0)} s`,
  );
  const account = { server, username };
  const [all, awaited] = await asked([account], async ([client]) => {
    const count = async (query: string) =>
      story.expectStatus(await (client as Client).get(`${ENVELOPES}${query}`), 200, query).json
        .count as number;
    return [await count(""), await count("?status=action_required")] as const;
  });
  if (all !== size || awaited !== RECEIVED.awaited)
    throw new Error(
      `the lists count ${all} and ${awaited} where ${size} and ${RECEIVED.awaited} were made`,
    );
  return account;
}

async function measure(
  clients: readonly Client[],
  { query, calls }: { readonly query: string; readonly calls: number },
): Promise<readonly Figures[]> {
  const runs = await Promise.all(
    clients.map(async (client) => ({
      client,
      path: `${ENVELOPES}${await withPage(client, query)}`,
      times: [] as number[],
    })),
  );
  for (let index = 0; index < WARM_UP + calls; index += 1)
    for (const { client, path, times } of runs) {
      const started = performance.now();
      const answer = await client.get(path);
      if (index >= WARM_UP) times.push(performance.now() - started);
      story.expectStatus(answer, 200, path);
    }
  return runs.map(({ times }) => ({ p50: percentile(times, 0.5), p95: percentile(times, 0.95) }));
}

/** The number of a page in the middle depends on the size. */
async function withPage(client: Client, query: string): Promise<string> {
  const [bare = "", place] = query.split("&page=");
  if (place !== "last" && place !== "middle") return query;
  const { count, page_size } = (await client.get(`${ENVELOPES}${bare}`)).json;
  const last = Math.max(1, Math.ceil(count / page_size));
  return `${bare}&page=${place === "last" ? last : Math.ceil(last / 2)}`;
}

async function cpuOf(server: Server, client: Client): Promise<number> {
  const before = await readCpuSeconds(server.pid, server.dataDir);
  for (let index = 0; index < CALLS; index += 1) await client.get(`${ENVELOPES}?status=sent`);
  return (((await readCpuSeconds(server.pid, server.dataDir)) - before) * 1_000) / CALLS;
}

type Measured = {
  readonly what: string;
  readonly ratio: number | null;
  readonly figures: readonly Figures[];
};

function rowsOf({ what, ratio, figures }: Measured): BenchRow[] {
  const [small, large] = figures as [Figures, Figures];
  const size = SIZES[1].toLocaleString("en");
  const row = (name: string, value: number, rest: Pick<BenchRow, "unit" | "goal">): BenchRow => ({
    part: "lists",
    what: `${what}, ${name}`,
    value,
    ...rest,
  });
  return [
    row("p50 at 1,000", small.p50, { unit: "ms", goal: null }),
    row(`p50 at ${size}`, large.p50, { unit: "ms", goal: null }),
    row("p50, ratio", large.p50 / small.p50, {
      unit: "×",
      goal: ratio === null ? null : { atMost: ratio },
    }),
    row("p95 at 1,000", small.p95, { unit: "ms", goal: { atMost: 100 } }),
    row(`p95 at ${size}`, large.p95, { unit: "ms", goal: { atMost: 100 } }),
    row("p95, ratio", large.p95 / small.p95, {
      unit: "×",
      goal: ratio === null ? null : { atMost: ratio },
    }),
  ];
}
