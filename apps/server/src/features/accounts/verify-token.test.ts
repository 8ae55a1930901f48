import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { openBrowser } from "../../../testing/browser.ts";
import { createMember, type Member, signIn } from "../../../testing/member.ts";

let service: TestApp;
let member: Member;

beforeAll(async () => {
  service = await createTestApp();
  member = await createMember(service.platform);
});
afterAll(() => service.close());

describe("verify-token", () => {
  test("answers 401 and a CSRF cookie to a stranger", async () => {
    const browser = openBrowser(service.app);
    const answer = await browser.get("/api/verify-token/");
    expect([answer.status, answer.body.code]).toEqual([401, "session_expired"]);
    expect(browser.cookies.get("csrftoken")?.line).toMatch(/; Path=\/; Secure; SameSite=Lax$/);
  });

  test("answers with the user, and keeps the CSRF token that the page has", async () => {
    const browser = await signIn(service, member, { ip: "192.0.2.1" });
    const token = browser.cookies.get("csrftoken")?.value;
    const answer = await browser.get("/api/verify-token/");
    expect([answer.status, answer.body.user.id]).toEqual([200, member.id]);
    expect(browser.cookies.get("csrftoken")?.value).toBe(token);
  });

  test("replaces a CSRF cookie that is none of ours", async () => {
    const browser = openBrowser(service.app);
    browser.cookies.set("csrftoken", { value: "x", line: "" });
    await browser.get("/api/verify-token/");
    expect(browser.cookies.get("csrftoken")?.value).toMatch(/^[\w-]{43}$/);
  });

  test("ignores the session of a call that carries a signature token", async () => {
    const browser = await signIn(service, member, { ip: "192.0.2.2" });
    expect((await browser.get("/api/verify-token/", { headers: { "x-signature-token": "t" } })).status).toBe(401);
  });
});

test("verify-token tells the shortest password to members and visitors alike", async () => {
  const served = await createTestApp({ settings: { passwordMinLength: 8 } });
  try {
    const member = await signIn(served, await createMember(served.platform));
    for (const browser of [member, openBrowser(served.app)])
      expect((await browser.get("/api/verify-token/")).body.password_min_length).toBe(8);
  } finally {
    await served.close();
  }
});
