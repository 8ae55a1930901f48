import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { openBrowser, type TestBrowser } from "../../../testing/browser.ts";
import { createSent, ENVELOPES, PAUL, recordTestSignature } from "../../../testing/envelope.ts";
import { createMember, type Member, signIn } from "../../../testing/member.ts";
import { envelopeText } from "./domain/search-text.ts";

let service: TestApp;

beforeAll(async () => {
  service = await createTestApp();
});
afterAll(() => service.close());

type Row = { readonly title?: string; readonly status?: string; readonly created?: string; readonly deadline?: string };

/** Writes envelopes without documents, for lists that look at their rows only. */
async function insertRows(owner: Member, rows: readonly Row[]): Promise<string[]> {
  const values = rows.map((row) => {
    const title = row.title ?? "Bail";
    const created = new Date(row.created ?? "2026-11-20T09:00:00Z");
    const status = row.status ?? "draft";
    return {
      id: randomUUID(),
      owner_id: owner.id,
      created_by_name: "Camille Roux",
      title,
      search_text: envelopeText(title, "Camille Roux"),
      status,
      flow: "parallel",
      created_at: created,
      updated_at: created,
      cancelled_at: status === "cancelled" ? created : null,
      status_before_cancel: status === "cancelled" ? "draft" : null,
      deadline_at: row.deadline === undefined ? null : new Date(row.deadline),
    };
  });
  await service.platform.db.insertInto("envelopes").values(values).execute();
  return values.map((value) => value.id);
}

async function member(): Promise<{ owner: Member; browser: TestBrowser }> {
  const owner = await createMember(service.platform);
  return { owner, browser: await signIn(service, owner) };
}
const titles = (answer: { body: { results: { title: string }[] } }) => answer.body.results.map((row) => row.title);
const list = (browser: TestBrowser, query = "") => browser.get(`${ENVELOPES}${query}`);

describe("a list", () => {
  it("holds one's own envelopes, newest first, ten a page", async () => {
    const { owner, browser } = await member();
    const other = await member();
    await insertRows(
      owner,
      Array.from({ length: 23 }, (_, index) => ({
        title: `n° ${index}`,
        created: `2026-11-${String(index + 1).padStart(2, "0")}T09:00:00Z`,
      })),
    );
    const first = await list(browser);
    expect(first.body).toMatchObject({ count: 23, page: 1, page_size: 10 });
    expect(first.body).not.toHaveProperty("count_capped");
    expect(titles(first)).toEqual(Array.from({ length: 10 }, (_, index) => `n° ${22 - index}`));
    expect(titles(await list(browser, "?page=3"))).toEqual(["n° 2", "n° 1", "n° 0"]);
    expect((await list(browser, "?page=4")).body).toMatchObject({ count: 23, results: [] });
    expect(titles(await list(browser, "?page_size=2&page=2"))).toEqual(["n° 20", "n° 19"]);
    expect((await list(other.browser)).body).toMatchObject({ count: 0, results: [] });
  });

  it("filters by status: `sent` holds all that was sent and is neither completed nor cancelled", async () => {
    const { owner, browser } = await member();
    const statuses = ["draft", "sent", "pending", "completed", "declined", "expired", "cancelled"];
    await insertRows(
      owner,
      statuses.map((status) => ({ title: status, status })),
    );
    for (const status of statuses.filter((name) => name !== "sent"))
      expect(titles(await list(browser, `?status=${status}`))).toEqual([status]);
    const sent = await list(browser, "?status=sent");
    expect(titles(sent).sort()).toEqual(["declined", "expired", "pending", "sent"]);
    expect(sent.body.count).toBe(4);
    expect((await list(browser, "?status=cancelled")).body.results[0]).toMatchObject({ days_remaining: 9 });
    expect((await browser.get(`${ENVELOPES}counts/`)).body).toEqual({ draft: 1, sent: 4, completed: 1, action_required: 0, cancelled: 1 });
  });

  it("says how many fields each has, and neither which, nor when people are reminded, nor what the public page shows: the envelope itself does", async () => {
    const { browser } = await member();
    const sent = await createSent(browser, { reminders: { every_days: 3, business_days: true } });
    const [row] = (await list(browser)).body.results;
    const {
      fields,
      reminders,
      remind_at: remindAt,
      proof_only: isProofOnly,
      ...rest
    } = (await browser.get(`${ENVELOPES}${sent.id}/`)).body;
    expect([fields.length > 0, reminders.every_days, remindAt, isProofOnly]).toEqual([true, 3, null, false]);
    const { recipients } = row;
    expect(row).toEqual({ ...rest, fields: [], field_count: fields.length, recipients });
    expect(recipients).toHaveLength(rest.recipients.length);
  });

  it("searches title and creator whatever the case and the accents, with % and _ as they are", async () => {
    const { owner, browser } = await member();
    await insertRows(owner, [{ title: "Été à Œuvres" }, { title: "100 % coton" }, { title: "1000 cotons" }, { title: "a_b" }]);
    expect(titles(await list(browser, "?search=ETE%20a%20oeuvres"))).toEqual(["Été à Œuvres"]);
    expect(titles(await list(browser, "?search=100%20%25"))).toEqual(["100 % coton"]);
    expect(titles(await list(browser, "?search=_"))).toEqual(["a_b"]);
    expect((await list(browser, "?search=camille")).body.count).toBe(4);
    expect((await list(browser, "?search=%20")).body.count).toBe(4);
    expect((await list(browser, "?search=rien")).body).toMatchObject({ count: 0, results: [] });
  });

  it("keeps to days of Paris, both ends included", async () => {
    const { owner, browser } = await member();
    await insertRows(owner, [
      { title: "veille", created: "2026-11-18T22:59:59Z" },
      { title: "matin", created: "2026-11-18T23:00:00Z" },
      { title: "soir", created: "2026-11-20T22:59:59Z" },
      { title: "lendemain", created: "2026-11-20T23:00:00Z" },
    ]);
    const between = await list(browser, "?from=2026-11-19&to=2026-11-20");
    expect(titles(between)).toEqual(["soir", "matin"]);
    expect(between.body.count).toBe(2);
    expect((await list(browser, "?from=1900-01-01&to=2999-12-31")).status).toBe(200);
  });

  it("is ordered as asked; what has no deadline comes last", async () => {
    const { owner, browser } = await member();
    await insertRows(owner, [
      { title: "b", deadline: "2026-12-02T00:00:00Z" },
      { title: "a", deadline: "2026-12-03T00:00:00Z" },
      { title: "c" },
    ]);
    expect(titles(await list(browser, "?ordering=title"))).toEqual(["a", "b", "c"]);
    expect(titles(await list(browser, "?ordering=-title"))).toEqual(["c", "b", "a"]);
    expect(titles(await list(browser, "?ordering=deadline_at"))).toEqual(["b", "a", "c"]);
  });

  it("is ordered by title as names are: neither capitals nor accents part anybody", async () => {
    const { owner, browser } = await member();
    const names = ["Zèbre", "bail", "Écran", "Abricot", "écran plat", "Œuvre"];
    await insertRows(
      owner,
      names.map((title) => ({ title })),
    );
    const inOrder = ["Abricot", "bail", "Écran", "écran plat", "Œuvre", "Zèbre"];
    expect(titles(await list(browser, "?ordering=title"))).toEqual(inOrder);
    expect(titles(await list(browser, "?ordering=-title"))).toEqual(inOrder.toReversed());
    expect(titles(await list(browser, "?ordering=title&search=ecran"))).toEqual(["Écran", "écran plat"]);
  });

  it("puts a title before those it begins, whoever sent it", async () => {
    const { owner, browser } = await member();
    const names = ["Bail 2", "Bail-type", "Bail", "Bail!", "Bailleur", "Bail 10"];
    await insertRows(
      owner,
      names.map((title) => ({ title })),
    );
    const inOrder = ["Bail", "Bail 10", "Bail 2", "Bail!", "Bail-type", "Bailleur"];
    expect(titles(await list(browser, "?ordering=title"))).toEqual(inOrder);
    expect(titles(await list(browser, "?ordering=-title&search=bail"))).toEqual(inOrder.toReversed());
    expect(titles(await list(browser, "?search=camille"))).toHaveLength(names.length);
  });

  it.each([
    "?status=inconnu",
    "?page=0",
    "?page=abc",
    "?page_size=101",
    "?ordering=owner_id",
    "?ordering=-updated_at",
    "?from=hier",
    "?inconnu=1",
    "?from=0001-01-01",
    "?to=9999-12-31",
    "?from=1899-12-31",
    "?to=3000-01-01",
  ])("refuses %s", async (query) => {
    const { browser } = await member();
    expect(await list(browser, query)).toMatchObject({ status: 400, body: { code: "validation" } });
  });

  it("is for a signed-in user", async () => {
    expect((await list(openBrowser(service.app))).status).toBe(401);
    expect((await openBrowser(service.app).get(`${ENVELOPES}counts/`)).status).toBe(401);
  });
});

describe("what waits for a signature", () => {
  it("is listed for whoever holds the confirmed address, as `action_required`, until they have signed", async () => {
    const { platform } = service;
    const anne = await member();
    const paul = await member();
    const sent = await createSent(anne.browser, {
      title: "Pour Paul",
      recipients: [{ email: paul.owner.email.toUpperCase(), full_name: "Paul Morel" }, PAUL],
    });
    const waiting = await list(paul.browser, "?status=action_required");
    expect(waiting.body).toMatchObject({
      count: 1,
      results: [{ id: sent.id, status: "action_required", is_owner: false, created_by_name: "Camille Roux" }],
    });
    expect((await paul.browser.get(`${ENVELOPES}counts/`)).body.action_required).toBe(1);
    expect((await list(paul.browser)).body.count).toBe(0);
    expect((await list(anne.browser, "?status=action_required")).body.count).toBe(0);
    await recordTestSignature(platform, sent.id, sent.recipients[0]?.id ?? "");
    expect((await list(paul.browser, "?status=action_required")).body.count).toBe(0);
    expect((await list(paul.browser, "?status=completed")).body.count).toBe(0);
    await recordTestSignature(platform, sent.id, sent.recipients[1]?.id ?? "");
    const completed = await list(paul.browser, "?status=completed");
    expect(completed.body).toMatchObject({ count: 1, results: [{ id: sent.id, status: "completed", is_owner: false }] });
    expect((await paul.browser.get(`${ENVELOPES}counts/`)).body.completed).toBe(1);
    expect((await list(anne.browser, "?status=completed")).body).toMatchObject({ count: 1, results: [{ is_owner: true }] });
  });

  it("holds only those whose turn it is, not a cancelled one; a sender's own is theirs in that list", async () => {
    const anne = await member();
    const self = { email: anne.owner.email, full_name: "Camille Roux" };
    const sent = await createSent(anne.browser, { recipients: [self] });
    await createSent(anne.browser, { flow: "sequential", recipients: [PAUL, { ...self, order: 2 }] });
    const gone = await createSent(anne.browser, { recipients: [self] });
    await anne.browser.post(`${ENVELOPES}${gone.id}/cancel/`);
    expect((await list(anne.browser, "?status=action_required")).body).toMatchObject({
      count: 1,
      results: [{ id: sent.id, status: "action_required", is_owner: true }],
    });
    expect((await list(anne.browser, "?status=sent")).body.results.map((row: { status: string }) => row.status)).toEqual(["sent", "sent"]);
  });

  it("is read by people in copy once it is completed", async () => {
    const anne = await member();
    const viewer = await member();
    const sent = await createSent(anne.browser, { recipients: [PAUL, { email: viewer.owner.email, full_name: "Copie", role: "viewer" }] });
    expect((await viewer.browser.get(`${ENVELOPES}${sent.id}/`)).status).toBe(404);
    await recordTestSignature(service.platform, sent.id, sent.recipients[0]?.id ?? "");
    expect((await viewer.browser.get(`${ENVELOPES}${sent.id}/`)).body).toMatchObject({ status: "completed", is_owner: false });
    expect((await list(viewer.browser, "?status=completed")).body.count).toBe(1);
  });
});
