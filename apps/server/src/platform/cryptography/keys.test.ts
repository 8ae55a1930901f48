import { createHash, generateKeyPairSync, randomBytes, X509Certificate } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer, get } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  digestOf,
  digestRanges,
  type SignatureToVerify,
  useCryptography,
  webCryptography,
} from "@paraphe/pades/cryptography";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createSecretBox } from "../secrets/secret-box.ts";
import { loadOrMakeMasterKey } from "../secrets/data-key.ts";
import { loadOrMakeLocalTls } from "../tls/load-tls.ts";
import { nodeCryptography } from "./node-cryptography.ts";

const random = (length: number) => new Uint8Array(randomBytes(length));

test("ranges that begin alike have the digests of their own bytes", async () => {
  const file = random(50_000);
  const range = (begin: number, rest: number, end: number) =>
    [file.subarray(0, begin), file.subarray(rest, end)] as const;
  const ranges = [range(10, 30, 900), range(1_000, 1_200, 9_000), range(700, 40_000, 50_000)];
  const plainly = ranges.map((pieces) => createHash("sha256").update(Buffer.concat(pieces)));
  const expected = plainly.map((hash) => new Uint8Array(hash.digest()));
  for (const cryptography of [webCryptography, nodeCryptography]) {
    useCryptography(cryptography);
    digestRanges(ranges);
    const found = await Promise.all(ranges.map((pieces) => digestOf("SHA-256", pieces)));
    expect(found).toEqual(expected);
  }
  const other = new Uint8Array(createHash("sha512").update(file).digest());
  expect(await digestOf("SHA-512", [file])).toEqual(other);
});

describe("cryptography", () => {
  type Key = { readonly privateKey: CryptoKey; readonly subjectPublicKey: Uint8Array };
  type Kind = Pick<SignatureToVerify, "keyAlgorithm" | "algorithm">;

  const data = new TextEncoder().encode("un contrat");
  const EXPONENT = new Uint8Array([1, 0, 1]);
  const KINDS: Readonly<Record<string, Kind>> = {
    "P-256": {
      keyAlgorithm: { name: "ECDSA", namedCurve: "P-256" },
      algorithm: { name: "ECDSA", hash: "SHA-256" },
    },
    "P-384": {
      keyAlgorithm: { name: "ECDSA", namedCurve: "P-384" },
      algorithm: { name: "ECDSA", hash: "SHA-384" },
    },
    "P-521": {
      keyAlgorithm: { name: "ECDSA", namedCurve: "P-521" },
      algorithm: { name: "ECDSA", hash: { name: "SHA-512" } },
    },
    RSA: {
      keyAlgorithm: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
      algorithm: { name: "RSASSA-PKCS1-v1_5" },
    },
    "RSA-PSS": {
      keyAlgorithm: { name: "RSA-PSS", hash: "SHA-384" },
      algorithm: { name: "RSA-PSS", saltLength: 48 },
    },
    "RSA-PSS without salt": {
      keyAlgorithm: { name: "RSA-PSS", hash: "SHA-256" },
      algorithm: { name: "RSA-PSS", saltLength: 0 },
    },
    Ed25519: { keyAlgorithm: { name: "Ed25519" }, algorithm: { name: "Ed25519" } },
  };
  const keys = new Map<string, Key>();

  async function makeKey({ keyAlgorithm }: Kind): Promise<Key> {
    const asked =
      "hash" in keyAlgorithm
        ? { ...keyAlgorithm, modulusLength: 2_048, publicExponent: EXPONENT }
        : keyAlgorithm;
    const pair = (await crypto.subtle.generateKey(asked, true, [
      "sign",
      "verify",
    ])) as CryptoKeyPair;
    return {
      privateKey: pair.privateKey,
      subjectPublicKey: new Uint8Array(await crypto.subtle.exportKey("spki", pair.publicKey)),
    };
  }
  async function signedBy(name: string): Promise<SignatureToVerify> {
    const [kind, key] = [KINDS[name] as Kind, keys.get(name) as Key];
    const signature = new Uint8Array(
      await crypto.subtle.sign(kind.algorithm, key.privateKey, data),
    );
    return { ...kind, subjectPublicKey: key.subjectPublicKey, signature, data };
  }
  const changed = (bytes: Uint8Array) =>
    bytes.map((byte, index) => (index === bytes.length - 1 ? byte ^ 1 : byte));

  beforeAll(async () => {
    for (const [name, kind] of Object.entries(KINDS)) keys.set(name, await makeKey(kind));
  });

  describe("the verdict is WebCrypto's", () => {
    test.each(Object.keys(KINDS))("%s", async (name) => {
      const signed = await signedBy(name);
      const cases = [
        { signed, verdict: "valid" },
        { signed: { ...signed, data: changed(data) }, verdict: "invalid" },
        { signed: { ...signed, signature: changed(signed.signature) }, verdict: "invalid" },
        { signed: { ...signed, signature: signed.signature.subarray(1) }, verdict: "invalid" },
        {
          signed: { ...signed, signature: new Uint8Array(signed.signature.length) },
          verdict: "invalid",
        },
        { signed: { ...signed, signature: new Uint8Array(0) }, verdict: "invalid" },
        { signed: { ...signed, subjectPublicKey: new Uint8Array(91) }, verdict: "unsupported" },
        { signed: { ...signed, subjectPublicKey: new Uint8Array(2_000) }, verdict: "unsupported" },
        {
          signed: { ...signed, subjectPublicKey: signed.subjectPublicKey.subarray(1) },
          verdict: "unsupported",
        },
        {
          signed: { ...signed, signature: new Uint8Array([...signed.signature, 0, 0]) },
          verdict: "invalid",
        },
      ];
      for (const { signed: one, verdict } of cases)
        expect([await nodeCryptography.verify(one), await webCryptography.verify(one)]).toEqual([
          verdict,
          verdict,
        ]);
    });

    test.each(["P-256", "P-384", "P-521"])("of a key that is no point of %s", async (name) => {
      const signed = await signedBy(name);
      const off = { ...signed, subjectPublicKey: changed(signed.subjectPublicKey) };
      expect([await nodeCryptography.verify(off), await webCryptography.verify(off)]).toEqual([
        "unsupported",
        "unsupported",
      ]);
    });

    test("the verdict on a key for another algorithm is WebCrypto's", async () => {
      for (const [name, other] of [
        ["P-256", "P-384"],
        ["P-256", "RSA"],
        ["RSA", "P-256"],
        ["RSA", "Ed25519"],
        ["Ed25519", "P-256"],
        ["Ed25519", "RSA-PSS"],
      ] as const) {
        const signed = { ...(await signedBy(name)), ...(KINDS[other] as Kind) };
        expect([name, other, await nodeCryptography.verify(signed)]).toEqual([
          name,
          other,
          "unsupported",
        ]);
        expect([name, other, await webCryptography.verify(signed)]).toEqual([
          name,
          other,
          "unsupported",
        ]);
      }
    });

    test.each([1, 20, 47, 200])("of a salt of %i bytes where there are 48", async (saltLength) => {
      const signed = { ...(await signedBy("RSA-PSS")), algorithm: { name: "RSA-PSS", saltLength } };
      expect(await nodeCryptography.verify(signed)).toBe(await webCryptography.verify(signed));
      expect(await nodeCryptography.verify(signed)).not.toBe("valid");
    });

    test("a salt too long for its key is invalid, unlike in WebCrypto", async () => {
      const signed = {
        ...(await signedBy("RSA-PSS")),
        algorithm: { name: "RSA-PSS", saltLength: 255 },
      };
      expect(await nodeCryptography.verify(signed)).toBe("invalid");
    });

    test("a key bound to RSA-PSS, which WebCrypto refuses, verifies", async () => {
      const { publicKey } = generateKeyPairSync("rsa-pss", { modulusLength: 2_048 });
      const subjectPublicKey = new Uint8Array(publicKey.export({ type: "spki", format: "der" }));
      const signed = { ...(await signedBy("RSA-PSS")), subjectPublicKey };
      expect([await nodeCryptography.verify(signed), await webCryptography.verify(signed)]).toEqual(
        ["unsupported", "unsupported"],
      );
    });
  });

  test.each(["SHA-1", "SHA-256", "SHA-384", "SHA-512"])(
    "digests are those of WebCrypto: %s",
    async (name) => {
      for (const length of [0, 1, 63, 64, 16_385]) {
        const bytes = new Uint8Array(length).fill(7);
        expect(await nodeCryptography.digest(name, bytes)).toEqual(
          new Uint8Array(await crypto.subtle.digest(name, bytes)),
        );
      }
    },
  );

  test("a parsed key survives changes of its buffer, and serves no other key", async () => {
    const [alice, bob] = [
      await signedBy("P-256"),
      { ...(await signedBy("P-256")), ...(await makeKey(KINDS["P-256"] as Kind)) },
    ];
    const buffer = alice.subjectPublicKey.slice();
    expect(nodeCryptography.verify({ ...alice, subjectPublicKey: buffer })).toBe("valid");
    buffer.set(bob.subjectPublicKey);
    expect(nodeCryptography.verify({ ...alice, subjectPublicKey: buffer })).toBe("invalid");
    for (let count = 0; count < 70; count += 1)
      await nodeCryptography.verify({
        ...alice,
        subjectPublicKey: (await makeKey(KINDS["P-256"] as Kind)).subjectPublicKey,
      });
    expect(nodeCryptography.verify(alice)).toBe("valid");
  });
});

describe("a secret box", () => {
  const box = createSecretBox(random(32), random);
  const secret = new TextEncoder().encode("clé privée");

  test("a secret box unwraps what it wrapped, and never wraps twice alike", () => {
    const wrapped = box.wrap(secret, "key 1");
    expect(box.unwrap(wrapped, "key 1")).toEqual(secret);
    expect(box.wrap(secret, "key 1")).not.toEqual(wrapped);
    expect(box.unwrap(box.wrap(new Uint8Array(), "empty"), "empty")).toEqual(new Uint8Array());
  });

  test("a secret box refuses another context, another key and any changed byte", () => {
    const wrapped = box.wrap(secret, "key 1");
    expect(() => box.unwrap(wrapped, "key 2")).toThrow();
    expect(() => createSecretBox(random(32), random).unwrap(wrapped, "key 1")).toThrow();
    for (let index = 0; index < wrapped.length; index++) {
      const changed = wrapped.slice();
      changed[index] = (changed[index] ?? 0) ^ 1;
      expect(() => box.unwrap(changed, "key 1")).toThrow();
    }
    expect(() => box.unwrap(wrapped.subarray(0, 20), "key 1")).toThrow();
  });

  test("each purpose has another derived key", () => {
    expect(box.hmac("codes", secret)).toHaveLength(32);
    expect(box.hmac("codes", secret)).toEqual(box.hmac("codes", secret));
    expect(box.hmac("codes", secret)).not.toEqual(box.hmac("prints", secret));
  });

  test("a master key of another length than 32 bytes is refused", () => {
    expect(() => createSecretBox(random(16), random)).toThrow();
  });
});

describe("the master key", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "paraphe-key-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  test("a master key is made once, readable by its owner only", async () => {
    const key = await loadOrMakeMasterKey(folder, random);
    expect(key).toHaveLength(32);
    expect(await loadOrMakeMasterKey(folder, random)).toEqual(key);
    expect((await stat(join(folder, "keys/master.key"))).mode & 0o777).toBe(0o600);
  });

  test("processes that start together get the same master key", async () => {
    const keys = await Promise.all(
      Array.from({ length: 8 }, () => loadOrMakeMasterKey(folder, random)),
    );
    expect(new Set(keys.map((key) => Buffer.from(key).toString("hex"))).size).toBe(1);
    expect(await readdir(join(folder, "keys"))).toEqual(["master.key"]);
  });

  test("a damaged master key is refused, never replaced, which would lose every secret", async () => {
    await loadOrMakeMasterKey(folder, random);
    await writeFile(join(folder, "keys/master.key"), "abc\n");
    await expect(loadOrMakeMasterKey(folder, random)).rejects.toThrow("32-byte key");
  });
});

describe("local TLS", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "paraphe-tls-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const now = new Date();
  const load = (publicUrl = "https://localhost:8443", at = now) =>
    loadOrMakeLocalTls({ folder, publicUrl, now: at });
  const days = (count: number) => new Date(now.getTime() + count * 24 * 3_600_000);

  test("the local certificate is made once, for the local and public names, and accepted by a client of its authority", async () => {
    const tls = await load("https://signature.exemple.fr");
    expect(await load("https://signature.exemple.fr")).toEqual(tls);
    const certificate = new X509Certificate(tls.cert);
    for (const name of ["localhost", "signature.exemple.fr"])
      expect(certificate.checkHost(name)).toBe(name);
    for (const address of ["127.0.0.1", "::1"]) expect(certificate.checkIP(address)).toBe(address);
    const ca = await readFile(join(folder, "authority.pem"), "utf8");
    const server = createServer(tls, (_request, response) => response.end("oui")).listen(
      0,
      "127.0.0.1",
    );
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as AddressInfo;
    const status = await new Promise((resolve, reject) =>
      get({ host: "127.0.0.1", port, ca }, (response) => resolve(response.statusCode)).on(
        "error",
        reject,
      ),
    );
    server.close();
    expect(status).toBe(200);
  });

  test("local TLS keys are readable by their owner only", async () => {
    await load();
    for (const name of ["authority-key.pem", "server-key.pem"])
      expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
  });

  test("the server's certificate is renewed near its end, under the same authority", async () => {
    const first = await load();
    const authority = await readFile(join(folder, "authority.pem"), "utf8");
    expect((await load(undefined, days(300))).cert).toBe(first.cert);
    const renewed = await load(undefined, days(380));
    expect(renewed.cert).not.toBe(first.cert);
    expect(new X509Certificate(renewed.cert).checkIssued(new X509Certificate(authority))).toBe(
      true,
    );
  });

  test("a new public name, or an authority near its end, gets new certificates", async () => {
    const first = await load();
    const moved = await load("https://autre.exemple.fr");
    expect(moved.cert).not.toBe(first.cert);
    const authority = await readFile(join(folder, "authority.pem"), "utf8");
    await load("https://autre.exemple.fr", days(3_640));
    expect(await readFile(join(folder, "authority.pem"), "utf8")).not.toBe(authority);
  });
});
