import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { openBrowser, type TestBrowser } from "../../../testing/browser.ts";
import { createMember, type Member, signIn } from "../../../testing/member.ts";

let service: TestApp;
let member: Member;
let browser: TestBrowser;

beforeAll(async () => {
  service = await createTestApp({ settings: { rateLimits: "off" } });
  member = await createMember(service.platform);
  browser = await signIn(service, member);
});
afterAll(() => service.close());

const ME = "/api/signature/me";
const patch = (body: unknown) => browser.send("PATCH", `${ME}/`, { body });
test.each([
  ["GET", `${ME}/`],
  ["PATCH", `${ME}/`],
  ["GET", `${ME}/avatar/`],
  ["POST", `${ME}/password/`],
  ["GET", `${ME}/notifications/`],
  ["PUT", `${ME}/notifications/`],
] as const)("%s %s answers 401 to a stranger, before its body is looked at", async (method, url) => {
  const stranger = openBrowser(service.app);
  const answer = method === "GET" ? await stranger.get(url) : await stranger.send(method, url, { body: { nonsense: true } });
  expect([answer.status, answer.body.code, answer.body.detail]).toEqual([
    401,
    "session_expired",
    "Votre session a expiré. Veuillez vous reconnecter.",
  ]);
});

test.each(["PATCH", "POST", "PUT"] as const)("%s without the CSRF token is refused", async (method) => {
  const url = { PATCH: `${ME}/`, POST: `${ME}/password/`, PUT: `${ME}/notifications/` }[method];
  const answer = await browser.send(method, url, { body: {}, headers: { "x-csrftoken": "" } });
  expect([answer.status, answer.body.code]).toEqual([403, "csrf_failed"]);
});

describe("me", () => {
  test("answers with the user and nothing secret", async () => {
    const answer = await browser.get(`${ME}/`);
    expect([answer.status, answer.body.user.email]).toEqual([200, member.email]);
    expect(answer.text).not.toMatch(/argon2|password|_key|sha256/);
    expect(answer.headers["cache-control"]).toBe("private, no-store");
  });

  test("counts the envelopes that wait for this e-mail, once each", async () => {
    const { db, newId, clock } = service.platform;
    const envelope = newId();
    const base = {
      owner_id: member.id,
      created_by_name: "Camille Roux",
      title: "Bail",
      search_text: "bail",
      status: "sent",
      flow: "parallel",
    };
    await db
      .insertInto("envelopes")
      .values({ id: envelope, ...base, created_at: clock(), updated_at: clock() })
      .execute();
    const recipient = {
      envelope_id: envelope,
      routing_order: 1,
      role: "signer",
      email: member.email,
      email_key: member.email,
      status: "notified",
    };
    const rows = [true, true, false].map((awaited, position) => ({
      ...recipient,
      id: newId(),
      position,
      awaited,
      full_name: `Camille ${position}`,
    }));
    await db.insertInto("recipients").values(rows).execute();
    expect((await browser.get(`${ME}/`)).body.user.unread_actions).toBe(1);
    expect((await browser.get("/api/verify-token/")).body.user.unread_actions).toBe(1);
  });

  test("PATCH changes what is sent and leaves the rest", async () => {
    const answer = await patch({ last_name: "  Œuvrard ", phone_number: "01.23.45.67.89", gender: "Homme", address: "1 rue A" });
    expect([answer.status, answer.body.user]).toMatchObject([
      200,
      {
        first_name: "Camille",
        last_name: "Œuvrard",
        phone_number: "+33123456789",
        gender: "Homme",
        address: "1 rue A",
        birth_date: "1990-05-17",
      },
    ]);
    const cleared = await patch({ phone_number: null, gender: null, address: null, birth_date: null });
    expect(cleared.body.user).toMatchObject({ phone_number: null, gender: "", address: null, birth_date: null, last_name: "Œuvrard" });
  });

  test.each([
    [{ first_name: "" }, { first_name: ["Prénom requis"] }],
    [{ last_name: " " }, { last_name: ["Nom requis"] }],
    [{ birth_date: "2031-01-01" }, { birth_date: ["La date de naissance doit être dans le passé"] }],
    [{ phone_number: "12" }, { phone_number: ["Téléphone invalide"] }],
    [{ email: "autre@exemple.fr" }, { email: ["Champ inconnu"] }],
    [
      { id: "x", activated_at: null },
      { id: ["Champ inconnu"], activated_at: ["Champ inconnu"] },
    ],
    [{ avatar: "https://exemple.fr/moi.png" }, { avatar: ["Valeur invalide"] }],
  ])("PATCH refuses %j", async (body, errors) => {
    const answer = await patch(body);
    expect([answer.status, answer.body.errors]).toEqual([400, errors]);
  });

  test("PATCH refuses keys that would reach into objects", async () => {
    const headers = { "content-type": "application/json" };
    for (const body of ['{"__proto__":{"a":1}}', '{"constructor":{"prototype":{"a":1}}}'])
      expect((await browser.send("PATCH", `${ME}/`, { body, headers })).status).toBe(400);
  });
});

describe("me/notifications", () => {
  test("keeps the channels", async () => {
    expect((await browser.get(`${ME}/notifications/`)).body).toEqual({
      email: true,
      sms: false,
      push: false,
      quiet_hours: false,
      daily_summary: false,
      sms_offered: true,
      waiting: null,
    });
    await patch({ phone_number: "0612345678" });
    await service.platform.db
      .updateTable("users")
      .set({ phone_verified_at: service.platform.clock() })
      .where("id", "=", member.id)
      .execute();
    const answer = await browser.send("PUT", `${ME}/notifications/`, { body: { email: false, sms: true, push: true } });
    expect([answer.status, answer.body]).toEqual([200, { email: false, sms: true, push: true, quiet_hours: false, daily_summary: false }]);
    expect((await browser.get(`${ME}/`)).body.user.notifications).toEqual({ email: false, sms: true, push: true });
  });

  test.each([{ email: false }, { email: true }])("refuses texts to whoever gave no number, with %j", async (others) => {
    const here = await signIn(service, await createMember(service.platform));
    const answer = await here.send("PUT", `${ME}/notifications/`, { body: { sms: true, push: false, ...others } });
    expect([answer.status, answer.body.errors]).toEqual([400, { sms: ["Ajoutez d’abord un numéro de téléphone à votre profil"] }]);
  });

  test("refuses texts where the service sends none, and says so beforehand", async () => {
    const silent = await createTestApp({ settings: { production: true } });
    try {
      const here = await signIn(silent, await createMember(silent.platform));
      await here.send("PATCH", `${ME}/`, { body: { phone_number: "0612345678" } });
      expect((await here.get(`${ME}/notifications/`)).body.sms_offered).toBe(false);
      const answer = await here.send("PUT", `${ME}/notifications/`, { body: { email: true, sms: true, push: false } });
      expect([answer.status, answer.body.errors]).toEqual([
        400,
        { sms: ["Ce service n’envoie pas de SMS\u00a0: choisissez un autre canal"] },
      ]);
    } finally {
      await silent.close();
    }
  });

  test("refuses none at all, and what is not a boolean", async () => {
    const none = await browser.send("PUT", `${ME}/notifications/`, { body: { email: false, sms: false, push: false } });
    expect([none.status, none.body.errors]).toEqual([400, { non_field_errors: ["Sélectionnez au moins un canal"] }]);
    expect((await browser.send("PUT", `${ME}/notifications/`, { body: { email: "oui" } })).status).toBe(400);
  });
});
