import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { openBrowser } from "../../../testing/browser.ts";
import { createMember, MEMBER_PASSWORD, type Member, signIn } from "../../../testing/member.ts";

const SESSIONS = "/api/signature/me/sessions/";
const FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:132.0) Gecko/20100101 Firefox/132.0";
let service: TestApp;

beforeAll(async () => {
  service = await createTestApp({ settings: { rateLimits: "off" } });
});
afterAll(() => service.close());

async function firefoxOf(member: Member) {
  const browser = openBrowser(service.app, { ip: "192.0.2.7" });
  await browser.post(
    "/api/token/",
    { username: member.username, password: MEMBER_PASSWORD, remember_me: true },
    { headers: { "user-agent": FIREFOX } },
  );
  return browser;
}

describe("me/sessions", () => {
  test("lists where one is signed in, the last used first, without a token", async () => {
    const member = await createMember(service.platform);
    const first = await firefoxOf(member);
    const at = service.platform.clock().toISOString();
    service.platform.clock.advance({ minutes: 1 });
    const second = await signIn(service, member, { ip: "2001:db8::9" });
    const answer = await second.get(SESSIONS);
    expect(answer.status).toBe(200);
    expect(answer.body.results).toEqual([
      expect.objectContaining({ current: true, remember_me: false, ip: "2001:db8::9" }),
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        current: false,
        created_at: at,
        last_used_at: at,
        remember_me: true,
        device: "Firefox sous Windows",
        ip: "192.0.2.7",
      },
    ]);
    for (const name of ["access_token", "refresh_token"]) {
      expect(answer.text).not.toContain(first.cookies.get(name)?.value);
      expect(answer.text).not.toContain(second.cookies.get(name)?.value);
    }
    const asToken = openBrowser(service.app);
    const stolen = await asToken.get(SESSIONS, { cookies: { access_token: answer.body.results[1].id } });
    expect(stolen.status).toBe(401);
  });

  test("leaves out what has ended: logged out, or not used for long", async () => {
    const member = await createMember(service.platform);
    const [gone, idle] = [await signIn(service, member), await signIn(service, member)];
    await gone.post("/api/logout/");
    service.platform.clock.advance({ hours: 2, minutes: 1 });
    const browser = await signIn(service, member);
    expect((await browser.get(SESSIONS)).body.results).toHaveLength(1);
    expect((await idle.get(SESSIONS)).status).toBe(401);
  });

  test("ends one at once: both of its tokens are refused, the others live on", async () => {
    const member = await createMember(service.platform);
    const [mine, lost] = [await signIn(service, member), await firefoxOf(member)];
    const { results } = (await mine.get(SESSIONS)).body;
    const other = results.find((session: { current: boolean }) => !session.current);
    expect((await mine.send("DELETE", `${SESSIONS}${other.id}/`)).status).toBe(204);
    expect((await lost.get("/api/signature/me/")).status).toBe(401);
    expect((await lost.post("/api/token/refresh/")).status).toBe(401);
    expect((await mine.get("/api/signature/me/")).status).toBe(200);
    expect((await mine.send("DELETE", `${SESSIONS}${other.id}/`)).status).toBe(404);
  });

  test("ending the one that asks is a logout", async () => {
    const browser = await signIn(service, await createMember(service.platform));
    const [own] = (await browser.get(SESSIONS)).body.results;
    expect((await browser.send("DELETE", `${SESSIONS}${own.id}/`)).status).toBe(204);
    expect([browser.cookies.has("access_token"), browser.cookies.has("refresh_token")]).toEqual([false, false]);
    expect((await browser.get("/api/verify-token/")).status).toBe(401);
  });

  test("ends all the others, and nobody else's", async () => {
    const [member, other] = [await createMember(service.platform), await createMember(service.platform)];
    const [mine, lost, stranger] = [await signIn(service, member), await firefoxOf(member), await signIn(service, other)];
    expect((await mine.send("DELETE", SESSIONS)).status).toBe(204);
    expect([(await mine.get(SESSIONS)).body.results.length, (await lost.get(SESSIONS)).status]).toEqual([1, 401]);
    expect((await stranger.get(SESSIONS)).status).toBe(200);
  });

  test("another's session, an unknown one and no id at all are 404; nothing ends", async () => {
    const [member, other] = [await createMember(service.platform), await createMember(service.platform)];
    const [mine, stranger] = [await signIn(service, member), await signIn(service, other)];
    const [theirs] = (await stranger.get(SESSIONS)).body.results;
    for (const id of [theirs.id, service.platform.newId(), "moi"])
      expect((await mine.send("DELETE", `${SESSIONS}${id}/`)).status).toBe(404);
    expect((await stranger.get(SESSIONS)).status).toBe(200);
  });

  test("asks for a session and the CSRF token", async () => {
    const browser = await signIn(service, await createMember(service.platform));
    const [own] = (await browser.get(SESSIONS)).body.results;
    for (const url of [SESSIONS, `${SESSIONS}${own.id}/`]) {
      const forged = await browser.send("DELETE", url, { headers: { "x-csrftoken": "" } });
      expect([forged.status, forged.body.code]).toEqual([403, "csrf_failed"]);
      expect((await openBrowser(service.app).send("DELETE", url)).status).toBe(401);
    }
    expect((await openBrowser(service.app).get(SESSIONS)).status).toBe(401);
  });
});
