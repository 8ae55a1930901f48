import { CompiledQuery, type KyselyPlugin, type RootOperationNode, sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { composeFeatures } from "./compose.ts";
import { FILE_COLUMNS, selectUnreferenced } from "./features/documents/store.ts";
import type { Database } from "./platform/database/database.ts";
import { createTestPlatform, type TestPlatform } from "../testing/platform.ts";
import { wholeTables } from "../testing/database.ts";

/** Scheduled jobs never read a whole table. */
const ROWS = 5_000;
/** Columns with hashes of other things than files. */
const OTHER_HASHES = [
  "account_tokens.token_sha256",
  "address_changes.token_sha256",
  "api_keys.secret_sha256",
  "embeddings.ticket_sha256",
  "guest_sessions.documents_sha256",
  "guest_sessions.token_sha256",
  "idempotency_keys.request_sha256",
  "login_steps.token_sha256",
  "provider_links.browser_sha256",
  "provider_logins.browser_sha256",
  "provider_logins.state_sha256",
  "notices.link_sha256",
  "recipient_tokens.token_sha256",
  "registration_invitations.token_sha256",
  "session_tokens.token_sha256",
  "signing_acts.body_sha256",
  "signing_acts.documents_sha256",
];

let platform: TestPlatform;
const jobs = new Map<string, () => Promise<void>>();
const asked: RootOperationNode[] = [];
let heard: Database;
let app: Awaited<ReturnType<typeof composeFeatures>>;

beforeAll(async () => {
  platform = await createTestPlatform();
  const ear: KyselyPlugin = {
    transformQuery: ({ node }) => (asked.push(node), node),
    transformResult: async ({ result }) => result,
  };
  heard = platform.db.withPlugin(ear);
  const queue = {
    ...platform.queue,
    schedule: (name: string, _cron: string, run: () => Promise<void>) => void jobs.set(name, run),
  };
  app = await composeFeatures({ ...platform, db: heard, queue });
  await fill();
}, 60_000);
afterAll(async () => {
  await app.close();
  await platform.close();
});

/** Rows not due, inserted without triggers and references. */
async function fill(): Promise<void> {
  const { owner } = platform;
  await owner.transaction().execute(async (trx) => {
    await sql`set local session_replication_role = replica`.execute(trx);
    const rows = sql`(select n, gen_random_uuid() as id, now() - n * interval '1 minute' as at, now() + n * interval '1 minute' as later,
      sha256(n::text::bytea) as hash from generate_series(1, ${sql.lit(ROWS)}) n) r`;
    const made = [
      sql`users (id, username, username_key, email, email_key, password_hash, avatar_sha256, activated_at, created_at, updated_at)
        select id, n, n, n, n, '', case when n % 10 = 0 then hash end, at, at, at`,
      sql`sessions (id, user_id, means, remembered, created_at, last_used_at, expires_at) select id, id, 'password', true, at, at, later`,
      sql`session_tokens (token_sha256, session_id, kind, created_at, expires_at) select hash, id, 'access', at, later`,
      sql`account_tokens (token_sha256, user_id, purpose, created_at, expires_at) select hash, id, 'reset', at, later`,
      sql`login_failures (key, failures, window_start) select n, 1, later`,
      sql`throttles (key, window_start, hits) select n, later, 1`,
      sql`idempotency_keys (scope, key, request_sha256, created_at) select n, n, hash, later`,
      sql`mailbox_messages (id, channel, destination, subject, content, received_at) select id, 'email', '', '', '', later`,
      sql`envelopes (id, owner_id, created_by_name, title, search_text, status, flow, created_at, updated_at)
        select id, id, '', '', '', 'sent', 'parallel', at, at`,
      sql`documents (id, envelope_id, position, name, page_count, pages, control, uploaded_sha256, uploaded_size, current_revision, created_at)
        select id, id, 1, '', 1, '[]', '{}', hash, 1, 0, at`,
      sql`document_revisions (document_id, number, kind, blob_sha256, size, created_at) select id, 0, 'original', hash, 1, at`,
      sql`document_archives (document_id, revision, authority_serial, stamped_at, valid_until, renew_at) select id, 1, '', at, later, later`,
      sql`recipients (id, envelope_id, position, routing_order, role, email, email_key, full_name, status)
        select id, id, 1, 1, 'signer', n, n, n, 'notified'`,
      sql`one_time_codes (id, recipient_id, code_hmac, channel, created_at, expires_at) select id, id, hash, 'email', later, later`,
      sql`guest_sessions (token_sha256, recipient_id, documents_sha256, code_id, created_at, expires_at) select hash, id, hash, id, at, later`,
      sql`address_tries (address_hmac, last_try_at) select hash, later`,
      sql`signing_acts (id, envelope_id, recipient_id, method, consent_version, documents_sha256, signed_at, sealed_at)
        select id, id, id, 'guest', '', hash, at, at`,
      sql`notices (id, dedupe_key, kind, channel, destination, message_id, envelope_id, state, created_at)
        select id, n, 'signed', 'email', n, n, id, 'sent', at`,
      sql`template_documents (template_id, position, name, page_count, blob_sha256, size) select id, 1, '', 1, hash, 1`,
      sql`uploads (id, owner_id, holder_id, name, file_sha256, size, expires_at) select id, id, id, '', hash, 1, later`,
      sql`batch_jobs (id, owner_id, signer, placement, mark, evidence, if_fixable, consent_version, created_at, finished_at)
        select id, id, '{}', '{}', '{}', '{}', 'accept', '', at, later`,
      sql`batch_items (id, job_id, position, name, source_size, source_sha256, status) select id, id, 1, '', 1, hash, 'queued'`,
      sql`loose_files (sha256, at) select hash, later`,
      sql`storage_changes (owner_id, bytes, folded) select id, n, true`,
      sql`push_subscriptions (id, user_id, session_id, endpoint, public_key, auth_secret_wrapped, created_at)
        select id, id, id, n, ''::bytea, ''::bytea, at`,
    ];
    for (const values of made) await sql`insert into ${values} from ${rows}`.execute(trx);
  });
  await sql`analyze`.execute(owner);
}

/** The tables that one of these statements scans. */
async function wholeReads(statements: readonly RootOperationNode[]): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const node of statements) {
    const { sql: text, parameters } = platform.db
      .getExecutor()
      .compileQuery(node, { queryId: "plan" });
    if (!/^\s*(select|with|update|delete|insert)/i.test(text) || /\bjobs\./.test(text)) continue;
    const { rows } = await platform.owner.executeQuery<{ "QUERY PLAN": string }>(
      CompiledQuery.raw(`explain ${text}`, [...parameters]),
    );
    for (const { "QUERY PLAN": line } of rows) {
      const table = /Seq Scan on (?:only )?(\w+)/i.exec(line)?.[1];
      if (table !== undefined && (await rowsOf(table)) >= ROWS)
        found.add(`${table}: ${text.replace(/\s+/g, " ")}`);
    }
  }
  return [...found];
}

async function rowsOf(table: string): Promise<number> {
  const { rows } = await sql<{
    rows: number;
  }>`select reltuples::int as rows from pg_class where oid = ${table}::regclass`.execute(
    platform.owner,
  );
  return rows[0]?.rows ?? 0;
}

describe("scheduled work", () => {
  test("no job scans a large table", async () => {
    expect(jobs.size).toBeGreaterThan(15);
    asked.length = 0;
    for (const run of jobs.values()) await run();
    expect(asked.length).toBeGreaterThan(jobs.size);
    expect(await wholeReads(asked)).toEqual([]);
  }, 60_000);

  test("before an unused account is deleted, references to it are found by an index", async () => {
    const { rows } = await sql<{ reference: string }>`
      select c.conrelid::regclass || '.' || a.attname as reference
      from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
      where c.contype = 'f' and c.confrelid in ('users'::regclass, 'sessions'::regclass) and not exists (
        select from pg_index i where i.indrelid = c.conrelid and i.indkey[0] = c.conkey[1]
          and (i.indpred is null or pg_get_expr(i.indpred, i.indrelid) = '(' || a.attname || ' IS NOT NULL)'))`.execute(
      platform.owner,
    );
    expect(rows).toEqual([]);
  });
});

describe("the sweep of files", () => {
  test("the sweep looks up each file by an index, for any number of files", async () => {
    asked.length = 0;
    const kept = Array.from({ length: 500 }, (_, index) => index + 1);
    const { rows } = await sql<{ sha256: Uint8Array }>`
      select sha256(n::text::bytea) as sha256 from unnest(${sql.val(kept)}::int[]) n`.execute(
      platform.owner,
    );
    const orphan = new Uint8Array(32).fill(7);
    expect(
      (await selectUnreferenced(heard, [...rows.map(({ sha256 }) => sha256), orphan])).map(
        (one) => new Uint8Array(one),
      ),
    ).toEqual([orphan]);
    expect(await wholeReads(asked)).toEqual([]);
  });

  test("the sweep knows every column that names a file, so that none of those files goes", async () => {
    const tables = sql.val([...(await wholeTables(platform.owner))]);
    const { rows } = await sql<{ name: string }>`
      select table_name || '.' || column_name as name from information_schema.columns
      where table_schema = current_schema() and table_name = any(${tables}::text[]) and data_type = 'bytea' and column_name like '%\\_sha256'
      order by 1`.execute(platform.owner);
    const files = FILE_COLUMNS.map(([table, column]) => `${table}.${column}`);
    expect(rows.map(({ name }) => name).filter((name) => !OTHER_HASHES.includes(name))).toEqual(
      files.toSorted(),
    );
    const noted = await sql<{ name: string }>`
      select c.relname || '.' || trim(trailing chr(92) || '0' from encode(t.tgargs, 'escape')) as name
      from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_proc p on p.oid = t.tgfoid where p.proname = 'note_loose_file'`.execute(
      platform.owner,
    );
    // One trigger for a removed row, one for a changed file.
    expect(noted.rows.map(({ name }) => name).toSorted()).toEqual([...files, ...files].toSorted());
    for (const [table, column] of FILE_COLUMNS) {
      const lone = new Uint8Array(32).fill(table.length + column.length);
      await platform.owner
        .transaction()
        .execute(async (trx) => {
          await sql`set local session_replication_role = replica`.execute(trx);
          await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${Buffer.from(lone)} where ctid = (select ctid from ${sql.table(table)} limit 1)`.execute(
            trx,
          );
          expect(await selectUnreferenced(trx, [lone])).toEqual([]);
          throw new RolledBack();
        })
        .catch((error: unknown) => {
          if (!(error instanceof RolledBack)) throw error;
        });
    }
  });
});

class RolledBack extends Error {}
