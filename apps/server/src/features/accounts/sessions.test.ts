import { readdirSync, readFileSync } from "node:fs";
import { getPriority } from "node:os";
import { hash } from "@node-rs/argon2";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openAccountsApp } from "../../../testing/accounts-app.ts";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { openBrowser } from "../../../testing/browser.ts";
import { createMember, type Member, MEMBER_PASSWORD, signIn } from "../../../testing/member.ts";
import { createPasswordHasher, type PasswordHasher } from "./account-deps.ts";
import { requireUser } from "./session-guard.ts";

let service: TestApp;

beforeAll(async () => {
  service = await createTestApp();
});

afterAll(() => service.close());

describe("sessions", () => {
  let member: Member;
  beforeAll(async () => {
    member = await createMember(service.platform);
  });

  let lastIp = 0;
  /** Each test has its own address, so that wrong passwords lock no other test out. */
  function freshIp(): string {
    lastIp += 1;
    return `192.0.2.${lastIp}`;
  }

  function login(username: string, password: string, ip = freshIp()) {
    return openBrowser(service.app, { ip }).post("/api/token/", { username, password });
  }

  describe("login", () => {
    test("security line 8: a login answers with the user and sets both session cookies, without Max-Age", async () => {
      const browser = openBrowser(service.app, { ip: freshIp() });
      const answer = await browser.post("/api/token/", {
        username: member.username,
        password: MEMBER_PASSWORD,
        remember_me: false,
      });
      expect(answer.status).toBe(200);
      expect(answer.body.user).toEqual({
        id: member.id,
        username: member.username,
        email: member.email,
        first_name: "Camille",
        last_name: "Roux",
        birth_date: "1990-05-17",
        phone_number: null,
        email_confirmed: true,
        phone_verified: false,
        gender: "",
        address: null,
        avatar: null,
        notifications: { email: true, sms: false, push: false },
        unread_actions: 0,
      });
      expect(browser.cookies.get("__Host-access_token")?.line).toMatch(
        /^__Host-access_token=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      );
      expect(browser.cookies.get("__Host-refresh_token")?.line).toMatch(
        /^__Host-refresh_token=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
      );
      expect(browser.cookies.get("csrftoken")?.line).toMatch(
        /^csrftoken=[\w-]{43}; Path=\/; Secure; SameSite=Lax$/,
      );
    });

    test("security line 9: « Rester connecté » gives the cookies 30 days", async () => {
      const browser = await signIn(service, member, { remember: true, ip: freshIp() });
      expect(browser.cookies.get("__Host-access_token")?.line).toContain("Max-Age=900;");
      expect(browser.cookies.get("__Host-refresh_token")?.line).toContain(
        `Max-Age=${30 * 86_400};`,
      );
    });

    test("security line 7: a login takes the address for the username, and ignores case in both", async () => {
      expect((await login(member.email.toUpperCase(), MEMBER_PASSWORD)).status).toBe(200);
      expect((await login(member.username.toUpperCase(), MEMBER_PASSWORD)).status).toBe(200);
    });

    test("a login gives a new CSRF token", async () => {
      const browser = openBrowser(service.app, { ip: freshIp() });
      await browser.get("/api/verify-token/");
      const before = browser.cookies.get("csrftoken")?.value;
      await browser.post("/api/token/", { username: member.username, password: MEMBER_PASSWORD });
      expect(browser.cookies.get("csrftoken")?.value).not.toBe(before);
    });

    test("security line 11: a login ignores a session cookie set beforehand", async () => {
      const browser = openBrowser(service.app, { ip: freshIp() });
      browser.cookies.set("__Host-access_token", { value: "A".repeat(43), line: "" });
      await browser.post("/api/token/", { username: member.username, password: MEMBER_PASSWORD });
      expect(browser.cookies.get("__Host-access_token")?.value).not.toBe("A".repeat(43));
      const stored = await service.platform.db
        .selectFrom("session_tokens")
        .select("token_sha256")
        .execute();
      expect(
        stored.some(
          (row) =>
            Buffer.from(row.token_sha256).toString("base64url") ===
            browser.cookies.get("__Host-access_token")?.value,
        ),
      ).toBe(false);
    });

    test("security line 5: a wrong password and an unknown name get the same answer", async () => {
      const wrong = await login(member.username, "mauvais mot");
      const unknown = await login("personne", "mauvais mot");
      const { request_id: _a, ...wrongBody } = wrong.body;
      const { request_id: _b, ...unknownBody } = unknown.body;
      expect(wrong.status).toBe(401);
      expect(wrongBody).toMatchObject({
        code: "invalid_credentials",
        detail: "Nom d'utilisateur ou mot de passe incorrect.",
      });
      expect([unknown.status, unknownBody]).toEqual([401, wrongBody]);
    });

    test("a login names each missing field", async () => {
      const answer = await openBrowser(service.app, { ip: freshIp() }).post("/api/token/", {});
      expect(answer.status).toBe(400);
      expect(answer.body.errors).toEqual({
        username: ["Nom d'utilisateur requis"],
        password: ["Mot de passe requis"],
      });
    });

    test("security line 2: a password of 10 kB is refused before any hashing", async () => {
      expect((await login(member.username, "x".repeat(10_240))).status).toBe(400);
    });

    test("security line 5: a login says not_activated only after the right password", async () => {
      const pending = await createMember(service.platform, { activated: false });
      expect((await login(pending.username, "mauvais mot")).body.code).toBe("invalid_credentials");
      const answer = await login(pending.username, MEMBER_PASSWORD);
      expect([answer.status, answer.body.code]).toEqual([403, "not_activated"]);
    });

    test("security line 15: a closed account is refused like a wrong password, and its session ends at once", async () => {
      const closed = await createMember(service.platform);
      const browser = await signIn(service, closed, { ip: freshIp() });
      await service.platform.db
        .updateTable("users")
        .set({ deactivated_at: service.platform.clock() })
        .where("id", "=", closed.id)
        .execute();
      expect((await login(closed.username, MEMBER_PASSWORD)).body.code).toBe("invalid_credentials");
      expect((await browser.get("/api/signature/me/")).status).toBe(401);
      expect((await browser.post("/api/token/refresh/")).status).toBe(401);
    });

    test("a login needs the CSRF token", async () => {
      const answer = await service.app.inject({
        method: "POST",
        url: "/api/token/",
        payload: { username: "a", password: "b" },
      });
      expect([answer.statusCode, answer.json().code]).toEqual([403, "csrf_failed"]);
    });
  });

  describe("wrong passwords", () => {
    test("security line 6: five wrong passwords lock an account for a minute, even for the right one", async () => {
      const victim = await createMember(service.platform);
      for (let n = 0; n < 5; n++)
        expect((await login(victim.username, "mauvais mot")).status).toBe(401);
      const wrong = await login(victim.username, "mauvais mot");
      const right = await login(victim.username, MEMBER_PASSWORD);
      expect([wrong.status, wrong.body.code, wrong.headers["retry-after"]]).toEqual([
        429,
        "too_many_attempts",
        "60",
      ]);
      expect(wrong.body.detail).toBe("Trop d’essais. Réessayez dans 1 minute.");
      expect([right.status, right.body.detail]).toEqual([429, wrong.body.detail]);
      service.platform.clock.advance({ seconds: 61 });
      expect((await login(victim.username, MEMBER_PASSWORD)).status).toBe(200);
      expect((await login(victim.username, "mauvais mot")).status).toBe(401);
    });

    test("security line 6: wrong passwords lengthen the wait, and are forgotten after 15 minutes", async () => {
      const victim = await createMember(service.platform);
      for (let n = 0; n < 5; n++) await login(victim.username, "mauvais mot");
      service.platform.clock.advance({ seconds: 61 });
      expect((await login(victim.username, "mauvais mot")).status).toBe(401);
      expect((await login(victim.username, "mauvais mot")).headers["retry-after"]).toBe("120");
      service.platform.clock.advance({ minutes: 16 });
      expect((await login(victim.username, "mauvais mot")).status).toBe(401);
      expect((await login(victim.username, MEMBER_PASSWORD)).status).toBe(200);
    });

    test("security line 6: wrong passwords lock an unknown name alike", async () => {
      for (let n = 0; n < 5; n++) expect((await login("fantome", "mauvais mot")).status).toBe(401);
      expect((await login("fantome", "mauvais mot")).status).toBe(429);
    });

    test("security line 6: parallel wrong passwords cannot outrun the count", async () => {
      const victim = await createMember(service.platform);
      const answers = await Promise.all(
        Array.from({ length: 15 }, () => login(victim.username, "mauvais mot")),
      );
      expect(answers.filter((answer) => answer.status === 401)).toHaveLength(5);
      expect(answers.filter((answer) => answer.status === 429)).toHaveLength(10);
    });

    test("security line 6: twenty wrong passwords lock a network address", async () => {
      const ip = freshIp();
      for (let n = 0; n < 20; n++)
        expect((await login(`inconnu${n}`, "mauvais mot", ip)).status).toBe(401);
      expect((await login(member.username, MEMBER_PASSWORD, ip)).status).toBe(429);
      expect((await login(member.username, MEMBER_PASSWORD)).status).toBe(200);
    });
  });

  describe("refresh", () => {
    test("security line 10: a refresh renews an expired access token and replaces the refresh token", async () => {
      const browser = await signIn(service, member, { ip: freshIp() });
      service.platform.clock.advance({ minutes: 16 });
      expect((await browser.get("/api/signature/me/")).status).toBe(401);
      const before = browser.cookies.get("__Host-refresh_token")?.value;
      const answer = await browser.post("/api/token/refresh/");
      expect([answer.status, answer.body]).toEqual([200, {}]);
      expect(browser.cookies.get("__Host-refresh_token")?.value).not.toBe(before);
      expect((await browser.get("/api/signature/me/")).status).toBe(200);
    });

    test("security line 10: twenty parallel refreshes leave the user signed in", async () => {
      const browser = await signIn(service, member, { ip: freshIp() });
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => browser.post("/api/token/refresh/")),
      );
      expect(answers.every((answer) => answer.status === 200)).toBe(true);
      expect((await browser.get("/api/signature/me/")).status).toBe(200);
      expect((await browser.post("/api/token/refresh/")).status).toBe(200);
    });

    test("security line 10: a refresh with a token used 31 seconds ago ends the whole session", async () => {
      const browser = await signIn(service, member, { ip: freshIp() });
      const thief = openBrowser(service.app, { ip: freshIp() });
      for (const [name, cookie] of browser.cookies) thief.cookies.set(name, cookie);
      expect((await browser.post("/api/token/refresh/")).status).toBe(200);
      service.platform.clock.advance({ seconds: 31 });
      const answer = await thief.post("/api/token/refresh/");
      expect([answer.status, answer.body.code]).toEqual([401, "session_expired"]);
      expect(thief.cookies.has("__Host-refresh_token")).toBe(false);
      expect((await browser.get("/api/signature/me/")).status).toBe(401);
      expect((await browser.post("/api/token/refresh/")).status).toBe(401);
    });

    test("security line 9: a refresh is refused after two idle hours, or twelve hours in all", async () => {
      const idle = await signIn(service, member, { ip: freshIp() });
      service.platform.clock.advance({ minutes: 121 });
      expect((await idle.post("/api/token/refresh/")).status).toBe(401);

      const busy = await signIn(service, member, { ip: freshIp() });
      for (let hour = 0; hour < 11; hour++) {
        service.platform.clock.advance({ minutes: 60 });
        expect((await busy.post("/api/token/refresh/")).status).toBe(200);
      }
      service.platform.clock.advance({ minutes: 61 });
      expect((await busy.post("/api/token/refresh/")).status).toBe(401);
    });

    test("security line 9: a refresh of a remembered session is refused after 14 idle days, or 30 in all", async () => {
      const idle = await signIn(service, member, { remember: true, ip: freshIp() });
      service.platform.clock.advance({ days: 13 });
      expect((await idle.post("/api/token/refresh/")).status).toBe(200);
      service.platform.clock.advance({ days: 13 });
      expect((await idle.post("/api/token/refresh/")).status).toBe(200);
      service.platform.clock.advance({ days: 5 });
      expect((await idle.post("/api/token/refresh/")).status).toBe(401);
    });

    test("a refresh without a cookie, or with an unknown one, is 401", async () => {
      const browser = openBrowser(service.app);
      expect((await browser.post("/api/token/refresh/")).status).toBe(401);
      browser.cookies.set("__Host-refresh_token", { value: "B".repeat(43), line: "" });
      expect((await browser.post("/api/token/refresh/")).status).toBe(401);
    });

    test("a refresh token is never accepted as an access token, nor the reverse", async () => {
      const browser = await signIn(service, member, { ip: freshIp() });
      const access = browser.cookies.get("__Host-access_token")!;
      const refresh = browser.cookies.get("__Host-refresh_token")!;
      browser.cookies.set("__Host-access_token", refresh).set("__Host-refresh_token", access);
      expect((await browser.get("/api/signature/me/")).status).toBe(401);
      expect((await browser.post("/api/token/refresh/")).status).toBe(401);
    });
  });

  describe("logout", () => {
    test("security line 12: a logout ends the session: both cookies are refused when replayed", async () => {
      const browser = await signIn(service, member, { ip: freshIp() });
      const copy = new Map(browser.cookies);
      const answer = await browser.post("/api/logout/");
      expect([answer.status, answer.body]).toEqual([200, {}]);
      expect(browser.cookies.has("__Host-access_token")).toBe(false);
      for (const [name, cookie] of copy) browser.cookies.set(name, cookie);
      expect((await browser.get("/api/signature/me/")).status).toBe(401);
      expect((await browser.post("/api/token/refresh/")).status).toBe(401);
    });

    test("security line 12: a logout is 200 for a visitor too", async () => {
      expect((await openBrowser(service.app).post("/api/logout/")).status).toBe(200);
    });

    test("a logout leaves the user's other sessions open", async () => {
      const [first, second] = [
        await signIn(service, member, { ip: freshIp() }),
        await signIn(service, member, { ip: freshIp() }),
      ];
      await first.post("/api/logout/");
      expect((await second.get("/api/signature/me/")).status).toBe(200);
    });
  });

  test("sessions log nothing personal", () => {
    const lines = JSON.stringify(service.platform.logged);
    expect(lines).not.toContain("@");
    expect(lines).not.toContain(member.username);
  });
});

describe("who is signed in", () => {
  let member: Member;
  beforeAll(async () => {
    member = await createMember(service.platform);
  });

  describe("verify-token", () => {
    test("verify-token answers 401 and a CSRF cookie to a visitor", async () => {
      const browser = openBrowser(service.app);
      const answer = await browser.get("/api/verify-token/");
      expect([answer.status, answer.body.code]).toEqual([401, "session_expired"]);
      expect(browser.cookies.get("csrftoken")?.line).toMatch(/; Path=\/; Secure; SameSite=Lax$/);
      expect(browser.cookies.get("__Host-csrf")?.line).toMatch(
        /^__Host-csrf=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
      );
    });

    test("verify-token answers with the user, and leaves the page's CSRF token", async () => {
      const browser = await signIn(service, member, { ip: "192.0.2.1" });
      const token = browser.cookies.get("csrftoken")?.value;
      const answer = await browser.get("/api/verify-token/");
      expect([answer.status, answer.body.user.id]).toEqual([200, member.id]);
      expect(browser.cookies.get("csrftoken")?.value).toBe(token);
    });

    test("verify-token replaces a foreign CSRF cookie", async () => {
      const browser = openBrowser(service.app);
      browser.cookies.set("csrftoken", { value: "x", line: "" });
      await browser.get("/api/verify-token/");
      expect(browser.cookies.get("csrftoken")?.value).toMatch(/^[\w-]{43}$/);
    });

    test("verify-token ignores the session of a call with a signature token", async () => {
      const browser = await signIn(service, member, { ip: "192.0.2.2" });
      expect(
        (await browser.get("/api/verify-token/", { headers: { "x-signature-token": "t" } })).status,
      ).toBe(401);
    });
  });

  test.each([
    [
      { registration: { kind: "open" } },
      { registration: { kind: "open", domains: [] }, mail: true, sms: true },
    ],
    [
      { registration: { kind: "closed" } },
      { registration: { kind: "closed", domains: [] }, mail: true },
    ],
    [
      { registration: { kind: "domains", domains: ["mairie.fr"] } },
      { registration: { kind: "domains", domains: ["mairie.fr"] }, mail: true },
    ],
    [
      { registration: { kind: "open" }, mailDisabled: true },
      { registration: { kind: "closed", domains: [] }, mail: false },
    ],
    [{ production: true, sms: null }, { sms: false }],
  ] as const)(
    "verify-token gives a visitor the service's rules under %j",
    async (settings, told) => {
      const served = await openAccountsApp(service.platform, settings);
      try {
        expect((await openBrowser(served.app).get("/api/verify-token/")).body).toMatchObject(told);
      } finally {
        await served.close();
      }
    },
  );

  test("verify-token gives the shortest password to members and visitors", async () => {
    const served = await openAccountsApp(service.platform, { passwordMinLength: 8 });
    try {
      const member = await signIn(served, await createMember(service.platform));
      for (const browser of [member, openBrowser(served.app)])
        expect((await browser.get("/api/verify-token/")).body.password_min_length).toBe(8);
    } finally {
      await served.close();
    }
  });
});

describe("the calls of an account", () => {
  test("an account makes 1 200 calls a minute at most, from all networks together", async () => {
    const { platform } = service;
    const { app, close } = await openAccountsApp(platform, {}, (scope) => {
      for (const path of ["/api/one/", "/api/other/"])
        scope.get(path, { onRequest: requireUser(platform) }, async () => ({}));
    });
    const [busy, calm] = [await createMember(platform), await createMember(platform)];
    const [here, there] = [
      await signIn({ app }, busy, { ip: "192.0.2.1" }),
      await signIn({ app }, busy, { ip: "192.0.2.2" }),
    ];
    for (let n = 0; n < 600; n++)
      await Promise.all([here.get("/api/one/"), there.get("/api/other/")]);
    const refused = await there.get("/api/one/");
    expect([refused.status, refused.body.code]).toEqual([429, "too_many_requests"]);
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    expect((await (await signIn({ app }, calm, { ip: "192.0.2.1" })).get("/api/one/")).status).toBe(
      200,
    );
    platform.clock.advance({ minutes: 1 });
    expect((await here.get("/api/one/")).status).toBe(200);
    await close();
  });
});

describe("the password hasher", () => {
  const opened: PasswordHasher[] = [];
  const openHasher = () => {
    const hasher = createPasswordHasher();
    opened.push(hasher);
    return hasher;
  };
  afterAll(() => Promise.all(opened.map((hasher) => hasher.close())));

  test("security line 4: the hasher uses salted Argon2id at the promised cost, and verifies its own hash", async () => {
    const hasher = openHasher();
    const [first, second] = [await hasher.hash("encre bleue"), await hasher.hash("encre bleue")];
    if (!first.ok || !second.ok) throw new Error("refused");
    expect(first.value).toMatch(/^\$argon2id\$v=19\$m=47104,t=1,p=1\$/);
    expect(first.value).not.toBe(second.value);
    expect(await hasher.verify(first.value, "encre bleue")).toEqual({ ok: true, value: true });
    expect(await hasher.verify(first.value, "Encre bleue")).toEqual({ ok: true, value: false });
  });

  test("security line 5: the hasher refuses any password of an unknown name", async () => {
    const hasher = openHasher();
    expect(await hasher.verify(null, "")).toEqual({ ok: true, value: false });
    expect(await hasher.verify(null, "encre bleue")).toEqual({ ok: true, value: false });
  });

  test("security line 4: the hasher refuses what exceeds its queue, and goes on", async () => {
    const hasher = openHasher();
    // A hash states its cost: comparing with this one takes a place in the queue and little work.
    const cheap = await hash("encre bleue", { memoryCost: 8, timeCost: 1, parallelism: 1 });
    const answers = await Promise.all([
      ...Array.from({ length: 100 }, () => hasher.verify(cheap, "encre bleue")),
      ...Array.from({ length: 20 }, () => hasher.hash("encre bleue")),
    ]);
    const refused = answers.filter((answer) => !answer.ok);
    expect([answers[0], answers.at(-1)]).toEqual([{ ok: true, value: true }, refused[0]]);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThan(40);
    expect(refused[0]).toEqual({
      ok: false,
      error: { code: "service_unavailable", retryAfterS: 2 },
    });
    expect((await hasher.hash("encre bleue")).ok).toBe(true);
  });

  test.runIf(process.platform === "linux")(
    "security line 4: the hasher uses one thread at low priority, whatever its load",
    async () => {
      const before = threadsBehind();
      const hasher = openHasher();
      await Promise.all([
        hasher.verify(null, "encre bleue"),
        ...Array.from({ length: 4 }, () => hasher.hash("encre bleue")),
      ]);
      expect(threadsBehind() - before).toBe(1);
    },
  );

  test("security line 4: a malformed hash is a fault, and the next password is served", async () => {
    const hasher = openHasher();
    await expect(hasher.verify("$argon2id$", "encre bleue")).rejects.toThrow();
    expect((await hasher.hash("encre bleue")).ok).toBe(true);
  });
});

/** Threads of this process with a lower priority than its own (proc(5), `stat`, field 19). */
function threadsBehind(): number {
  const niceOf = (thread: string) =>
    Number(
      readFileSync(`/proc/self/task/${thread}/stat`, "utf8")
        .replace(/^.*\) /s, "")
        .split(" ")[16],
    );
  return readdirSync("/proc/self/task").filter((thread) => niceOf(thread) > getPriority()).length;
}
