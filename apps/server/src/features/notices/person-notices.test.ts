import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestPlatform, type TestPlatform } from "../../../testing/platform.ts";
import type { Transaction } from "../../platform/database/database.ts";
import { erasePersonNotices } from "./forget-store.ts";
import { selectPersonNotices } from "./store.ts";

let platform: TestPlatform;
const userId = "01990000-0000-7000-8000-0000000000aa";

beforeAll(async () => {
  platform = await createTestPlatform();
  await sql`
    insert into notices (id, dedupe_key, kind, channel, destination, message_id, user_id, state, created_at)
    select gen_random_uuid(), 'k' || n, 'signed', case when n % 3 = 0 then 'sms' else 'email' end, 'Personne' || n || '@exemple.fr', '',
      case when n % 2 = 0 then gen_random_uuid() end, 'sent', now()
    from generate_series(1, 20000) n`.execute(platform.db);
  await sql`analyze notices`.execute(platform.owner);
});
afterAll(() => platform.close());

/** How often the work read the whole table from one end to the other. */
async function wholeReads(work: (trx: Transaction) => Promise<unknown>): Promise<number> {
  return platform.db.transaction().execute(async (trx) => {
    await work(trx);
    const { rows } = await sql<{ count: string }>`select pg_stat_get_xact_numscans('notices'::regclass) as count`.execute(trx);
    return Number(rows[0]?.count);
  });
}

test("a person's messages are found, and forgotten, without reading everybody's", async () => {
  const emailKey = "personne10001@exemple.fr";
  const page = (afterId: string | null) => ({ userId, emailKey, afterId, limit: 100 });
  expect((await selectPersonNotices(platform.db, page(null))).map(({ destination }) => destination)).toEqual(["Personne10001@exemple.fr"]);
  expect(await wholeReads((trx) => selectPersonNotices(trx, page(null)))).toBe(0);
  expect(await wholeReads((trx) => selectPersonNotices(trx, page(userId)))).toBe(0);
  expect(await wholeReads((trx) => erasePersonNotices(trx, { userId, emailKey }))).toBe(0);
  expect(await selectPersonNotices(platform.db, page(null))).toEqual([]);
});
