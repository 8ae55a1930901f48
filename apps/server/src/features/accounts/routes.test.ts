import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { openBrowser, type TestBrowser } from "../../../testing/browser.ts";
import { createMember, signIn } from "../../../testing/member.ts";

/** Every call of accounts that changes something. */
const CALLS = [
  ["POST", "/api/token/"],
  ["POST", "/api/token/refresh/"],
  ["POST", "/api/logout/"],
  ["POST", "/api/signature/register/"],
  ["POST", "/api/signature/register/resend/"],
  ["POST", "/api/signature/password-reset/"],
  ["POST", "/api/signature/change-password/"],
  ["POST", "/api/signature/me/password/"],
  ["PATCH", "/api/signature/me/"],
  ["PUT", "/api/signature/me/notifications/"],
] as const;

let service: TestApp;
let browser: TestBrowser;

beforeAll(async () => {
  service = await createTestApp({ settings: { rateLimits: "off" } });
  browser = await signIn(service, await createMember(service.platform));
});
afterAll(() => service.close());

describe.each(CALLS)("%s %s", (method, url) => {
  test.each([
    ["no CSRF token", { "x-csrftoken": "" }, "csrf_failed"],
    ["another's CSRF token", { "x-csrftoken": "A".repeat(43) }, "csrf_failed"],
    ["a foreign origin", { origin: "https://mechant.example" }, "foreign_origin"],
    ["a request that another site made", { "sec-fetch-site": "cross-site" }, "foreign_origin"],
  ])("refuses %s", async (_what, headers, code) => {
    const answer = await browser.send(method, url, { body: {}, headers });
    expect([answer.status, answer.body.code]).toEqual([403, code]);
  });

  test("changes nothing for a body that a plain form of any site could send", async () => {
    const answer = await browser.send(method, url, { body: "{}", headers: { "content-type": "text/plain" } });
    expect([answer.status, answer.body.code]).toEqual([415, "unsupported_media_type"]);
  });

  test("answers broken JSON with a sentence, and nothing of the machine", async () => {
    const answer = await browser.send(method, url, { body: '{"username":', headers: { "content-type": "application/json" } });
    expect([answer.status, answer.body.code]).toEqual([400, "malformed_request"]);
    expect(answer.text).not.toMatch(/node_modules|SyntaxError|at .*\.ts|select |JSON/);
  });
});

test("the session outlives all these refusals", async () => {
  expect((await browser.get("/api/signature/me/")).status).toBe(200);
});

test("an Idempotency-Key on register makes one account and one mail of two calls", async () => {
  const body = {
    username: "deuxfois",
    email: "deux@exemple.fr",
    password: "encre 47 bleue",
    first_name: "A",
    last_name: "B",
    birth_date: "1990-01-01",
  };
  const visitor = openBrowser(service.app);
  const headers = { "idempotency-key": "inscription-1" };
  const [first, second] = [
    await visitor.post("/api/signature/register/", body, { headers }),
    await visitor.post("/api/signature/register/", body, { headers }),
  ];
  expect([first.status, second.status, second.text]).toEqual([201, 201, first.text]);
  await service.platform.settle();
  const mails = await service.platform.db.selectFrom("mailbox_messages").select("id").where("destination", "=", body.email).execute();
  expect(mails).toHaveLength(1);
});

test("login is never replayed by an Idempotency-Key: its cookies are given once", async () => {
  const member = await createMember(service.platform);
  const visitor = openBrowser(service.app);
  const body = { username: member.username, password: "encre bleue 47" };
  const first = await visitor.post("/api/token/", body, { headers: { "idempotency-key": "connexion-1" } });
  const token = visitor.cookies.get("access_token")?.value;
  const second = await visitor.post("/api/token/", body, { headers: { "idempotency-key": "connexion-1" } });
  expect([first.status, second.status]).toEqual([200, 200]);
  expect(visitor.cookies.get("access_token")?.value).not.toBe(token);
});
