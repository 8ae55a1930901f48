import { randomBytes, randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { openBrowser, type TestBrowser } from "../../../testing/browser.ts";
import { createMember, type Member, MEMBER_PASSWORD, signIn } from "../../../testing/member.ts";
import { createSecretBox } from "../../platform/secrets/create-secret-box.ts";
import { isCsrfToken, isCsrfTokenOf, mintCsrfToken, mintVisitorCsrfToken } from "./csrf-token.ts";

let service: TestApp;

beforeAll(async () => {
  service = await createTestApp({ settings: { rateLimits: "off" } });
});
afterAll(() => service.close());

describe("a CSRF token", () => {
  const random = (length: number) => new Uint8Array(randomBytes(length));
  const platform = { secrets: createSecretBox(random(32), random), random };

  test("a token is its own session's, and no other's", () => {
    const [mine, other] = [randomUUID(), randomUUID()];
    const token = mintCsrfToken(platform, mine);
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(isCsrfTokenOf(platform, token, mine)).toBe(true);
    expect(isCsrfTokenOf(platform, token, other)).toBe(false);
  });

  test("a visitor's looks the same, is another each time, and is no session's", () => {
    const token = mintVisitorCsrfToken(platform);
    expect(isCsrfToken(token)).toBe(true);
    expect(mintVisitorCsrfToken(platform)).not.toBe(token);
    expect(isCsrfTokenOf(platform, token, randomUUID())).toBe(false);
    for (const wrong of ["", "autre", `${token}=`]) expect(isCsrfToken(wrong)).toBe(false);
  });

  test("each is another; one of another key, one bit changed, cut or long are none", () => {
    const mine = randomUUID();
    const token = mintCsrfToken(platform, mine);
    expect(mintCsrfToken(platform, mine)).not.toBe(token);
    const elsewhere = { secrets: createSecretBox(random(32), random), random };
    expect(isCsrfTokenOf(platform, mintCsrfToken(elsewhere, mine), mine)).toBe(false);
    for (const at of [0, 15, 16, 31]) {
      const bytes = Buffer.from(token, "base64url");
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      expect(isCsrfTokenOf(platform, bytes.toString("base64url"), mine)).toBe(false);
    }
    for (const wrong of ["", token.slice(1), `${token}A`, "é".repeat(43)]) expect(isCsrfTokenOf(platform, wrong, mine)).toBe(false);
  });
});

describe("CSRF", () => {
  const CHANGE = "/api/signature/me/";
  const NAME = { first_name: "Camille" };
  let member: Member;
  let browser: TestBrowser;

  beforeAll(async () => {
    member = await createMember(service.platform);
  });
  beforeEach(async () => {
    browser = await signIn(service, member);
  });

  const tokenOf = (of: TestBrowser) => of.cookies.get("csrftoken")?.value ?? "";
  const change = (of: TestBrowser) => of.send("PATCH", CHANGE, { body: NAME });
  /** Puts a token in the cookie as in the header: what a page can do that may write cookies, one of a subdomain say. */
  const plant = (token: string) => browser.cookies.set("csrftoken", { value: token, line: "" });
  const sessionOf = async (): Promise<string> =>
    (await browser.get("/api/signature/me/sessions/")).body.results.find((session: { current: boolean }) => session.current).id;

  describe("a change in a session", () => {
    test("security line 17: a change in a session brings the token of that session", async () => {
      expect(isCsrfTokenOf(service.platform, tokenOf(browser), await sessionOf())).toBe(true);
      expect((await change(browser)).status).toBe(200);
    });

    test.each([
      ["of another session of the same person", async () => tokenOf(await signIn(service, member))],
      ["of another person's session", async () => tokenOf(await signIn(service, await createMember(service.platform)))],
      ["of a visitor", async () => mintVisitorCsrfToken(service.platform)],
      ["that nobody gave", async () => "A".repeat(43)],
      [
        "of the session before this login",
        async () => {
          const before = tokenOf(browser);
          await browser.post("/api/token/", { username: member.username, password: MEMBER_PASSWORD });
          return before;
        },
      ],
    ])("security line 17: is refused with a token %s, in the cookie as in the header", async (_whose, token) => {
      plant(await token());
      for (const [method, url, body] of [
        ["PATCH", CHANGE, NAME],
        ["PUT", "/api/signature/me/notifications/", { email: true, sms: false, push: false }],
        ["DELETE", "/api/signature/me/sessions/", undefined],
        ["POST", "/api/token/refresh/", {}],
        ["POST", "/api/logout/", {}],
      ] as const) {
        const answer = await browser.send(method, url, { body });
        expect([url, answer.status, answer.body.code]).toEqual([url, 403, "csrf_failed"]);
      }
      expect((await browser.get(CHANGE)).status).toBe(200);
    });

    test("is refused when the header does not repeat the cookie, a token of the same session though it be", async () => {
      const header = mintCsrfToken(service.platform, await sessionOf());
      const answer = await browser.send("PATCH", CHANGE, { body: NAME, headers: { "x-csrftoken": header } });
      expect([answer.status, answer.body.code]).toEqual([403, "csrf_failed"]);
    });
  });

  describe("a visitor, who has no session to be bound to", () => {
    const CALLS = [
      ["/api/token/", { username: "personne", password: "x" }],
      ["/api/signature/register/", {}],
      ["/api/signature/register/resend/", { email: "personne@exemple.fr" }],
      ["/api/signature/password-reset/", { email: "personne@exemple.fr" }],
      ["/api/signature/change-password/", {}],
    ] as const;

    test("is refused without the token of their page, and when a subdomain of ours sends it", async () => {
      const visitor = openBrowser(service.app);
      await visitor.get("/api/verify-token/");
      for (const [url, body] of CALLS)
        for (const [headers, code] of [
          [{ "x-csrftoken": mintVisitorCsrfToken(service.platform) }, "csrf_failed"],
          [{ "sec-fetch-site": "same-site" }, "foreign_origin"],
          [{ origin: "https://autre.localhost:8443" }, "foreign_origin"],
        ] as const) {
          const answer = await visitor.post(url, body, { headers });
          expect([url, answer.status, answer.body.code]).toEqual([url, 403, code]);
        }
    });

    test("keeps the token of before their session ended, and is given one when it is none of ours", async () => {
      const before = tokenOf(browser);
      for (const name of ["access_token", "refresh_token"]) browser.cookies.delete(name);
      await browser.get("/api/verify-token/");
      expect(tokenOf(browser)).toBe(before);
      expect((await browser.post("/api/token/", { username: member.username, password: MEMBER_PASSWORD })).status).toBe(200);
      expect(tokenOf(browser)).not.toBe(before);
      const visitor = openBrowser(service.app);
      visitor.cookies.set("csrftoken", { value: "autre", line: "" });
      await visitor.get("/api/verify-token/");
      expect(tokenOf(visitor)).toMatch(/^[\w-]{43}$/);
    });
  });

  describe("the token is another", () => {
    test("after a login, and is the new session's", async () => {
      const visitor = openBrowser(service.app);
      await visitor.get("/api/verify-token/");
      const before = tokenOf(visitor);
      expect(before).toMatch(/^[\w-]{43}$/);
      await visitor.post("/api/token/", { username: member.username, password: MEMBER_PASSWORD });
      expect(tokenOf(visitor)).not.toBe(before);
      expect((await change(visitor)).status).toBe(200);
    });

    test("after a refresh", async () => {
      const before = tokenOf(browser);
      expect((await browser.post("/api/token/refresh/")).status).toBe(200);
      expect(tokenOf(browser)).not.toBe(before);
      expect((await change(browser)).status).toBe(200);
    });

    test("after a logout, and is a visitor's, who may sign in with it", async () => {
      const before = tokenOf(browser);
      expect((await browser.post("/api/logout/")).status).toBe(200);
      expect(tokenOf(browser)).not.toBe(before);
      expect((await browser.post("/api/token/", { username: member.username, password: MEMBER_PASSWORD })).status).toBe(200);
    });
  });

  describe("parallel tabs, which share the cookies, keep working", () => {
    test("security line 17: when one tab refreshes, the others change with the token of now", async () => {
      const answers = await Promise.all([browser.post("/api/token/refresh/"), change(browser), change(browser)]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect((await change(browser)).status).toBe(200);
    });

    test("when the access token is over in all of them: each finds its token, refreshes, and goes on", async () => {
      service.platform.clock.advance({ minutes: 16 });
      const token = tokenOf(browser);
      // What a page does that begins while the access token is over: the session's token stays.
      expect((await browser.get("/api/verify-token/")).status).toBe(401);
      expect(tokenOf(browser)).toBe(token);
      const refreshed = await Promise.all([browser.post("/api/token/refresh/"), browser.post("/api/token/refresh/")]);
      expect(refreshed.map(({ status }) => status)).toEqual([200, 200]);
      expect((await change(browser)).status).toBe(200);
    });

    test("when one signs out, the other's logout is no error", async () => {
      expect((await browser.post("/api/logout/")).status).toBe(200);
      expect((await browser.post("/api/logout/")).status).toBe(200);
    });

    test("a page with a token of before gets one of its session by asking who it is", async () => {
      plant("A".repeat(43));
      expect((await change(browser)).status).toBe(403);
      expect((await browser.get("/api/verify-token/")).status).toBe(200);
      expect((await change(browser)).status).toBe(200);
    });

    test("a guest's call, which relies on its own token, leaves the session's alone", async () => {
      const before = tokenOf(browser);
      await browser.get("/api/verify-token/", { headers: { "x-signature-token": "t" } });
      expect(tokenOf(browser)).toBe(before);
    });
  });
});

describe("the calls of accounts", () => {
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
  let browser: TestBrowser;

  beforeAll(async () => {
    browser = await signIn(service, await createMember(service.platform));
  });

  describe.each(CALLS)("%s %s", (method, url) => {
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
});
