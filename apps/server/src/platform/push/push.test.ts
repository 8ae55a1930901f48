import { createECDH } from "node:crypto";
import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { createTestPlatform, type TestPlatform } from "../../../testing/platform.ts";
import {
  decrypt,
  type PushReceiver,
  startPushReceiver,
} from "../../../testing/servers/push-receiver.ts";
import { isPublicAddress } from "../addresses.ts";
import { createSecretBox } from "../secrets/secret-box.ts";
import { createPushTransport, encryptPayload } from "./create-push-transport.ts";
import { ForbiddenAddressError, guardedPost } from "../guarded-call.ts";
import type { PushMessage, PushTarget, PushTransport } from "../message-transports.ts";

let receiver: PushReceiver;

beforeAll(async () => {
  receiver = await startPushReceiver();
});
beforeEach(() => {
  receiver.received.length = 0;
  receiver.answers.length = 0;
});
afterAll(() => receiver.close());

describe("the encryption of a push message", () => {
  const bytes = (text: string) => new Uint8Array(Buffer.from(text, "base64url"));

  /** Vector of RFC 8291, appendix A. */
  const VECTOR = {
    plaintext: "When I grow up, I want to be a watermelon",
    receiverPublicKey: bytes(
      "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    ),
    receiverPrivateKey: bytes("q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"),
    senderPrivateKey: bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"),
    salt: bytes("DGv6ra1nlYgDCS1FRnbzlw"),
    authSecret: bytes("BTBZMqHH6r4Tts7J_aSIgg"),
    body:
      "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27ml" +
      "mlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPT" +
      "pK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
  };
  const target = { publicKey: VECTOR.receiverPublicKey, authSecret: VECTOR.authSecret };
  const receiver = { privateKey: VECTOR.receiverPrivateKey, authSecret: VECTOR.authSecret };
  const encode = (text: string) => new TextEncoder().encode(text);

  test("encryption matches RFC 8291, appendix A, to the byte", () => {
    expect(
      Buffer.from(encryptPayload(encode(VECTOR.plaintext), target, VECTOR)).toString("base64url"),
    ).toBe(VECTOR.body);
  });

  test("the receiver alone decrypts, up to the longest message", () => {
    const longest = "é".repeat(1_996) + "x";
    expect(decrypt(encryptPayload(encode(longest), target, VECTOR), receiver)).toBe(longest);
    expect(encryptPayload(encode(longest), target, VECTOR)).toHaveLength(4_096);
    const other = createECDH("prime256v1");
    other.generateKeys();
    expect(() =>
      decrypt(encryptPayload(encode("x"), target, VECTOR), {
        ...receiver,
        privateKey: other.getPrivateKey(),
      }),
    ).toThrow();
    expect(() =>
      decrypt(encryptPayload(encode("x"), target, VECTOR), {
        ...receiver,
        authSecret: new Uint8Array(16),
      }),
    ).toThrow();
  });

  test("a longer message and an invalid key are refused", () => {
    expect(() => encryptPayload(new Uint8Array(3_994), target, VECTOR)).toThrow(RangeError);
    const offCurve = VECTOR.receiverPublicKey.slice();
    offCurve[64] = (offCurve[64] ?? 0) ^ 1;
    expect(() => encryptPayload(encode("x"), { ...target, publicKey: offCurve }, VECTOR)).toThrow();
  });
});

describe("public addresses", () => {
  test.each([
    "8.8.8.8",
    "142.250.75.42",
    "172.15.255.255",
    "172.32.0.1",
    "100.128.0.1",
    "223.255.255.255",
    "2a00:1450:4007:80e::200e",
    "2606:4700::6810:84e5",
  ])("%s is a public address", (ip) => expect(isPublicAddress(ip)).toBe(true));

  test.each([
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.8",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::ffff:8.8.8.8",
    "64:ff9b::a00:1",
    "fc00::1",
    "fd12:3456::1",
    "fe80::1",
    "fe80::1%eth0",
    "ff02::1",
    "2001::1",
    "2001:db8::1",
    "2002:7f00:1::1",
    "3fff::1",
    "localhost",
    "",
  ])("%s is not a public address", (ip) => expect(isPublicAddress(ip)).toBe(false));
});

describe("a call to an address that a person gave", () => {
  const post = (
    url: string,
    options: { mayReach?: (ip: string) => boolean; timeoutMs?: number } = {},
  ) => guardedPost({ url, headers: {}, body: new Uint8Array(3), mayReach: () => true, ...options });

  test("an allowed address is posted to", async () => {
    receiver.answers.push({ status: 202, body: "pris" });
    // The receiver knows no such browser.
    expect(await post(`https://localhost:${receiver.port}/personne`)).toEqual({
      status: 404,
      text: "pris",
    });
  });

  test("the resolved address decides, and nothing is sent to a forbidden one", async () => {
    const before = receiver.requests();
    const judged: string[] = [];
    const mayReach = (ip: string) => {
      judged.push(ip);
      return isPublicAddress(ip);
    };
    for (const host of [
      "localhost",
      "127.0.0.1",
      "[::1]",
      "[::ffff:127.0.0.1]",
      "2130706433",
      "0x7f.1",
      "127.1",
    ])
      await expect(post(`https://${host}:${receiver.port}/`, { mayReach })).rejects.toThrow(
        ForbiddenAddressError,
      );
    expect(judged.length).toBeGreaterThan(6);
    expect(judged.every((ip) => !isPublicAddress(ip))).toBe(true);
    expect(receiver.requests()).toBe(before);
  });

  test("a name with one forbidden address is refused", async () => {
    // « localhost » has one address on some machines.
    const both = ["127.0.0.1", "::1"].map((address) => ({
      address,
      family: address.includes(":") ? 6 : 4,
    }));
    const lookup = vi
      .spyOn(dns, "lookup")
      .mockImplementation(((
        _name: string,
        _options: object,
        give: (error: null, found: object[]) => void,
      ) => give(null, both)) as never);
    syncBuiltinESMExports();
    const before = receiver.requests();
    try {
      for (const { address } of both)
        await expect(
          post(`https://localhost:${receiver.port}/`, { mayReach: (ip) => ip === address }),
        ).rejects.toThrow(ForbiddenAddressError);
      expect(lookup).toHaveBeenCalledTimes(2);
      expect(receiver.requests()).toBe(before);
    } finally {
      lookup.mockRestore();
      syncBuiltinESMExports();
    }
  });

  test.each([
    "http://localhost/",
    "ftp://localhost/",
    "https://moi@localhost/",
    "https://moi:secret@localhost/",
  ])("%s gets no call", async (url) => {
    await expect(post(url)).rejects.toThrow(ForbiddenAddressError);
  });

  test("no redirection is followed", async () => {
    const browser = receiver.subscribe();
    receiver.answers.push({
      status: 307,
      headers: { location: `https://localhost:${receiver.port}/ailleurs` },
    });
    const before = receiver.requests();
    expect((await post(browser.target.endpoint)).status).toBe(307);
    expect(receiver.requests()).toBe(before + 1);
  });

  test("a call ends after its time, 5 seconds by default", async () => {
    const given = vi.spyOn(AbortSignal, "timeout");
    const browser = receiver.subscribe();
    receiver.answers.push({ status: 500 }, { status: 500, delayMs: 3_000 });
    await post(browser.target.endpoint);
    expect(given).toHaveBeenCalledWith(5_000);
    await expect(post(browser.target.endpoint, { timeoutMs: 200 })).rejects.toThrow(
      /abort|timeout/i,
    );
    given.mockRestore();
  });

  test("at most 1 MB is read", async () => {
    const browser = receiver.subscribe();
    receiver.answers.push(
      { status: 500, body: new Uint8Array(1_048_576) },
      { status: 500, body: new Uint8Array(1_048_577) },
    );
    expect((await post(browser.target.endpoint)).text).toHaveLength(1_048_576);
    await expect(post(browser.target.endpoint)).rejects.toThrow("longer than 1 MB");
  });

  test("a server that cannot prove its name gets no call", async () => {
    await expect(post(`https://127.0.0.2:${receiver.port}/`)).rejects.toThrow();
  });
});

describe("push", () => {
  let platform: TestPlatform;
  let transport: PushTransport;

  /** SMTP and the gateway are set, so there is no mailbox. */
  const REAL = {
    production: false,
    publicUrl: "https://localhost:8443",
    smtpUrl: "smtp://localhost",
    sms: { url: "https://sms.exemple.fr", token: null },
    vapidSubject: "mailto:paraphe@exemple.fr",
  };
  const content = {
    title: "Zoë Œuvrard a signé « Bail »",
    body: "1 signature sur 2.",
    url: "/signature/detail/1",
  };
  const message = (target: PushTarget): PushMessage => ({
    target,
    content,
    ttlS: 3_600,
    to: "camille@exemple.fr",
  });
  beforeAll(async () => {
    platform = await createTestPlatform();
    transport = createPushTransport(REAL, platform);
  });
  afterAll(() => platform.close());

  describe("a push message", () => {
    test("the browser decrypts a message, and learns its sender", async () => {
      const browser = receiver.subscribe();
      receiver.answers.push({ status: 201, body: "créé\n" });
      expect(await transport.deliver(message(browser.target))).toEqual({
        state: "accepted",
        serverAnswer: "201",
      });
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

    test("each encryption is fresh", async () => {
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
    ])("a push message answered %i is %s", async (status, state) => {
      receiver.answers.push({ status });
      expect(await transport.deliver(message(receiver.subscribe().target))).toEqual({
        state,
        serverAnswer: String(status),
      });
    });

    test("a service that is away is retried", async () => {
      const target = { ...receiver.subscribe().target, endpoint: "https://localhost:9/" };
      expect(await transport.deliver(message(target))).toEqual({
        state: "deferred",
        serverAnswer: "Le service de notification ne répond pas.",
      });
    });

    test("only an answer's status is stored: the address is the browser's choice, perhaps somebody's page", async () => {
      receiver.answers.push({ status: 403, body: "page interne" });
      expect(await transport.deliver(message(receiver.subscribe().target))).toEqual({
        state: "refused",
        serverAnswer: "403",
      });
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
        expect((await guarded.deliver(message(receiver.subscribe(host).target))).state).toBe(
          "refused",
        );
      expect(receiver.requests()).toBe(before);
    });

    test("loopback receivers are allowed on a developer's machine, other private addresses are not", async () => {
      expect((await transport.deliver(message(receiver.subscribe("127.0.0.1").target))).state).toBe(
        "accepted",
      );
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
    test("the push key is made once, and shared by processes that start together", async () => {
      const fresh = await createTestPlatform();
      try {
        const keys = await Promise.all(
          Array.from({ length: 5 }, () => createPushTransport(REAL, fresh).publicKey()),
        );
        expect(new Set(keys.map((key) => Buffer.from(key).toString("hex"))).size).toBe(1);
        expect(keys[0]).toHaveLength(65);
        const rows = await fresh.db.selectFrom("vapid_keys").selectAll().execute();
        expect(rows).toHaveLength(1);
        expect(Buffer.from(rows[0]?.private_key_wrapped ?? []).length).toBe(32 + 29);
      } finally {
        await fresh.close();
      }
    });

    test("the push key is useless without MASTER_KEY; a failed start is retried", async () => {
      await transport.publicKey();
      const elsewhere = createPushTransport(REAL, {
        ...platform,
        secrets: createSecretBox(new Uint8Array(32), platform.random),
      });
      await expect(elsewhere.publicKey()).rejects.toThrow();
      await expect(elsewhere.publicKey()).rejects.toThrow();
    });
  });

  describe("in the local mailbox", () => {
    const kept = () =>
      platform.db
        .selectFrom("mailbox_messages")
        .selectAll()
        .where("channel", "=", "push")
        .execute();
    const withMailbox = () => createPushTransport({ ...REAL, smtpUrl: null }, platform);

    test("the mailbox shows a push message, whether the service accepted it or is out of reach", async () => {
      const browser = receiver.subscribe();
      expect((await withMailbox().deliver(message(browser.target))).state).toBe("accepted");
      const away = { ...browser.target, endpoint: "https://localhost:9/" };
      const outcome = await withMailbox().deliver(message(away));
      expect(outcome.state).toBe("accepted");
      expect(outcome.serverAnswer).toMatch(/^Boîte aux lettres de ce serveur d’essai\. ./);
      const rows = await kept();
      expect(rows).toHaveLength(2);
      expect(rows[0]).toMatchObject({ destination: "camille@exemple.fr", subject: content.title });
      expect(JSON.parse(rows[0]?.content ?? "").text).toBe(
        "1 signature sur 2.\nhttps://localhost:8443/signature/detail/1",
      );
    });

    test("an ended subscription is removed there too", async () => {
      const before = (await kept()).length;
      receiver.answers.push({ status: 410 });
      expect((await withMailbox().deliver(message(receiver.subscribe().target))).state).toBe(
        "gone",
      );
      expect((await kept()).length).toBe(before);
    });

    test("nothing is stored in production, nor where mails and texts really leave", async () => {
      const before = (await kept()).length;
      await transport.deliver(message(receiver.subscribe().target));
      await createPushTransport({ ...REAL, smtpUrl: null, production: true }, platform).deliver(
        message(receiver.subscribe().target),
      );
      expect((await kept()).length).toBe(before);
    });
  });
});
