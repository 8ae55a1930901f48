import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createTestPlatform, type TestPlatform } from "../../../testing/platform.ts";
import { type PushReceiver, startPushReceiver } from "../../../testing/push-receiver.ts";
import { createSecretBox } from "../secrets/create-secret-box.ts";
import { createPushTransport } from "./create-push-transport.ts";
import type { PushMessage, PushTarget, PushTransport } from "./push-transport.ts";

let receiver: PushReceiver;
let platform: TestPlatform;
let transport: PushTransport;

/** No mailbox: SMTP and the gateway are both set. */
const REAL = {
  production: false,
  publicUrl: "https://localhost:8443",
  smtpUrl: "smtp://localhost",
  sms: { url: "https://sms.exemple.fr", token: null },
  vapidSubject: "mailto:paraphe@exemple.fr",
};
const content = { title: "Zoë Œuvrard a signé « Bail »", body: "1 signature sur 2.", url: "/signature/detail/1" };
const message = (target: PushTarget): PushMessage => ({ target, content, ttlS: 3_600, to: "camille@exemple.fr" });

beforeAll(async () => {
  receiver = await startPushReceiver();
  platform = await createTestPlatform();
  transport = createPushTransport(REAL, platform);
});
afterAll(async () => {
  await receiver.close();
  await platform.close();
});
beforeEach(() => {
  receiver.received.length = 0;
  receiver.answers.length = 0;
});

describe("a push message", () => {
  test("is read by the browser it is for, and says who sends it", async () => {
    const browser = receiver.subscribe();
    receiver.answers.push({ status: 201, body: "créé\n" });
    expect(await transport.deliver(message(browser.target))).toEqual({ state: "accepted", serverAnswer: "201" });
    const [got] = receiver.received;
    expect(JSON.parse(got?.text ?? "")).toEqual(content);
    expect(got?.headers).toMatchObject({
      ttl: "3600",
      urgency: "normal",
      "content-encoding": "aes128gcm",
      "content-type": "application/octet-stream",
    });
    expect(got?.claims).toEqual({
      aud: `https://localhost:${receiver.port}`,
      exp: platform.clock().getTime() / 1_000 + 12 * 3_600,
      sub: "mailto:paraphe@exemple.fr",
    });
    expect(got?.senderKey).toBe(Buffer.from(await transport.publicKey()).toString("base64url"));
  });

  test("is encrypted afresh each time", async () => {
    const bodies = new Set<string>();
    const random = (length: number) => {
      const drawn = platform.random(length);
      bodies.add(Buffer.from(drawn).toString("hex"));
      return drawn;
    };
    const fresh = createPushTransport(REAL, { ...platform, random });
    const browser = receiver.subscribe();
    await fresh.deliver(message(browser.target));
    await fresh.deliver(message(browser.target));
    expect(bodies.size).toBe(4);
    expect(receiver.received).toHaveLength(2);
  });

  test.each([
    [200, "accepted"],
    [202, "accepted"],
    [404, "gone"],
    [410, "gone"],
    [400, "refused"],
    [403, "refused"],
    [413, "refused"],
    [307, "refused"],
    [429, "deferred"],
    [500, "deferred"],
    [503, "deferred"],
  ])("answered %i is %s", async (status, state) => {
    receiver.answers.push({ status });
    expect(await transport.deliver(message(receiver.subscribe().target))).toEqual({ state, serverAnswer: String(status) });
  });

  test("to a service that is away is to be tried again", async () => {
    const target = { ...receiver.subscribe().target, endpoint: "https://localhost:9/" };
    expect(await transport.deliver(message(target))).toEqual({
      state: "deferred",
      serverAnswer: "Le service de notification ne répond pas.",
    });
  });

  test("keeps of the answer its status alone: the address is the browser's own choice, and what is there may be somebody's page", async () => {
    receiver.answers.push({ status: 403, body: "page interne" });
    expect(await transport.deliver(message(receiver.subscribe().target))).toEqual({ state: "refused", serverAnswer: "403" });
  });
});

describe("a receiver on this machine", () => {
  test.each([
    ["in production", { production: true }],
    ["under a public name", { publicUrl: "https://signature.exemple.fr" }],
  ])("is refused %s, and nothing is sent to it", async (_where, settings) => {
    const before = receiver.requests();
    const guarded = createPushTransport({ ...REAL, ...settings }, platform);
    for (const host of ["localhost", "127.0.0.1"])
      expect((await guarded.deliver(message(receiver.subscribe(host).target))).state).toBe("refused");
    expect(receiver.requests()).toBe(before);
  });

  test("may be reached on one's own machine, and no other private address", async () => {
    expect((await transport.deliver(message(receiver.subscribe("127.0.0.1").target))).state).toBe("accepted");
    for (const host of ["10.0.0.1", "192.168.1.1", "169.254.169.254", "[fd00::1]"]) {
      const target = { ...receiver.subscribe().target, endpoint: `https://${host}/` };
      expect(await transport.deliver(message(target))).toEqual({
        state: "refused",
        serverAnswer: "Cette adresse de notification n’est pas appelée.",
      });
    }
  });
});

describe("the service's key", () => {
  test("is made once, and the same for processes that start together", async () => {
    const fresh = await createTestPlatform();
    try {
      const keys = await Promise.all(Array.from({ length: 5 }, () => createPushTransport(REAL, fresh).publicKey()));
      expect(new Set(keys.map((key) => Buffer.from(key).toString("hex"))).size).toBe(1);
      expect(keys[0]).toHaveLength(65);
      const rows = await fresh.db.selectFrom("vapid_keys").selectAll().execute();
      expect(rows).toHaveLength(1);
      expect(Buffer.from(rows[0]?.private_key_wrapped ?? []).length).toBe(32 + 29);
    } finally {
      await fresh.close();
    }
  });

  test("is of no use without MASTER_KEY; a start that failed is tried again", async () => {
    await transport.publicKey();
    const stranger = createPushTransport(REAL, { ...platform, secrets: createSecretBox(new Uint8Array(32), platform.random) });
    await expect(stranger.publicKey()).rejects.toThrow();
    await expect(stranger.publicKey()).rejects.toThrow();
  });
});

describe("in the local mailbox", () => {
  const kept = () => platform.db.selectFrom("mailbox_messages").selectAll().where("channel", "=", "push").execute();
  const withMailbox = () => createPushTransport({ ...REAL, smtpUrl: null }, platform);

  test("what was pushed is shown, whether the service took it or is out of reach", async () => {
    const browser = receiver.subscribe();
    expect((await withMailbox().deliver(message(browser.target))).state).toBe("accepted");
    const away = { ...browser.target, endpoint: "https://localhost:9/" };
    const outcome = await withMailbox().deliver(message(away));
    expect(outcome.state).toBe("accepted");
    expect(outcome.serverAnswer).toMatch(/^Boîte aux lettres de ce serveur d’essai\. ./);
    const rows = await kept();
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatchObject({ destination: "camille@exemple.fr", subject: content.title });
    expect(JSON.parse(rows[0]?.content ?? "").text).toBe("1 signature sur 2.\nhttps://localhost:8443/signature/detail/1");
  });

  test("a subscription that has ended has ended there too", async () => {
    const before = (await kept()).length;
    receiver.answers.push({ status: 410 });
    expect((await withMailbox().deliver(message(receiver.subscribe().target))).state).toBe("gone");
    expect((await kept()).length).toBe(before);
  });

  test("nothing is kept in production, nor where mails and texts really go", async () => {
    const before = (await kept()).length;
    await transport.deliver(message(receiver.subscribe().target));
    await createPushTransport({ ...REAL, smtpUrl: null, production: true }, platform).deliver(message(receiver.subscribe().target));
    expect((await kept()).length).toBe(before);
  });
});
