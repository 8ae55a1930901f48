import { randomUUID } from "node:crypto";
import { CompiledQuery, type RootOperationNode, sql } from "kysely";
import { describe, expect, it } from "vitest";
import { openBrowser, type TestBrowser } from "../../../../testing/browser.ts";
import { createSent, PAUL, signNth } from "../../../../testing/envelope.ts";
import { createMember, type Member, signIn } from "../../../../testing/member.ts";
import { useTestApp } from "../../../../testing/use-test-app.ts";
import { summarise } from "./read-dashboard.ts";
import { selectStanding } from "./store.ts";

const DASHBOARD = "/api/signature/dashboard/";
const service = useTestApp();

async function member(): Promise<{ owner: Member; browser: TestBrowser }> {
  const owner = await createMember(service.platform);
  return { owner, browser: await signIn(service, owner) };
}

async function insertRow(
  owner: Member,
  row: { created: string; status?: string; updated?: string; title?: string },
): Promise<string> {
  const id = randomUUID();
  const updated = new Date(row.updated ?? row.created);
  await service.platform.db
    .insertInto("envelopes")
    .values({
      id,
      owner_id: owner.id,
      created_by_name: "Camille",
      title: row.title ?? "Bail",
      search_text: "bail",
      status: row.status ?? "draft",
      flow: "parallel",
      created_at: new Date(row.created),
      updated_at: updated,
      completed_at: row.status === "completed" ? updated : null,
      cancelled_at: row.status === "cancelled" ? updated : null,
      status_before_cancel: row.status === "cancelled" ? "draft" : null,
    })
    .execute();
  return id;
}

describe("the dashboard", () => {
  it("is all zeros and complete at first", async () => {
    const { browser } = await member();
    const { body } = await browser.get(DASHBOARD);
    expect(body).toMatchObject({
      counts: { draft: 0, sent: 0, completed: 0, actionRequired: 0 },
      totalThisMonth: 0,
      periodTotal: 0,
      periodCompleted: 0,
      completionRate: 0,
      avgSigningTime: 0,
      standing: { lastDraftAt: null, toCorrect: 0, expiringSoon: 0, mostUrgentAt: null },
      recent: [],
      notifications: [],
    });
    expect(body.sparklines.last30).toHaveLength(30);
    expect(body.sparklines.last7).toEqual(body.sparklines.last30.slice(-7));
    expect(body.sparklines.last7.at(-1)).toEqual({ date: "2026-11-21", count: 0 });
  });

  it("counts the account's own envelopes, by days of Paris", async () => {
    const { owner, browser } = await member();
    await insertRow(owner, { created: "2026-10-31T22:59:59Z", status: "cancelled" });
    await insertRow(owner, { created: "2026-10-31T23:00:00Z" });
    await insertRow(owner, { created: "2026-11-20T22:30:00Z", status: "sent" });
    await insertRow(owner, {
      created: "2026-11-20T23:30:00Z",
      status: "completed",
      updated: "2026-11-22T11:30:00Z",
    });
    await insertRow(owner, {
      created: "2026-11-19T23:30:00Z",
      status: "completed",
      updated: "2026-11-20T01:54:00Z",
    });
    const { body } = await browser.get(DASHBOARD);
    expect(body).toMatchObject({
      counts: { draft: 1, sent: 1, completed: 2 },
      totalThisMonth: 4,
      periodTotal: 5,
      periodCompleted: 2,
      completionRate: 40,
      avgSigningTime: 0.8,
    });
    const days = new Map(
      body.sparklines.last30.map((day: { date: string; count: number }) => [day.date, day.count]),
    );
    expect([
      days.get("2026-10-31"),
      days.get("2026-11-01"),
      days.get("2026-11-20"),
      days.get("2026-11-21"),
    ]).toEqual([1, 1, 2, 1]);
    expect((await browser.get(`${DASHBOARD}?from=2026-11-20&to=2026-11-20`)).body).toMatchObject({
      periodTotal: 2,
      completionRate: 50,
      avgSigningTime: 0.1,
      totalThisMonth: 4,
    });
    expect((await browser.get(`${DASHBOARD}?from=2026-11-20`)).body.periodTotal).toBe(5);
    expect((await browser.get(`${DASHBOARD}?to=2026-11-20`)).body.periodTotal).toBe(5);
    expect((await browser.get(`${DASHBOARD}?from=2026-11-21&to=2026-11-20`)).body).toMatchObject({
      periodTotal: 0,
      completionRate: 0,
      avgSigningTime: 0,
    });
  });

  it("shows the five newest envelopes and the five last completed ones", async () => {
    const { owner, browser } = await member();
    for (let day = 1; day <= 7; day++)
      await insertRow(owner, {
        title: `n° ${day}`,
        created: `2026-11-0${day}T09:00:00Z`,
        status: "completed",
        updated: `2026-11-1${9 - day}T09:00:00Z`,
      });
    const { body } = await browser.get(DASHBOARD);
    expect(body.recent.map((row: { title: string }) => row.title)).toEqual([
      "n° 7",
      "n° 6",
      "n° 5",
      "n° 4",
      "n° 3",
    ]);
    expect(body.notifications.map((row: { title: string }) => row.title)).toEqual([
      "n° 1",
      "n° 2",
      "n° 3",
      "n° 4",
      "n° 5",
    ]);
    expect(body.notifications[0]).toMatchObject({
      envelope_id: expect.any(String),
      completed_at: "2026-11-18T09:00:00.000Z",
    });
  });

  it("follows an envelope through its life: a purged one is no longer counted", async () => {
    const { browser } = await member();
    const sent = await createSent(browser, { recipients: [PAUL] });
    await signNth(service.platform, sent);
    expect((await browser.get(DASHBOARD)).body).toMatchObject({
      counts: { draft: 0, sent: 0, completed: 1 },
      periodTotal: 1,
      completionRate: 100,
      avgSigningTime: 0,
      notifications: [{ envelope_id: sent.id }],
    });
    await browser.post(`/api/signature/envelopes/${sent.id}/cancel/`);
    expect((await browser.get(DASHBOARD)).body).toMatchObject({
      counts: { completed: 0 },
      periodTotal: 1,
      completionRate: 0,
      notifications: [],
    });
    await browser.post(`/api/signature/envelopes/${sent.id}/restore/`);
    expect((await browser.get(DASHBOARD)).body).toMatchObject({
      counts: { completed: 1 },
      completionRate: 100,
    });
    await browser.post(`/api/signature/envelopes/${sent.id}/cancel/`);
    await browser.send("DELETE", `/api/signature/envelopes/${sent.id}/purge/`);
    expect((await browser.get(DASHBOARD)).body).toMatchObject({
      periodTotal: 0,
      totalThisMonth: 0,
      recent: [],
    });
  });

  it("shows received envelopes among the newest, once, even those sent to oneself", async () => {
    const [sender, signer] = [await member(), await member()];
    await insertRow(signer.owner, { title: "À moi", created: "2026-11-01T09:00:00Z" });
    const received = await createSent(sender.browser, {
      recipients: [{ email: signer.owner.email, full_name: "Signataire" }],
    });
    const both = await createSent(signer.browser, {
      recipients: [{ email: signer.owner.email, full_name: "Signataire" }],
    });
    const { body } = await signer.browser.get(DASHBOARD);
    expect(body.recent.map((row: { id: string }) => row.id)).toEqual(
      expect.arrayContaining([received.id, both.id]),
    );
    expect(body.recent).toHaveLength(3);
    expect(body.recent.at(-1).title).toBe("À moi");
    expect(body.recent.find((row: { id: string }) => row.id === received.id)).toMatchObject({
      is_owner: false,
      status: "action_required",
    });
  });

  it("tells whoever signed or received an envelope that it is complete, once", async () => {
    const [sender, signer] = [await member(), await member()];
    const recipients = [{ email: signer.owner.email, full_name: "Signataire" }];
    const received = await createSent(sender.browser, { recipients });
    const both = await createSent(signer.browser, { recipients });
    expect((await signer.browser.get(DASHBOARD)).body.notifications).toEqual([]);
    for (const envelope of [received, both]) await signNth(service.platform, envelope);
    const { notifications } = (await signer.browser.get(DASHBOARD)).body;
    expect(notifications.map((row: { envelope_id: string }) => row.envelope_id).toSorted()).toEqual(
      [received.id, both.id].toSorted(),
    );
    const { body } = await signer.browser.get(`/api/signature/envelopes/${received.id}/`);
    expect(body).toMatchObject({ is_owner: false, status: "completed" });
  });

  it("counts what waits for the user's signature", async () => {
    const [sender, signer] = [await member(), await member()];
    await createSent(sender.browser, {
      recipients: [{ email: signer.owner.email, full_name: "Signataire" }],
    });
    expect((await signer.browser.get(DASHBOARD)).body.counts).toEqual({
      draft: 0,
      sent: 0,
      completed: 0,
      actionRequired: 1,
    });
  });

  it("says which draft was changed last, what reaches its deadline within a week and what is most urgent to sign", async () => {
    const [sender, signer] = [await member(), await member()];
    await insertRow(sender.owner, {
      created: "2026-11-01T09:00:00Z",
      updated: "2026-11-17T08:00:00Z",
    });
    await insertRow(sender.owner, { created: "2026-11-10T09:00:00Z" });
    await insertRow(sender.owner, { created: "2026-11-20T09:00:00Z", status: "cancelled" });
    const signers = { recipients: [{ email: signer.owner.email, full_name: "Signataire" }] };
    for (const deadline_at of [
      "2026-12-05T22:59:59.000Z",
      "2026-11-24T22:59:59.000Z",
      "2026-11-27T22:59:59.000Z",
    ])
      await createSent(sender.browser, { ...signers, deadline_at });
    const declined = await createSent(sender.browser, {
      ...signers,
      deadline_at: "2026-11-22T22:59:59.000Z",
    });
    await sender.browser.post(`/api/signature/envelopes/${declined.id}/cancel/`);
    await createSent(sender.browser, signers);
    expect((await sender.browser.get(DASHBOARD)).body.standing).toEqual({
      lastDraftAt: "2026-11-17T08:00:00.000Z",
      toCorrect: 0,
      expiringSoon: 2,
      mostUrgentAt: null,
    });
    expect((await signer.browser.get(DASHBOARD)).body.standing).toEqual({
      lastDraftAt: null,
      toCorrect: 0,
      expiringSoon: 0,
      mostUrgentAt: "2026-11-24T22:59:59.000Z",
    });
  });

  it.each([
    ["2026-11-21T12:00:00Z", "2026-11-28T22:59:59.000Z", 1],
    ["2026-11-20T23:30:00Z", "2026-11-28T22:59:59.000Z", 1],
    ["2026-11-20T22:30:00Z", "2026-11-28T22:59:59.000Z", 0],
    ["2026-03-22T12:00:00Z", "2026-03-29T21:59:59.000Z", 1],
    ["2026-03-22T12:00:00Z", "2026-03-29T22:00:00.000Z", 0],
  ])(
    "at %s a deadline at %s, which the pages say in whole days of Paris, counts %i among those within a week",
    async (now, deadline_at, count) => {
      service.platform.clock.set(new Date(now));
      const { browser } = await member();
      await createSent(browser, { recipients: [PAUL], deadline_at });
      expect((await browser.get(DASHBOARD)).body.standing.expiringSoon).toBe(count);
    },
  );

  it("counts the returned documents that the user corrects, and no new draft", async () => {
    const { owner, browser } = await member();
    const toCorrect = async () => (await browser.get(DASHBOARD)).body.standing.toCorrect;
    await insertRow(owner, { created: "2026-11-10T09:00:00Z" });
    expect(await toCorrect()).toBe(0);
    const sent = await createSent(browser, { recipients: [PAUL] });
    expect(await toCorrect()).toBe(0);
    const { db } = service.platform;
    await db.updateTable("envelopes").set({ status: "draft" }).where("id", "=", sent.id).execute();
    expect(await toCorrect()).toBe(1);
    await browser.post(`/api/signature/envelopes/${sent.id}/cancel/`);
    expect(await toCorrect()).toBe(0);
  });

  it("is for a signed-in user, and refuses a text that is no date", async () => {
    expect((await openBrowser(service.app).get(DASHBOARD)).status).toBe(401);
    const { browser } = await member();
    for (const period of ["from=hier", "from=0001-01-01&to=9999-12-31"])
      expect((await browser.get(`${DASHBOARD}?${period}`)).status).toBe(400);
  });
});

describe("the figures of a period", () => {
  it("have one decimal", () => {
    expect(summarise({ created: 3, completed: 1, completedDays: 1.26 })).toEqual({
      total: 3,
      completionRate: 33.3,
      avgSigningTime: 1.3,
    });
    expect(summarise({ created: 0, completed: 0, completedDays: 0 })).toEqual({
      total: 0,
      completionRate: 0,
      avgSigningTime: 0,
    });
  });
});

describe("near deadlines", () => {
  it("are counted from the index of their holder, however many envelopes others have", async () => {
    const [one, other] = [
      await createMember(service.platform),
      await createMember(service.platform),
    ];
    const now = service.platform.clock();
    const insert = (owner: Member, count: number) =>
      sql`insert into envelopes (id, owner_id, created_by_name, title, search_text, status, flow, created_at, updated_at, deadline_at)
        select gen_random_uuid(), ${owner.id}::uuid, '', '', '', 'sent', 'parallel', ${now}, ${now}, ${now}::timestamptz + interval '2 days'
        from generate_series(1, ${count}::int)`.execute(service.platform.db);
    await insert(one, 3);
    await insert(other, 5_000);
    await sql`analyze envelopes`.execute(service.platform.owner);
    const asked: RootOperationNode[] = [];
    const db = service.platform.db.withPlugin({
      transformQuery: ({ node }) => (asked.push(node), node),
      transformResult: async ({ result }) => result,
    });
    const beyond = new Date(now.getTime() + 7 * 86_400_000);
    const person = { holders: [one.id], emailKey: one.email, isConfirmed: true };
    expect((await selectStanding(db, person, { now, beyond })).expiringSoon).toBe(3);
    const compiled = db.getExecutor().compileQuery(asked[0] as RootOperationNode, { queryId: "p" });
    const { rows } = await service.platform.db.executeQuery<{ "QUERY PLAN": string }>(
      CompiledQuery.raw(`explain ${compiled.sql}`, [...compiled.parameters]),
    );
    const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
    expect(plan).toContain("envelopes_holder_due");
    expect(plan).not.toMatch(/envelopes_deadline|Seq Scan on envelopes/);
  });
});
