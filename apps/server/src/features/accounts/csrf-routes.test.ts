import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { openBrowser, type TestBrowser } from "../../../testing/browser.ts";
import { createMember, MEMBER_PASSWORD, type Member, signIn } from "../../../testing/member.ts";
import { isCsrfTokenOf, mintCsrfToken, mintVisitorCsrfToken } from "./csrf-token.ts";

const CHANGE = "/api/signature/me/";
const NAME = { first_name: "Camille" };
let service: TestApp;
let member: Member;
let browser: TestBrowser;

beforeAll(async () => {
  service = await createTestApp();
  member = await createMember(service.platform);
});
afterAll(() => service.close());
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
