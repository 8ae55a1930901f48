import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { openBrowser, type TestBrowser, csrfOf } from "../../../testing/browser.ts";
import { createMember, type Member, MEMBER_PASSWORD, signIn } from "../../../testing/member.ts";

let service: TestApp;

beforeAll(async () => {
  service = await createTestApp({ settings: { rateLimits: "off" } });
});
afterAll(() => service.close());

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
  const secretOf = (of: TestBrowser) => of.cookies.get("__Host-csrf")?.value ?? "";
  const change = (of: TestBrowser) => of.send("PATCH", CHANGE, { body: NAME });
  /** Sets cookie and header alike: a sibling site can write this cookie, but not the secret's. */
  const plant = (token: string) => browser.cookies.set("csrftoken", { value: token, line: "" });

  describe("a change in a session", () => {
    test("security line 17: a change in a session brings the token that derives from its browser's secret", async () => {
      expect([tokenOf(browser), secretOf(browser)]).toEqual([
        expect.stringMatching(/^[\w-]{43}$/),
        expect.stringMatching(/^[\w-]{43}$/),
      ]);
      expect(tokenOf(browser)).not.toBe(secretOf(browser));
      expect((await change(browser)).status).toBe(200);
    });

    test.each([
      ["of another session of the same person", async () => tokenOf(await signIn(service, member))],
      [
        "of another person's session",
        async () => tokenOf(await signIn(service, await createMember(service.platform))),
      ],
      ["of a visitor", async () => csrfOf(service.platform)["x-csrftoken"]],
      ["that is the secret itself", async () => secretOf(browser)],
      ["that nobody gave", async () => "A".repeat(43)],
      [
        "of the session before this login",
        async () => {
          const before = tokenOf(browser);
          await browser.post("/api/token/", {
            username: member.username,
            password: MEMBER_PASSWORD,
          });
          return before;
        },
      ],
    ])(
      "security line 17: a change is refused with a token %s, in cookie and header",
      async (_whose, token) => {
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
      },
    );

    test("a change with the right header is accepted, whatever a sibling site wrote in the cookie", async () => {
      const header = tokenOf(browser);
      plant("A".repeat(43));
      expect(
        (await browser.send("PATCH", CHANGE, { body: NAME, headers: { "x-csrftoken": header } }))
          .status,
      ).toBe(200);
    });
  });

  describe("a visitor", () => {
    const CALLS = [
      ["/api/token/", { username: "personne", password: "x" }],
      ["/api/signature/register/", {}],
      ["/api/signature/register/resend/", { email: "personne@exemple.fr" }],
      ["/api/signature/password-reset/", { email: "personne@exemple.fr" }],
      ["/api/signature/change-password/", {}],
    ] as const;

    test("a visitor's call is refused without the page's token, and from a subdomain", async () => {
      const visitor = openBrowser(service.app);
      await visitor.get("/api/verify-token/");
      for (const [url, body] of CALLS)
        for (const [headers, code] of [
          [{ "x-csrftoken": csrfOf(service.platform)["x-csrftoken"] }, "csrf_failed"],
          [{ "sec-fetch-site": "same-site" }, "foreign_origin"],
          [{ origin: "https://autre.localhost:8443" }, "foreign_origin"],
        ] as const) {
          const answer = await visitor.post(url, body, { headers });
          expect([url, answer.status, answer.body.code]).toEqual([url, 403, code]);
        }
    });

    test("a visitor's token survives the session's end, and a foreign one is replaced", async () => {
      const before = tokenOf(browser);
      for (const name of ["__Host-access_token", "__Host-refresh_token"])
        browser.cookies.delete(name);
      await browser.get("/api/verify-token/");
      expect(tokenOf(browser)).toBe(before);
      expect(
        (
          await browser.post("/api/token/", {
            username: member.username,
            password: MEMBER_PASSWORD,
          })
        ).status,
      ).toBe(200);
      expect(tokenOf(browser)).not.toBe(before);
      const visitor = openBrowser(service.app);
      visitor.cookies.set("csrftoken", { value: "autre", line: "" });
      await visitor.get("/api/verify-token/");
      expect(tokenOf(visitor)).toMatch(/^[\w-]{43}$/);
    });
  });

  describe("the token is another", () => {
    test("a login replaces the token with the new session's", async () => {
      const visitor = openBrowser(service.app);
      await visitor.get("/api/verify-token/");
      const before = tokenOf(visitor);
      expect(before).toMatch(/^[\w-]{43}$/);
      await visitor.post("/api/token/", { username: member.username, password: MEMBER_PASSWORD });
      expect(tokenOf(visitor)).not.toBe(before);
      expect((await change(visitor)).status).toBe(200);
    });

    test("a logout replaces token and secret, which a visitor may sign in with", async () => {
      const before = [tokenOf(browser), secretOf(browser)];
      expect((await browser.post("/api/logout/")).status).toBe(200);
      for (const value of [tokenOf(browser), secretOf(browser)])
        expect(before).not.toContain(value);
      expect(
        (
          await browser.post("/api/token/", {
            username: member.username,
            password: MEMBER_PASSWORD,
          })
        ).status,
      ).toBe(200);
    });
  });

  describe("parallel tabs, which share the cookies, keep working", () => {
    test("security line 17: a refresh in one tab leaves the other tabs' token valid", async () => {
      const before = tokenOf(browser);
      const answers = await Promise.all([
        browser.post("/api/token/refresh/"),
        change(browser),
        change(browser),
      ]);
      expect([...answers.map(({ status }) => status), tokenOf(browser)]).toEqual([
        200,
        200,
        200,
        before,
      ]);
      expect((await change(browser)).status).toBe(200);
    });

    test("tabs whose access token expired each find their token, refresh and go on", async () => {
      service.platform.clock.advance({ minutes: 16 });
      const token = tokenOf(browser);
      // A page whose access token has expired: the session's CSRF token stays.
      expect((await browser.get("/api/verify-token/")).status).toBe(401);
      expect(tokenOf(browser)).toBe(token);
      const refreshed = await Promise.all([
        browser.post("/api/token/refresh/"),
        browser.post("/api/token/refresh/"),
      ]);
      expect(refreshed.map(({ status }) => status)).toEqual([200, 200]);
      expect((await change(browser)).status).toBe(200);
    });

    test("a second tab's logout is no error", async () => {
      expect((await browser.post("/api/logout/")).status).toBe(200);
      expect((await browser.post("/api/logout/")).status).toBe(200);
    });

    test("a page whose token was overwritten gets its own from verify-token", async () => {
      plant("A".repeat(43));
      expect((await change(browser)).status).toBe(403);
      expect((await browser.get("/api/verify-token/")).status).toBe(200);
      expect((await change(browser)).status).toBe(200);
    });

    test("a guest's call with a signature token leaves the session's CSRF token", async () => {
      const before = tokenOf(browser);
      await browser.get("/api/verify-token/", { headers: { "x-signature-token": "t" } });
      expect(tokenOf(browser)).toBe(before);
    });
  });
});

describe("the calls of accounts", () => {
  const CALLS = [
    ["POST", "/api/token/"],
    ["POST", "/api/token/refresh/"],
    ["POST", "/api/logout/"],
    ["POST", "/api/signature/register/"],
    ["POST", "/api/signature/register/check/"],
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
    test("a call changes nothing for a body that a form of any site could send", async () => {
      const answer = await browser.send(method, url, {
        body: "{}",
        headers: { "content-type": "text/plain" },
      });
      expect([answer.status, answer.body.code]).toEqual([415, "unsupported_media_type"]);
    });

    test("broken JSON gets a French sentence without internals", async () => {
      const answer = await browser.send(method, url, {
        body: '{"username":',
        headers: { "content-type": "application/json" },
      });
      expect([answer.status, answer.body.code]).toEqual([400, "malformed_request"]);
      expect(answer.text).not.toMatch(/node_modules|SyntaxError|at .*\.ts|select |JSON/);
    });
  });

  test("the session survives all refused calls", async () => {
    expect((await browser.get("/api/signature/me/")).status).toBe(200);
  });

  test("an Idempotency-Key makes one account and one mail of two registrations", async () => {
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
    const mails = await service.platform.db
      .selectFrom("mailbox_messages")
      .select("id")
      .where("destination", "=", body.email)
      .execute();
    expect(mails).toHaveLength(1);
  });

  test("an Idempotency-Key never replays a login's cookies", async () => {
    const member = await createMember(service.platform);
    const visitor = openBrowser(service.app);
    const body = { username: member.username, password: "encre bleue 47" };
    const first = await visitor.post("/api/token/", body, {
      headers: { "idempotency-key": "connexion-1" },
    });
    const token = visitor.cookies.get("__Host-access_token")?.value;
    const second = await visitor.post("/api/token/", body, {
      headers: { "idempotency-key": "connexion-1" },
    });
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(visitor.cookies.get("__Host-access_token")?.value).not.toBe(token);
  });
});
