import { CompiledQuery, type KyselyPlugin, type RootOperationNode, sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { openBrowser } from "../../../testing/browser.ts";
import { createSent, ENVELOPES } from "../../../testing/envelope.ts";
import { signAsGuest } from "../../../testing/guest.ts";
import { createMember, type Member, signIn } from "../../../testing/member.ts";
import { verifyChain } from "../audit/index.ts";
import { purgeAt } from "./domain/paris-days.ts";
import { selectToPurge } from "./due-store.ts";
import { purgeDue } from "./jobs.ts";

let service: TestApp;
let anneMember: Member;

beforeAll(async () => {
  service = await createTestApp();
  anneMember = await createMember(service.platform, { firstName: "Anne", lastName: "Roux" });
});
afterAll(() => service.close());

/** Cancelled at the first, purged from the second on. */
const CASES = [
  ["over the change to summer time", "2027-03-20T13:30:00Z", "2027-03-30T12:30:00Z"],
  ["over the change to winter time", "2027-10-25T12:30:00Z", "2027-11-04T13:30:00Z"],
  ["over 29 February", "2028-02-20T08:00:00Z", "2028-03-01T08:00:00Z"],
  ["on 29 February", "2032-02-29T22:59:59Z", "2032-03-10T22:59:59Z"],
  ["over the end of February of another year", "2033-02-20T08:00:00Z", "2033-03-02T08:00:00Z"],
] as const;

describe("a cancelled envelope", () => {
  for (const [when, cancelled, purged] of CASES)
    it(`is purged after ten whole days of Paris ${when}, not a second before; its proof still answers`, async () => {
      const { platform } = service;
      platform.clock.set(new Date(cancelled));
      let anne = await signIn(service, anneMember);
      const guest = { email: `purge.${cancelled.slice(0, 10)}@exemple.fr`, full_name: "Paul Morel" };
      const envelope = await createSent(anne, { recipients: [guest] });
      await signAsGuest(service, envelope.id, guest.email);
      const print = (await anne.post("/api/signature/prints/generate/", { envelope: envelope.id, qr_type: "page" })).body;
      const proof = async () => (await openBrowser(service.app).get(`/api/signature/prints/${print.id}/verify/?sig=${print.sig}`)).body;
      const before = await proof();
      expect(before.title).toBe("Bail d’habitation");
      const gone = (await anne.post(`${ENVELOPES}${envelope.id}/cancel/`)).body;
      expect(gone.days_remaining).toBe(10);
      const due = new Date(Date.parse(gone.cancelled_at) + Date.parse(purged) - Date.parse(cancelled));
      platform.clock.set(new Date(due.getTime() - 1_000));
      expect(await purgeDue(platform)).toBe(0);
      anne = await signIn(service, anneMember);
      expect((await anne.get(`${ENVELOPES}${envelope.id}/`)).body.days_remaining).toBe(1);
      platform.clock.set(due);
      expect(await purgeDue(platform)).toBe(1);
      expect((await anne.get(`${ENVELOPES}${envelope.id}/`)).status).toBe(404);
      const after = await proof();
      expect(after).toMatchObject({ purged: true, verdict: "indeterminate", hash_sha256: before.hash_sha256 });
      expect(JSON.stringify(after)).not.toMatch(/Bail|Paul|exemple\.fr/);
      expect(await verifyChain(platform.db, envelope.id)).toMatchObject({ ok: true });
    });

  it("is found by the database by the moment that the domain says, at every third hour of the years around", async () => {
    const start = Date.parse("2026-01-01T00:30:00Z");
    const moments = Array.from({ length: (24 * 365 * 3) / 3 }, (_, index) => new Date(start + index * 3 * 3_600_000));
    const { rows } = await sql<{ due: Date }>`
      select (at at time zone 'Europe/Paris' + make_interval(days => 10)) at time zone 'Europe/Paris' - interval '1 hour' as due
      from unnest(${moments.map((moment) => moment.toISOString())}::timestamptz[]) with ordinality as given (at, place) order by place
    `.execute(service.platform.db);
    const apart = rows.flatMap(({ due }, index) => {
      const moment = moments[index] as Date;
      // Nor by how far back the database looks at all.
      const isTooSoon = purgeAt(moment).getTime() - moment.getTime() < (10 * 24 - 2) * 3_600_000;
      return due > purgeAt(moment) || isTooSoon ? [`${moment.toISOString()} ${due.toISOString()}`] : [];
    });
    expect(apart).toEqual([]);
  });

  it("is looked for among those whose days are over, not among all that were cancelled", async () => {
    const { db, clock } = service.platform;
    const asked: RootOperationNode[] = [];
    const ear: KyselyPlugin = { transformQuery: ({ node }) => (asked.push(node), node), transformResult: async ({ result }) => result };
    await selectToPurge(db.withPlugin(ear), { now: clock(), days: 10, limit: 10, skip: 0 });
    const { sql: text, parameters } = db.getExecutor().compileQuery(asked[0] as RootOperationNode, { queryId: "plan" });
    await sql`insert into envelopes (id, owner_id, created_by_name, title, search_text, status, flow, created_at, updated_at, status_before_cancel, cancelled_at)
      select gen_random_uuid(), ${anneMember.id}::uuid, '', '', '', 'cancelled', 'parallel', ${clock()}, ${clock()}, 'draft', ${clock()}::timestamptz - n * interval '1 minute'
      from generate_series(1, 2000) n`.execute(db);
    await sql`analyze envelopes`.execute(service.platform.owner);
    const { rows: plan } = await db.executeQuery<{ "QUERY PLAN": string }>(CompiledQuery.raw(`explain ${text}`, [...parameters]));
    expect(plan.map((row) => row["QUERY PLAN"]).join("\n")).toMatch(/using envelopes_cancelled .*\n\s+Index Cond: \(cancelled_at <= /);
  });
});
