import { listEnvelopesQuery } from "@paraphe/contracts";
import { CompiledQuery, type RootOperationNode } from "kysely";
import { readDashboard } from "../apps/server/src/features/envelopes/dashboard/read-dashboard.ts";
import {
  countEnvelopes,
  listEnvelopes,
} from "../apps/server/src/features/envelopes/list-envelopes.ts";
import { openPlatform } from "../apps/server/src/platform/open-platform.ts";
import type { Platform } from "../apps/server/src/platform/platform.ts";
import { readSettings } from "../apps/server/src/platform/settings/read-settings.ts";
import { openDatabase } from "../tests/support/open-database.ts";
import { startMailServer } from "../tests/support/start-mail-server.ts";
import { startServer } from "../tests/support/start-server.ts";
import * as story from "../tests/support/story.ts";
import { type BenchRow, percentile, readCpuSeconds } from "./figures.ts";

const CALLS = 200;
const FEW_CALLS = 40;
const WARM_UP = 20;
/** `LISTS_SIZE`: a smaller size for a trial. */
const SIZES = [1_000, Number(process.env["LISTS_SIZE"] ?? 1_000_000)] as const;
const ENVELOPES = "/api/signature/envelopes/";

/**
 * Questions of somebody whose team has every second envelope, with their permitted ratio. `null`:
 * the larger size answers more (counts up to 10,000), so that only time has a goal.
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
  { what: "Envoyé, of the team", query: "?status=sent&team={team}", ratio: 1.2 },
  { what: "Envoyé, of no team", query: "?status=sent&team=mine", ratio: 1.2 },
  {
    what: "Complété(s), of the team, by title",
    query: "?status=completed&team={team}&ordering=title",
    ratio: 1.2,
  },
  {
    what: "search, one found in the team",
    query: `?team={team}&search=${encodeURIComponent("réf 3c6ef362")}`,
    ratio: 1.2,
  },
  { what: "search, the team's name", query: "?search=urbanisme", ratio: null },
  { what: "dashboard", query: "/api/signature/dashboard/", ratio: 1.2 },
];

type Client = Awaited<ReturnType<typeof story.logIn>>;
/** Sessions last a quarter of an hour: each question opens one. */
type Account = {
  readonly server: Server;
  readonly username: string;
  readonly ownerId: string;
  readonly team: string;
};
type Figures = { readonly p50: number; readonly p95: number; readonly path: string };

/** Compares two sizes by turns, each on its own service: a page's cost must not grow. */
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
          measure(clients, {
            queries: accounts.map(({ team }) => query.replace("{team}", team)),
            calls: ratio === null ? FEW_CALLS : CALLS,
          }),
        ),
      );
      if (figures === null) continue;
      const blocks: number[] = [];
      for (const [index, account] of accounts.entries())
        blocks.push(await blocksOf(account, figures[index]?.path ?? ""));
      console.log(
        `… ${what}: p50 ${figures.map(({ p50 }) => p50.toFixed(1)).join(" → ")} ms, p95 ${figures.map(({ p95 }) => p95.toFixed(1)).join(" → ")} ms, blocks ${blocks.join(" → ")}`,
      );
      rows.push(...rowsOf({ what, ratio, figures, blocks }));
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

/** A failing question fails the command at its end; others go on. */
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
  const ownerId = await idOf(username);
  const team = await makeTeam(database, ownerId);
  await fillLists(database, {
    ownerId,
    team,
    received: { correspondentId: await idOf(other), email: `${username}@exemple.fr` },
    size,
  });
  await database.close();
  console.log(
    `… ${size.toLocaleString("en")} envelopes made in ${((performance.now() - started) / 1_000).toFixed(0)} s`,
  );
  const account = { server, username, ownerId, team };
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

async function makeTeam(database: Statements, memberId: string): Promise<string> {
  const [made] = (await database.query(
    `with host as (
      insert into organisations (id, is_host, created_at, updated_at) values (gen_random_uuid(), true, now(), now())
      on conflict (is_host) do update set updated_at = now() returning id
    ), member as (
      insert into organisation_members (organisation_id, user_id, role, created_at) select id, $1, 'member', now() from host
    )
    insert into teams (id, organisation_id, name, created_at) select gen_random_uuid(), id, 'Urbanisme', now() from host returning id, organisation_id`,
    [memberId],
  )) as readonly { readonly id: string; readonly organisation_id: string }[];
  if (made === undefined) throw new Error("no team was made");
  await database.query(
    "insert into team_members (team_id, organisation_id, member_id, created_at) values ($1, $2, $3, now())",
    [made.id, made.organisation_id, memberId],
  );
  return made.id;
}

async function measure(
  clients: readonly Client[],
  { queries, calls }: { readonly queries: readonly string[]; readonly calls: number },
): Promise<readonly Figures[]> {
  const runs = await Promise.all(
    clients.map(async (client, index) => ({
      client,
      path: pathOf(await withPage(client, queries[index] ?? "")),
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
  return runs.map(({ times, path }) => ({
    p50: percentile(times, 0.5),
    p95: percentile(times, 0.95),
    path,
  }));
}

async function blocksOf({ server, username, ownerId, team }: Account, path: string) {
  const settings = readSettings({ DATA_DIR: server.dataDir }, server.dataDir);
  const { platform, close } = await openPlatform(settings);
  const asked: RootOperationNode[] = [];
  const db = platform.db.withPlugin({
    transformQuery: ({ node }) => {
      asked.push(node);
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  const email = `${username}@exemple.fr`;
  const keys = { email_key: email, recipient_key: email };
  const teams = [{ id: team, name: "Urbanisme" }];
  const user = { id: ownerId, email, ...keys, full_name: username, role: "member", teams } as const;
  try {
    await callAs({ ...platform, db }, user, path);
    let blocks = 0;
    for (const node of asked) {
      const { sql: text, parameters } = db.getExecutor().compileQuery(node, { queryId: "plan" });
      const { rows } = await platform.db.executeQuery<{ "QUERY PLAN": readonly { Plan: Plan }[] }>(
        CompiledQuery.raw(`explain (analyze, buffers, format json) ${text}`, [...parameters]),
      );
      const plan = rows[0]?.["QUERY PLAN"][0]?.Plan;
      blocks += (plan?.["Shared Hit Blocks"] ?? 0) + (plan?.["Shared Read Blocks"] ?? 0);
    }
    return blocks;
  } finally {
    await close();
  }
}

type Plan = Readonly<Record<"Shared Hit Blocks" | "Shared Read Blocks", number>>;
type User = Parameters<typeof listEnvelopes>[1]["user"];

async function callAs(platform: Platform, user: User, path: string): Promise<void> {
  const { pathname, searchParams } = new URL(path, "https://localhost");
  if (pathname.endsWith("/dashboard/")) await readDashboard(platform, user as never, {});
  else if (pathname.endsWith("/counts/")) await countEnvelopes(platform, { user });
  else
    await listEnvelopes(
      platform,
      { user },
      listEnvelopesQuery.parse(Object.fromEntries(searchParams)),
    );
}

const pathOf = (query: string) => (query.startsWith("/") ? query : `${ENVELOPES}${query}`);

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
  readonly blocks: readonly number[];
};

function rowsOf({ what, ratio, figures, blocks }: Measured): BenchRow[] {
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
    row("blocks at 1,000", blocks[0] ?? Number.NaN, { unit: "", goal: null }),
    row(`blocks at ${size}`, blocks[1] ?? Number.NaN, { unit: "", goal: null }),
  ];
}

type Statements = { query(sql: string, values?: unknown[]): Promise<readonly object[]> };
type ListsDataset = {
  readonly ownerId: string;
  /** Who sends the received envelopes, and the address that receives them. */
  readonly received?: { readonly correspondentId: string; readonly email: string };
  readonly size: number;
  readonly team?: string;
  readonly statuses?: readonly string[];
};

const RECEIVED = { awaited: 200, completed: 200 } as const;

/** Hash and size of a file that contains the envelope's id; its reader stores it. */
const FILE = "sha256(convert_to(id::text, 'UTF8')), 36";

/**
 * One envelope a minute, in every status, each with one document and field, two of fifty thousand
 * recipients and its own reference; one in a thousand has a rare name. No job has anything due.
 */
const SENT = `
  with made as (
    insert into envelopes (id, owner_id, team_id, created_by_name, title, search_text, status, flow, signer_count, signed_count, created_at, updated_at, sent_at, deadline_at,
      completed_at, cancelled_at, status_before_cancel)
    select id, $1, case when n % 2 = 0 then $4::uuid end, 'Basile Étalon',
      'Contrat de prestation ' || (array['Martin', 'Bernard', 'Petit', 'Durand', 'Leroy', 'Moreau', 'Simon'])[1 + n % 7]
        || case when n % 1000 = 500 then ' Œuvrard' else '' end || ' n° ' || n || ' réf ' || to_hex(n * 2654435761 % 4294967296),
      'contrat de prestation ' || (array['martin', 'bernard', 'petit', 'durand', 'leroy', 'moreau', 'simon'])[1 + n % 7]
        || case when n % 1000 = 500 then ' oeuvrard' else '' end || ' n° ' || n || ' ref ' || to_hex(n * 2654435761 % 4294967296) || E'\\nbasile etalon'
        || (select string_agg(E'\\nmaelys etienne invite' || abs(hashtext(id::text || guest)) % 50000 || '@exemple.fr', '') from generate_series(0, 1) as guest),
      state, 'parallel', 2, case state when 'completed' then 2 when 'pending' then 1 else 0 end, at, at + interval '1 hour', case when state <> 'draft' then at end,
      case when n % 3 = 0 then now() + interval '3 days' + n * interval '1 minute' end,
      case when state = 'completed' then at + interval '1 hour' end, case when state = 'cancelled' then now() end,
      case when state = 'cancelled' then 'sent' end
    from (select n, uuidv7(- n * interval '1 minute') as id, now() - n * interval '1 minute' as at, ($3::text[])[1 + n % cardinality($3::text[])] as state
      from generate_series(1::bigint, $2::bigint) as n) rows
    returning id, created_at, status
  ), papers as (
    insert into documents (id, envelope_id, position, name, page_count, pages, control, uploaded_sha256, uploaded_size, current_revision, created_at)
    select uuidv7(created_at - now()), id, 0, 'contrat.pdf', 2, '[{"width":595,"height":842,"rotation":0},{"width":595,"height":842,"rotation":0}]',
      '{"result":"ok","findings":[]}', ${FILE}, 0, created_at from made returning id, envelope_id, uploaded_sha256, uploaded_size, created_at
  ), revisions as (
    insert into document_revisions (document_id, number, kind, blob_sha256, size, created_at)
    select id, 0, 'original', uploaded_sha256, uploaded_size, created_at from papers
  ), people as (
    insert into recipients (id, envelope_id, position, routing_order, role, email, email_key, full_name, status, awaited, notified_at)
    select uuidv7(created_at - now()), id, guest, 1, 'signer', address, address, 'Maëlys Étienne',
      case when status = 'completed' then 'signed' else 'notified' end, status in ('sent', 'pending'), created_at
    from (select made.*, guest, 'invite' || abs(hashtext(id::text || guest)) % 50000 || '@exemple.fr' as address from made, generate_series(0, 1) as guest) asked
    returning id, envelope_id, position
  )
  insert into fields (id, envelope_id, document_id, recipient_id, position, type, page, x, y, width, height, required)
  select uuidv7(papers.created_at - now()), people.envelope_id, papers.id, people.id, 1, 'signature', 1, 0.1, 0.8, 0.3, 0.1, true
  from people join papers on papers.envelope_id = people.envelope_id where people.position = 0`;

const RECEIVED_SQL = `
  with made as (
    insert into envelopes (id, owner_id, created_by_name, title, search_text, status, flow, signer_count, signed_count, created_at, updated_at, sent_at, completed_at)
    select uuidv7(- n * interval '1 minute'), $1, 'Colette Pair', 'Avenant reçu n° ' || n, 'avenant recu n° ' || n || E'\\ncolette pair\\nbasile etalon ' || $2::text, state, 'parallel', 1,
      case when state = 'completed' then 1 else 0 end, now() - n * interval '7 minutes', now(), now(), case when state = 'completed' then now() end
    from (select n, case when n <= $3::int then 'sent' else 'completed' end as state from generate_series(1, $3::int + $4::int) as n) rows
    returning id, created_at, status
  )
  insert into recipients (id, envelope_id, position, routing_order, role, email, email_key, full_name, status, awaited, notified_at)
  select gen_random_uuid(), id, 0, 1, 'signer', $2::text, $2::text, 'Basile Étalon', case when status = 'completed' then 'signed' else 'notified' end, status = 'sent', created_at
  from made`;

const MOST_SIGNED_FOR = 10_000;

const SIGNED_FOR_SQL = `
  with made as (
    insert into envelopes (id, owner_id, created_by_name, title, search_text, status, flow, signer_count, signed_count, created_at, updated_at, sent_at, completed_at)
    select uuidv7(- n * interval '11 minutes'), $1, 'Colette Pair', 'Arrêté n° ' || n, 'arrete n° ' || n || E'\\ncolette pair\\nla maire maire@exemple.fr', 'completed', 'parallel', 1, 1,
      now() - n * interval '11 minutes', now(), now(), now()
    from generate_series(1, $3::int) as n returning id, created_at
  )
  insert into recipients (id, envelope_id, position, routing_order, role, email, email_key, full_name, status, notified_at, delegate)
  select gen_random_uuid(), id, 0, 1, 'signer', 'maire@exemple.fr', 'maire@exemple.fr', 'La Maire', 'signed', created_at, jsonb_build_object('user_id', $2::uuid)
  from made`;

const STATUSES = [
  "draft",
  "sent",
  "pending",
  "completed",
  "completed",
  "completed",
  "completed",
  "cancelled",
  "declined",
  "expired",
];

const BATCH = 100_000;

const INBOX_SQL = [
  `insert into envelope_inbox (envelope_id, email_key, list, holder_id, created_at)
  select distinct e.id, r.email_key, case when r.awaited then 'action_required' else 'completed' end, e.holder_id, e.created_at
  from envelopes e join recipients r on r.envelope_id = e.id where r.awaited or e.status = 'completed'`,
  `insert into envelope_inbox (envelope_id, email_key, list, holder_id, created_at)
  select e.id, r.delegate->>'user_id', 'signed_for', e.holder_id, e.created_at
  from envelopes e join recipients r on r.envelope_id = e.id where r.delegate is not null`,
  "insert into inbox_counts (email_key, list, holder_id, count) select email_key, list, holder_id, count(*) from envelope_inbox group by 1, 2, 3",
] as const;

const TABLES = [
  "envelopes",
  "documents",
  "document_revisions",
  "recipients",
  "fields",
  "envelope_search",
  "envelope_inbox",
] as const;
const KEPT_ON_INSERT = [
  "keep_envelope_counts_on_insert",
  "keep_envelope_search_on_insert",
] as const;
const INDEXES = `select indexname, indexdef from pg_indexes
  where tablename = any($1) and indexname not in (select conname from pg_constraint)`;

export async function fillLists(database: Statements, dataset: ListsDataset): Promise<void> {
  const { ownerId, received, size, team = null, statuses = STATUSES } = dataset;
  await database.query("set maintenance_work_mem = '512MB'");
  // Indexes follow and references are unchecked, because only reading is measured.
  const indexes = (await database.query(INDEXES, [TABLES])) as readonly {
    readonly indexname: string;
    readonly indexdef: string;
  }[];
  for (const { indexname } of indexes) await database.query(`drop index "${indexname}"`);
  for (const trigger of KEPT_ON_INSERT)
    await database.query(`alter table envelopes enable always trigger ${trigger}`);
  await database.query("set session_replication_role = replica");
  const sayIfLong = (what: string) => {
    if (size >= BATCH) say(what);
  };
  for (let done = 0; done < size; done += BATCH) {
    await database.query(
      SENT.replace(
        "generate_series(1::bigint, $2::bigint)",
        `generate_series(${done + 1}::bigint, least(${done + BATCH}, $2::bigint))`,
      ),
      [ownerId, size, statuses, team],
    );
    sayIfLong(`${Math.min(done + BATCH, size).toLocaleString("en")} rows`);
  }
  if (received) {
    await database.query(RECEIVED_SQL, [
      received.correspondentId,
      received.email,
      RECEIVED.awaited,
      RECEIVED.completed,
    ]);
    await database.query(SIGNED_FOR_SQL, [
      received.correspondentId,
      ownerId,
      Math.min(size / 10, MOST_SIGNED_FOR),
    ]);
  }
  for (const statement of INBOX_SQL) await database.query(statement);
  // Workers build the index of a million texts; the service reads without.
  await database.query("alter table envelope_search reset (parallel_workers)");
  for (const { indexname, indexdef } of indexes) {
    await database.query(indexdef);
    sayIfLong(`index ${indexname}`);
  }
  await database.query("alter table envelope_search set (parallel_workers = 0)");
  await database.query("set session_replication_role = origin");
  for (const trigger of KEPT_ON_INSERT)
    await database.query(`alter table envelopes enable trigger ${trigger}`);
  await database.query(`vacuum (analyze) ${TABLES.join(", ")}`);
  // Otherwise it would be written during the measurement and at the stop.
  await database.query("checkpoint");
  sayIfLong("vacuum and checkpoint");
}

export function say(what: string): void {
  console.log(`${new Date().toTimeString().slice(0, 8)} … ${what}`);
}
