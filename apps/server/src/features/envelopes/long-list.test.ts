import type { KyselyPlugin } from "kysely";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import type { TestBrowser } from "../../../testing/browser.ts";
import { ENVELOPES } from "../../../testing/envelope.ts";
import { createMember, type Member, signIn } from "../../../testing/member.ts";
import { emailKey } from "../accounts/index.ts";
import { listEnvelopes } from "./list-envelopes.ts";

let service: TestApp;

beforeAll(async () => {
  service = await createTestApp();
});
afterAll(() => service.close());

async function member(): Promise<{ owner: Member; browser: TestBrowser }> {
  const owner = await createMember(service.platform);
  return { owner, browser: await signIn(service, owner) };
}
const list = (browser: TestBrowser, query = "") => browser.get(`${ENVELOPES}${query}`);

describe("a long list", () => {
  const SIZE = 10_200;
  let owner: Member;
  let browser: TestBrowser;

  beforeAll(async () => {
    ({ owner, browser } = await member());
    const { db } = service.platform;
    await sql`insert into envelopes (id, owner_id, created_by_name, title, search_text, status, flow, created_at, updated_at, deadline_at, cancelled_at,
        status_before_cancel)
      select gen_random_uuid(), ${owner.id}::uuid, 'Camille Roux', 'N' || n, 'n' || n,
        (array['draft', 'sent', 'pending', 'completed', 'cancelled'])[1 + n % 5], 'parallel', now() - n * interval '1 minute', now() - n % 7 * interval '1 day',
        case when n % 3 = 0 then now() + n % 100 * interval '1 hour' end, case when n % 5 = 4 then now() end, case when n % 5 = 4 then 'draft' end
      from generate_series(1, ${SIZE}::int) n`.execute(db);
    await sql`analyze envelopes, envelope_search`.execute(service.platform.owner);
  });

  /** What a list should hold, read without any of its indexes. */
  const naive = async (status: string | undefined, like: string, ordering: string) => {
    const [key, way] = [ordering.replace("-", "").replace("title", "search_text"), ordering.startsWith("-") ? "desc" : "asc"];
    const { rows } = await sql<{ id: string }>`
      select id from envelopes where owner_id = ${owner.id}::uuid and purged_at is null and search_text || '' like ${like} ${
        status === undefined ? sql`` : sql`and folder || '' = ${status}`
      } order by ${sql.ref(key)} ${key === "search_text" ? sql`collate "C"` : sql``} ${sql.raw(way)} nulls last, id ${sql.raw(way)}`.execute(
      service.platform.db,
    );
    return rows.map((row) => row.id);
  };
  const ids = (answer: { body: { results: { id: string }[] } }) => answer.body.results.map((row) => row.id);

  it("costs two statements, and reads its page from an index", async () => {
    const { db } = service.platform;
    let statements = 0;
    const counter: KyselyPlugin = { transformQuery: ({ node }) => (statements++, node), transformResult: async ({ result }) => result };
    const actor = { user: { id: owner.id, email: owner.email, email_key: emailKey(owner.email), full_name: "Camille Roux" } };
    const ask = (query: object) =>
      listEnvelopes({ ...service.platform, db: db.withPlugin(counter) }, actor, {
        page: 1,
        page_size: 10,
        ordering: "-created_at",
        ...query,
      });
    expect(await ask({ status: "sent" })).toMatchObject({ count: 4_080, results: { length: 10 } });
    expect(statements).toBe(2);
    expect(await ask({ search: "n102" })).toMatchObject({ count: 12 });
    expect(statements).toBe(4);
    const plan = await sql<{
      "QUERY PLAN": string;
    }>`explain select id from envelopes e where purged_at is null and owner_id = ${owner.id}::uuid and folder = 'sent' order by created_at desc, id desc limit 10`.execute(
      db,
    );
    expect(plan.rows.map((row) => row["QUERY PLAN"]).join("\n")).toMatch(/Index (Only )?Scan using envelopes_owner_folder/);
  });

  it("finds what its texts hold, whether one, a thousand or nearly all do, in each order and list", async () => {
    // Nearly all; a run that thousands hold; one only; none, of one, two, three and more characters; what LIKE would take for a sign.
    for (const search of ["n", "1", "01", "n999", "n10199", "z", "zq", "zqx", "n1019n", "_", "%"])
      for (const [status, ordering] of [
        [undefined, "-created_at"],
        ["sent", "-created_at"],
        ["cancelled", "deadline_at"],
        [undefined, "-title"],
      ] as const) {
        const expected = await naive(status, `%${search.replace(/[%_]/u, "\\$&")}%`, ordering);
        const asked = `search=${encodeURIComponent(search)}&ordering=${ordering}${status === undefined ? "" : `&status=${status}`}`;
        const capped = expected.length > 10_000;
        const answer = await list(browser, `?${asked}`);
        expect(answer.body.count, asked).toBe(capped ? 10_000 : expected.length);
        expect(answer.body.count_capped, asked).toBe(capped ? true : undefined);
        expect(ids(answer), asked).toEqual(expected.slice(0, 10));
        expect(ids(await list(browser, `?${asked}&page=3`)), asked).toEqual(expected.slice(20, 30));
      }
  });

  it("is the same from its end as from its beginning", async () => {
    for (const ordering of ["-created_at", "title", "deadline_at", "-title"]) {
      const expected = await naive("sent", "%", ordering);
      for (const page of [101, 200, 250, 407, 408, 409])
        expect(ids(await list(browser, `?status=sent&ordering=${ordering}&page=${page}`)), `${ordering}, ${page}`).toEqual(
          expected.slice((page - 1) * 10, page * 10),
        );
      expect(ids(await list(browser, `?status=sent&ordering=${ordering}&page=41&page_size=100`))).toEqual(expected.slice(4_000));
    }
  });
});
