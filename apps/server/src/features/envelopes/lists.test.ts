import { randomUUID } from "node:crypto";
import { type KyselyPlugin, sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { openBrowser, refusal, type TestBrowser } from "../../../testing/browser.ts";
import {
  actOn,
  createDraft,
  createSent,
  ENVELOPES,
  patchEnvelope,
  PAUL,
  readEnvelope,
  signNth,
} from "../../../testing/envelope.ts";
import { createMember, type Member, signIn } from "../../../testing/member.ts";
import { emailKey } from "../accounts/public.ts";
import { envelopeText } from "./domain/search-text.ts";
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

type Row = {
  readonly title?: string;
  readonly status?: string;
  readonly created?: string;
  readonly deadline?: string;
};

/** Writes envelopes without documents, for lists that read only their rows. */
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
      search_text: envelopeText(title, "Camille Roux", []),
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
const titles = (answer: { body: { results: { title: string }[] } }) =>
  answer.body.results.map((row) => row.title);

test("a list has the account's own envelopes, newest first, ten a page", async () => {
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

test("a list filters by status: `sent` has all that was sent and is neither completed nor cancelled", async () => {
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
  const unsigned = await list(browser, "?status=unsigned");
  expect([titles(unsigned), unsigned.body.count]).toEqual([["sent"], 1]);
  expect(titles(await list(browser, "?status=unsigned&search=sent&from=2026-11-20"))).toEqual([
    "sent",
  ]);
  const several = await list(browser, "?status=unsigned,expired,unsigned");
  expect([titles(several).sort(), several.body.count]).toEqual([["expired", "sent"], 2]);
  expect(
    titles(await list(browser, "?status=expired,pending&search=p&from=2026-11-20&ordering=-title")),
  ).toEqual(["pending", "expired"]);
  for (const refused of ["unsigned,draft", "unsigned,", "sent,pending"])
    expect((await list(browser, `?status=${refused}`)).status, refused).toBe(400);
  expect((await list(browser, "?status=cancelled")).body.results[0]).toMatchObject({
    days_remaining: 9,
  });
  expect((await browser.get(`${ENVELOPES}counts/`)).body).toEqual({
    draft: 1,
    sent: 4,
    completed: 1,
    action_required: 0,
    cancelled: 1,
  });
});

test("a list gives the number of fields, and neither fields, reminders nor public page", async () => {
  const { browser } = await member();
  const sent = await createSent(browser, { reminders: { every_days: 3, business_days: true } });
  const [row] = (await list(browser)).body.results;
  const {
    fields,
    reminders,
    remind_at: remindAt,
    proof_only: isProofOnly,
    reached: isReached,
    ...rest
  } = await readEnvelope(browser, sent.id);
  expect([fields.length > 0, reminders.every_days, remindAt, isProofOnly, isReached]).toEqual([
    true,
    3,
    null,
    false,
    true,
  ]);
  const { recipients } = row;
  expect(row).toEqual({ ...rest, fields: [], field_count: fields.length, recipients });
  expect(recipients).toHaveLength(rest.recipients.length);
});

test("a list searches title and creator whatever the case and the accents, with % and _ as they are", async () => {
  const { owner, browser } = await member();
  await insertRows(owner, [
    { title: "Été à Œuvres" },
    { title: "100 % coton" },
    { title: "1000 cotons" },
    { title: "a_b" },
  ]);
  expect(titles(await list(browser, "?search=ETE%20a%20oeuvres"))).toEqual(["Été à Œuvres"]);
  expect(titles(await list(browser, "?search=100%20%25"))).toEqual(["100 % coton"]);
  expect(titles(await list(browser, "?search=_"))).toEqual(["a_b"]);
  expect((await list(browser, "?search=camille")).body.count).toBe(4);
  expect((await list(browser, "?search=%20")).body.count).toBe(4);
  expect((await list(browser, "?search=rien")).body).toMatchObject({ count: 0, results: [] });
});

test("a list finds own envelopes by current recipient, others' by neither name nor address of a third", async () => {
  const anne = await member();
  const paul = await member();
  const third = { email: "t.nguyen@copro-havre.fr", full_name: "Thị Nguyễn" };
  const theirs = { email: paul.owner.email, full_name: "Paul Morel" };
  const { id, recipients } = await createSent(anne.browser, {
    title: "Mandat",
    recipients: [theirs, third],
  });
  const found = async (who: { browser: TestBrowser }, search: string, status?: string) =>
    titles(
      await list(
        who.browser,
        `?search=${encodeURIComponent(search)}${status === undefined ? "" : `&status=${status}`}`,
      ),
    );
  for (const search of ["NGUYEN", "copro-havre.fr", "paul morel"])
    expect(await found(anne, search), search).toEqual(["Mandat"]);
  for (const search of ["nguyen", "copro-havre"])
    expect(await found(paul, search, "action_required"), search).toEqual([]);
  expect(await found(paul, "mandat", "action_required")).toEqual(["Mandat"]);
  expect(await found(paul, "camille", "action_required")).toEqual(["Mandat"]);

  await anne.browser.send("PATCH", `${ENVELOPES}${id}/recipients/${recipients[1]?.id}/`, {
    body: { email: "thi@exemple.fr" },
  });
  expect([await found(anne, "copro-havre"), await found(anne, "thi@exemple")]).toEqual([
    [],
    ["Mandat"],
  ]);

  const draft = await createDraft(anne.browser, { title: "Essai", recipients: [third] });
  expect(await found(anne, "nguyen", "draft")).toEqual(["Essai"]);
  await patchEnvelope(anne.browser, draft.id, { recipients: [PAUL] });
  expect(await found(anne, "nguyen", "draft")).toEqual([]);
  await patchEnvelope(anne.browser, draft.id, { title: "Nouvel essai" });
  expect(await found(anne, PAUL.email, "draft")).toEqual(["Nouvel essai"]);
});

test("a list searches titles alone on request, in own envelopes and in others' that were received", async () => {
  const anne = await member();
  const paul = await member();
  const asked = [{ email: paul.owner.email, full_name: "Camille Durand" }];
  await createSent(anne.browser, { title: "Mandat", recipients: asked });
  await createSent(anne.browser, { title: "Pour Camille", recipients: asked });
  for (const [who, status] of [
    [anne, "sent"],
    [paul, "action_required"],
  ] as const) {
    const query = `?search=camille&status=${status}`;
    expect((await list(who.browser, query)).body.count, status).toBe(2);
    expect(titles(await list(who.browser, `${query}&search_in=title`)), status).toEqual([
      "Pour Camille",
    ]);
  }
});

test("a list without results proposes the nearest text of its own envelopes", async () => {
  const { owner, browser } = await member();
  await insertRows(owner, [{ title: "Succession Aubry", status: "sent" }]);
  expect((await list(browser, "?search=AUBRI")).body).toMatchObject({
    count: 0,
    near: "aubry",
  });
  expect((await list(browser, "?search=aubri&status=unsigned")).body.near).toBe("aubry");
  for (const query of [
    "?search=aubry",
    "?search=aubri&status=draft",
    "?search=dupont",
    "?status=draft",
  ])
    expect((await list(browser, query)).body, query).not.toHaveProperty("near");
  // In what others sent, an envelope of a third person does not come back that way.
  const paul = await member();
  const asked = [
    { email: paul.owner.email, full_name: "Paul Morel" },
    { email: "t@copro-havre.fr", full_name: "Thị Nguyễn" },
  ];
  await createSent(browser, { title: "Mandat", recipients: asked });
  expect(
    (await list(paul.browser, "?search=nguyem&status=action_required")).body,
  ).not.toHaveProperty("near");
  expect((await list(paul.browser, "?search=mandta&status=action_required")).body.near).toBe(
    "mandat",
  );
});

test("a list filters by days of Paris, both ends included", async () => {
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

test("a list is ordered as asked; envelopes without a deadline come last", async () => {
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

test("a list is ordered by title without regard to capitals and accents", async () => {
  const { owner, browser } = await member();
  const names = ["Zèbre", "bail", "Écran", "Abricot", "écran plat", "Œuvre"];
  await insertRows(
    owner,
    names.map((title) => ({ title })),
  );
  const inOrder = ["Abricot", "bail", "Écran", "écran plat", "Œuvre", "Zèbre"];
  expect(titles(await list(browser, "?ordering=title"))).toEqual(inOrder);
  expect(titles(await list(browser, "?ordering=-title"))).toEqual(inOrder.toReversed());
  expect(titles(await list(browser, "?ordering=title&search=ecran"))).toEqual([
    "Écran",
    "écran plat",
  ]);
});

test("a list puts a title before those it begins, whoever sent it", async () => {
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

test.each([
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
])("a list refuses %s", async (query) => {
  const { browser } = await member();
  expect(refusal(await list(browser, query))).toEqual([400, "validation"]);
});

test("a list needs a signed-in user", async () => {
  expect((await list(openBrowser(service.app))).status).toBe(401);
  expect((await openBrowser(service.app).get(`${ENVELOPES}counts/`)).status).toBe(401);
});

test("an envelope that waits for a signature is listed as `action_required` for whoever has the confirmed address, until they have signed", async () => {
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
    results: [
      {
        id: sent.id,
        status: "action_required",
        is_owner: false,
        created_by_name: "Camille Roux",
      },
    ],
  });
  expect((await paul.browser.get(`${ENVELOPES}counts/`)).body.action_required).toBe(1);
  expect((await list(paul.browser)).body.count).toBe(0);
  expect((await list(anne.browser, "?status=action_required")).body.count).toBe(0);
  await signNth(platform, sent);
  expect((await list(paul.browser, "?status=action_required")).body.count).toBe(0);
  expect((await list(paul.browser, "?status=completed")).body.count).toBe(0);
  await signNth(platform, sent, 1);
  const completed = await list(paul.browser, "?status=completed");
  expect(completed.body).toMatchObject({
    count: 1,
    results: [{ id: sent.id, status: "completed", is_owner: false }],
  });
  expect((await paul.browser.get(`${ENVELOPES}counts/`)).body.completed).toBe(1);
  expect((await list(anne.browser, "?status=completed")).body).toMatchObject({
    count: 1,
    results: [{ is_owner: true }],
  });
});

test("the list of what waits for a signature has only those whose turn it is, no cancelled one, and a sender's own", async () => {
  const anne = await member();
  const self = { email: anne.owner.email, full_name: "Camille Roux" };
  const sent = await createSent(anne.browser, { recipients: [self] });
  await createSent(anne.browser, {
    flow: "sequential",
    recipients: [PAUL, { ...self, order: 2 }],
  });
  const gone = await createSent(anne.browser, { recipients: [self] });
  await actOn(anne.browser, gone.id, "cancel");
  expect((await list(anne.browser, "?status=action_required")).body).toMatchObject({
    count: 1,
    results: [{ id: sent.id, status: "action_required", is_owner: true }],
  });
  expect(
    (await list(anne.browser, "?status=sent")).body.results.map(
      (row: { status: string }) => row.status,
    ),
  ).toEqual(["sent", "sent"]);
});

test("people in copy read an envelope once it is completed", async () => {
  const anne = await member();
  const viewer = await member();
  const sent = await createSent(anne.browser, {
    recipients: [PAUL, { email: viewer.owner.email, full_name: "Copie", role: "viewer" }],
  });
  expect((await viewer.browser.get(`${ENVELOPES}${sent.id}/`)).status).toBe(404);
  await signNth(service.platform, sent);
  expect(await readEnvelope(viewer.browser, sent.id)).toMatchObject({
    status: "completed",
    is_owner: false,
  });
  expect((await list(viewer.browser, "?status=completed")).body.count).toBe(1);
});

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

  /** Computes what a list should hold, without any of its indexes. */
  const naive = async (status: string | undefined, like: string, ordering: string) => {
    const [key, way] = [
      ordering.replace("-", "").replace("title", "search_text"),
      ordering.startsWith("-") ? "desc" : "asc",
    ];
    const { rows } = await sql<{ id: string }>`
      select id from envelopes where owner_id = ${owner.id}::uuid and purged_at is null and search_text || '' like ${like} ${
        status === undefined ? sql`` : sql`and folder || '' = ${status}`
      } order by ${sql.ref(key)} ${key === "search_text" ? sql`collate "C"` : sql``} ${sql.raw(way)} nulls last, id ${sql.raw(way)}`.execute(
      service.platform.db,
    );
    return rows.map((row) => row.id);
  };
  const ids = (answer: { body: { results: { id: string }[] } }) =>
    answer.body.results.map((row) => row.id);

  test("a long list costs two statements, and reads its page from an index", async () => {
    const { db } = service.platform;
    let statements = 0;
    const counter: KyselyPlugin = {
      transformQuery: ({ node }) => (statements++, node),
      transformResult: async ({ result }) => result,
    };
    const key = emailKey(owner.email);
    const actor = {
      user: {
        id: owner.id,
        email: owner.email,
        email_key: key,
        recipient_key: key,
        role: null,
        teams: [],
        full_name: "Camille Roux",
      },
    };
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
    expect(await ask({ status: ["unsigned"] })).toMatchObject({
      count: 2_040,
      results: { length: 10 },
    });
    // A search without results reads no documents, only the newest texts, to guess what was meant.
    expect(await ask({ search: "zqx" })).toMatchObject({ count: 0 });
    expect(statements).toBe(8);
    for (const [which, index] of [
      [sql`folder = 'sent'`, "envelopes_holder_folder"],
      [sql`status = 'sent'`, "envelopes_holder_status"],
    ] as const) {
      const plan = await sql<{
        "QUERY PLAN": string;
      }>`explain select id from envelopes e where purged_at is null and holder_id = ${owner.id}::uuid and ${which} order by created_at desc, id desc limit 10`.execute(
        db,
      );
      expect(plan.rows.map((row) => row["QUERY PLAN"]).join("\n")).toMatch(
        new RegExp(`Index (Only )?Scan using ${index}`),
      );
    }
  });

  test("a long list finds what its texts hold, whether one, a thousand or nearly all do, in each order and list", async () => {
    // These searches match nearly all, thousands, one, or none; they have one to five characters,
    // or the signs of LIKE.
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

  test("a long list of several statuses merges them in order, on every page", async () => {
    for (const ordering of ["-created_at", "title", "deadline_at"]) {
      // This list holds no other status of what was sent.
      const expected = await naive("sent", "%", ordering);
      for (const page of [1, 3, 250, 408])
        expect(
          ids(await list(browser, `?status=unsigned,pending&ordering=${ordering}&page=${page}`)),
          `${ordering}, ${page}`,
        ).toEqual(expected.slice((page - 1) * 10, page * 10));
    }
  });

  test("a long list is the same from its end as from its beginning", async () => {
    for (const ordering of ["-created_at", "title", "deadline_at", "-title"]) {
      const expected = await naive("sent", "%", ordering);
      for (const page of [101, 200, 250, 407, 408, 409])
        expect(
          ids(await list(browser, `?status=sent&ordering=${ordering}&page=${page}`)),
          `${ordering}, ${page}`,
        ).toEqual(expected.slice((page - 1) * 10, page * 10));
      expect(
        ids(await list(browser, `?status=sent&ordering=${ordering}&page=41&page_size=100`)),
      ).toEqual(expected.slice(4_000));
    }
  });
});
