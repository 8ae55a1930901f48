import { createECDH, randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { createMember, type Member, MEMBER_PASSWORD, signIn } from "../../../testing/member.ts";

const PATH = "/api/signature/me/push-subscriptions/";
let service: TestApp;
let member: Member;

beforeAll(async () => {
  service = await createTestApp();
  member = await createMember(service.platform);
});
afterAll(() => service.close());

/** What a browser's `PushSubscription.toJSON()` gives. */
function subscription(endpoint = `https://push.exemple.fr/${randomBytes(9).toString("base64url")}`) {
  const ecdh = createECDH("prime256v1");
  ecdh.generateKeys();
  const keys = { p256dh: ecdh.getPublicKey().toString("base64url"), auth: randomBytes(16).toString("base64url") };
  return { endpoint, expirationTime: null, keys };
}

const kept = (userId = member.id) =>
  service.platform.db.selectFrom("push_subscriptions").select(["endpoint"]).where("user_id", "=", userId).orderBy("created_at").execute();
const endpoints = async (userId = member.id) => (await kept(userId)).map(({ endpoint }) => endpoint);

describe("push subscriptions", () => {
  test("are bound to the service's key, a point of P-256, always the same", async () => {
    const browser = await signIn(service, member);
    const { status, body } = await browser.get(PATH);
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(["public_key"]);
    const key = Buffer.from(body.public_key, "base64url");
    expect([key.length, key[0]]).toEqual([65, 4]);
    expect((await browser.get(PATH)).body).toEqual(body);
  });

  test("are kept once per endpoint, and forgotten on demand", async () => {
    const browser = await signIn(service, member);
    const asked = subscription();
    for (let time = 0; time < 2; time++) {
      const answer = await browser.post(PATH, asked);
      expect([answer.status, answer.body]).toEqual([201, {}]);
    }
    expect(await endpoints()).toEqual([asked.endpoint]);
    const gone = await browser.send("DELETE", PATH, { body: { endpoint: asked.endpoint } });
    expect([gone.status, gone.text]).toEqual([204, ""]);
    expect(await endpoints()).toEqual([]);
    expect((await browser.send("DELETE", PATH, { body: { endpoint: asked.endpoint } })).status).toBe(204);
  });

  test("are ten at most, even asked for at once", async () => {
    const browser = await signIn(service, member);
    const answers = await Promise.all(Array.from({ length: 14 }, () => browser.post(PATH, subscription())));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(await kept()).toHaveLength(10);
  });

  test("go with the person who subscribed last in that browser, and nobody forgets another's", async () => {
    const other = await createMember(service.platform);
    const [mine, theirs] = [await signIn(service, member), await signIn(service, other)];
    const asked = subscription();
    await mine.post(PATH, asked);
    await theirs.post(PATH, asked);
    expect(await endpoints(other.id)).toEqual([asked.endpoint]);
    expect(await endpoints()).not.toContain(asked.endpoint);
    await mine.send("DELETE", PATH, { body: { endpoint: asked.endpoint } });
    expect(await endpoints(other.id)).toEqual([asked.endpoint]);
  });

  test.each([
    ["http", { endpoint: "http://push.exemple.fr/a" }],
    ["no address", { endpoint: "push" }],
    ["an address with a name and a password", { endpoint: "https://moi:secret@push.exemple.fr/" }],
    ["an address too long", { endpoint: `https://push.exemple.fr/${"a".repeat(1_024)}` }],
    ["a key too short", { keys: { p256dh: "AAAA", auth: "A".repeat(22) } }],
    ["a key off the curve", { keys: { p256dh: `B${"A".repeat(86)}`, auth: "A".repeat(22) } }],
    ["a secret too long", { keys: { ...subscription().keys, auth: "A".repeat(24) } }],
    ["no key", { keys: undefined }],
    ["another field", { token: "x" }],
  ])("are refused with %s", async (_what, values) => {
    const browser = await signIn(service, member);
    const answer = await browser.post(PATH, { ...subscription(), ...values });
    expect([answer.status, answer.body.code]).toEqual([400, "validation"]);
    expect(Object.keys(answer.body.errors).length).toBeGreaterThan(0);
  });

  test("ask for a session and its CSRF token", async () => {
    for (const method of ["GET", "POST", "DELETE"] as const) {
      const answer = await service.app.inject({ method, url: PATH });
      expect([401, 403]).toContain(answer.statusCode);
    }
    const browser = await signIn(service, member);
    const forged = await browser.post(PATH, subscription(), { headers: { "x-csrftoken": "x" } });
    expect([forged.status, forged.body.code]).toEqual([403, "csrf_failed"]);
  });
});

describe("a browser is told nothing more", () => {
  async function subscribed(): Promise<{ browser: Awaited<ReturnType<typeof signIn>>; endpoint: string; person: Member }> {
    const person = await createMember(service.platform);
    const browser = await signIn(service, person);
    const asked = subscription();
    await browser.post(PATH, asked);
    expect(await endpoints(person.id)).toEqual([asked.endpoint]);
    return { browser, endpoint: asked.endpoint, person };
  }

  test("once its person has logged out", async () => {
    const { browser, person } = await subscribed();
    const elsewhere = await signIn(service, person);
    const other = subscription();
    await elsewhere.post(PATH, other);
    await browser.post("/api/logout/");
    expect(await endpoints(person.id)).toEqual([other.endpoint]);
  });

  test("once the password was changed from another one, which keeps its own", async () => {
    const { person } = await subscribed();
    const mine = await signIn(service, person);
    const own = subscription();
    await mine.post(PATH, own);
    const changed = await mine.post("/api/signature/me/password/", { old_password: MEMBER_PASSWORD, new_password: "plume verte 58" });
    expect(changed.status).toBe(200);
    expect(await endpoints(person.id)).toEqual([own.endpoint]);
  });

  test("once its session is forgotten, however that came", async () => {
    const { person } = await subscribed();
    await service.platform.db.deleteFrom("sessions").where("user_id", "=", person.id).execute();
    expect(await kept(person.id)).toHaveLength(0);
  });

  test("once its session was ended from another one", async () => {
    const { person } = await subscribed();
    const mine = await signIn(service, person);
    expect((await mine.send("DELETE", "/api/signature/me/sessions/")).status).toBe(204);
    expect(await kept(person.id)).toHaveLength(0);
  });

  test("once the account is erased", async () => {
    const { browser, person } = await subscribed();
    const erased = await browser.send("DELETE", "/api/signature/me/", { body: { password: MEMBER_PASSWORD } });
    expect(erased.status).toBeLessThan(300);
    expect(await kept(person.id)).toHaveLength(0);
  });
});

test("an address that is written out and not public is refused at once", async () => {
  const served = await createTestApp({ settings: { production: true } });
  try {
    const member = await signIn(served, await createMember(served.platform));
    const names = ["localhost", "localhost.", "foo.localhost", "FOO.LocalHost.", "push.exemple.fr:22", "push.exemple.fr:8443"];
    for (const host of ["127.0.0.1", "10.0.0.1", "169.254.169.254", "[::1]", "2130706433", "127.0.0.1.", ...names]) {
      const endpoint = `https://${host}/a`;
      const answer = await member.post("/api/signature/me/push-subscriptions/", {
        endpoint,
        keys: { p256dh: "B".repeat(87), auth: "A".repeat(22) },
      });
      expect([host, answer.status, Object.keys(answer.body.errors)]).toEqual([host, 400, ["endpoint"]]);
    }
  } finally {
    await served.close();
  }
});
