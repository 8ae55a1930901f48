import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../testing/app.ts";
import { openBrowser } from "../../testing/browser.ts";
import { createSent, ENVELOPES, PAUL } from "../../testing/envelope.ts";
import { openMailedGuest, TYPED } from "../../testing/guest.ts";
import { linkIn, mailFor } from "../../testing/mailbox.ts";
import { createMember, MEMBER_PASSWORD, signIn } from "../../testing/member.ts";

let service: TestApp;
beforeAll(async () => {
  service = await createTestApp({ settings: { rateLimits: "off" } });
});
afterAll(() => service.close());

const SESSION_COOKIES = ["access_token", "refresh_token"];
const cookieNames = (answer: { headers: Readonly<Record<string, unknown>> }) =>
  [answer.headers["set-cookie"] ?? []].flat().map((line) => (line as string).split("=")[0]);
const sessionCount = async () =>
  Number(
    (
      await service.platform.db
        .selectFrom("sessions")
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .executeTakeFirstOrThrow()
    ).count,
  );

test("security line 11: tokens are 256 random bits, stored hashed, new at each login and each refresh", async () => {
  const member = await createMember(service.platform);
  const seen = new Set<string>();
  for (let round = 0; round < 3; round += 1) {
    const browser = await signIn(service, member);
    await browser.post("/api/token/refresh/");
    for (const name of SESSION_COOKIES) {
      const token = browser.cookies.get(name)?.value ?? "";
      expect(Buffer.from(token, "base64url")).toHaveLength(32);
      seen.add(token);
    }
  }
  expect(seen.size).toBe(6);
  const stored = JSON.stringify([
    await service.platform.db.selectFrom("sessions").selectAll().execute(),
    (await service.platform.db.selectFrom("session_tokens").select("token_sha256").execute()).map(({ token_sha256: hash }) => [
      Buffer.from(hash).toString("base64url"),
      Buffer.from(hash).toString("hex"),
    ]),
  ]);
  for (const token of seen) expect(stored.includes(token)).toBe(false);
});

test("security line 15: an account that is closed, deleted or not yet activated again has its next request refused, and no refresh", async () => {
  const [closed, deleted, undone] = [
    await createMember(service.platform),
    await createMember(service.platform),
    await createMember(service.platform),
  ];
  const browsers = [await signIn(service, closed), await signIn(service, deleted), await signIn(service, undone)];
  const users = service.platform.db.updateTable("users");
  await users.set({ deactivated_at: service.platform.clock() }).where("id", "=", closed.id).execute();
  await browsers[1]?.send("DELETE", "/api/signature/me/", { body: { password: MEMBER_PASSWORD } });
  await users.set({ activated_at: null }).where("id", "=", undone.id).execute();
  for (const browser of browsers) {
    expect((await browser.get("/api/signature/me/")).status).toBe(401);
    expect((await browser.get(ENVELOPES)).status).toBe(401);
    expect((await browser.get("/api/verify-token/")).status).toBe(401);
  }
  expect((await browsers[0]?.post("/api/token/refresh/"))?.status).toBe(401);
});

test("security line 16: activation, reset and guest links open no session", async () => {
  const email = "nouveau@exemple.fr";
  const person = {
    username: "nouveau",
    email,
    password: "encre bleue 47",
    first_name: "Zoé",
    last_name: "Martin",
    birth_date: "1990-05-17",
  };
  const browser = openBrowser(service.app);
  await browser.post("/api/signature/register/", person);
  const before = await sessionCount();
  const activation = linkIn((await mailFor(service.platform, email))[0], "https://localhost:8443/api/signature/activate/");
  const activated = await browser.get(new URL(activation).pathname);
  expect([activated.status, activated.headers["location"], cookieNames(activated)]).toEqual([302, "/login?activated=1", []]);

  await browser.post("/api/signature/password-reset/", { email });
  const [, , uid, token] = new URL(
    linkIn((await mailFor(service.platform, email))[0], "https://localhost:8443/reset-password/"),
  ).pathname.split("/");
  const reset = await browser.post("/api/signature/change-password/", { uid, token, password: "encre violette 9" });
  expect([reset.status, cookieNames(reset)]).toEqual([200, []]);
  expect((await browser.get("/api/verify-token/")).status).toBe(401);

  const owner = await signIn(service, await createMember(service.platform));
  const envelope = await createSent(owner, { recipients: [PAUL] });
  const guest = await openMailedGuest(service, envelope.id, PAUL.email);
  await guest.confirm();
  await guest.post("sign/", TYPED);
  expect([...guest.cookies.keys()].filter((name) => SESSION_COOKIES.includes(name))).toEqual([]);
  // The owner's own is the one session more.
  expect(await sessionCount()).toBe(before + 1);
});
