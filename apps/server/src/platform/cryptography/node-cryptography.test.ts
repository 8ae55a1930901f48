import { generateKeyPairSync } from "node:crypto";
import { type SignatureToVerify, webCryptography } from "@paraphe/pades/cryptography";
import { beforeAll, describe, expect, test } from "vitest";
import { nodeCryptography } from "./node-cryptography.ts";

type Key = { readonly privateKey: CryptoKey; readonly subjectPublicKey: Uint8Array };
type Kind = Pick<SignatureToVerify, "keyAlgorithm" | "algorithm">;

const data = new TextEncoder().encode("un contrat");
const EXPONENT = new Uint8Array([1, 0, 1]);
const KINDS: Readonly<Record<string, Kind>> = {
  "P-256": { keyAlgorithm: { name: "ECDSA", namedCurve: "P-256" }, algorithm: { name: "ECDSA", hash: "SHA-256" } },
  "P-384": { keyAlgorithm: { name: "ECDSA", namedCurve: "P-384" }, algorithm: { name: "ECDSA", hash: "SHA-384" } },
  "P-521": { keyAlgorithm: { name: "ECDSA", namedCurve: "P-521" }, algorithm: { name: "ECDSA", hash: { name: "SHA-512" } } },
  RSA: { keyAlgorithm: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" }, algorithm: { name: "RSASSA-PKCS1-v1_5" } },
  "RSA-PSS": { keyAlgorithm: { name: "RSA-PSS", hash: "SHA-384" }, algorithm: { name: "RSA-PSS", saltLength: 48 } },
  "RSA-PSS without salt": { keyAlgorithm: { name: "RSA-PSS", hash: "SHA-256" }, algorithm: { name: "RSA-PSS", saltLength: 0 } },
  Ed25519: { keyAlgorithm: { name: "Ed25519" }, algorithm: { name: "Ed25519" } },
};
const keys = new Map<string, Key>();

async function makeKey({ keyAlgorithm }: Kind): Promise<Key> {
  const asked = "hash" in keyAlgorithm ? { ...keyAlgorithm, modulusLength: 2_048, publicExponent: EXPONENT } : keyAlgorithm;
  const pair = (await crypto.subtle.generateKey(asked, true, ["sign", "verify"])) as CryptoKeyPair;
  return { privateKey: pair.privateKey, subjectPublicKey: new Uint8Array(await crypto.subtle.exportKey("spki", pair.publicKey)) };
}
async function signedBy(name: string): Promise<SignatureToVerify> {
  const [kind, key] = [KINDS[name] as Kind, keys.get(name) as Key];
  const signature = new Uint8Array(await crypto.subtle.sign(kind.algorithm, key.privateKey, data));
  return { ...kind, subjectPublicKey: key.subjectPublicKey, signature, data };
}
const changed = (bytes: Uint8Array) => bytes.map((byte, index) => (index === bytes.length - 1 ? byte ^ 1 : byte));

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
      { signed: { ...signed, signature: new Uint8Array(signed.signature.length) }, verdict: "invalid" },
      { signed: { ...signed, signature: new Uint8Array(0) }, verdict: "invalid" },
      { signed: { ...signed, subjectPublicKey: new Uint8Array(91) }, verdict: "unsupported" },
      { signed: { ...signed, subjectPublicKey: new Uint8Array(2_000) }, verdict: "unsupported" },
      { signed: { ...signed, subjectPublicKey: signed.subjectPublicKey.subarray(1) }, verdict: "unsupported" },
    ];
    for (const { signed: one, verdict } of cases)
      expect([await nodeCryptography.verify(one), await webCryptography.verify(one)]).toEqual([verdict, verdict]);
  });

  test("of a key for another algorithm", async () => {
    for (const [name, other] of [
      ["P-256", "P-384"],
      ["P-256", "RSA"],
      ["RSA", "P-256"],
      ["RSA", "Ed25519"],
      ["Ed25519", "P-256"],
      ["Ed25519", "RSA-PSS"],
    ] as const) {
      const signed = { ...(await signedBy(name)), ...(KINDS[other] as Kind) };
      expect([name, other, await nodeCryptography.verify(signed)]).toEqual([name, other, "unsupported"]);
      expect([name, other, await webCryptography.verify(signed)]).toEqual([name, other, "unsupported"]);
    }
  });

  test.each([1, 20, 47, 200])("of a salt of %i bytes where there are 48", async (saltLength) => {
    const signed = { ...(await signedBy("RSA-PSS")), algorithm: { name: "RSA-PSS", saltLength } };
    expect(await nodeCryptography.verify(signed)).toBe(await webCryptography.verify(signed));
    expect(await nodeCryptography.verify(signed)).not.toBe("valid");
  });

  test("but of a salt that the key has no room for", async () => {
    const signed = { ...(await signedBy("RSA-PSS")), algorithm: { name: "RSA-PSS", saltLength: 255 } };
    expect(await nodeCryptography.verify(signed)).toBe("invalid");
  });

  test("of a key bound to RSA-PSS, which WebCrypto does not take", async () => {
    const { publicKey } = generateKeyPairSync("rsa-pss", { modulusLength: 2_048 });
    const subjectPublicKey = new Uint8Array(publicKey.export({ type: "spki", format: "der" }));
    const signed = { ...(await signedBy("RSA-PSS")), subjectPublicKey };
    expect([await nodeCryptography.verify(signed), await webCryptography.verify(signed)]).toEqual(["unsupported", "unsupported"]);
  });
});

test.each(["SHA-1", "SHA-256", "SHA-384", "SHA-512"])("digests are those of WebCrypto: %s", async (name) => {
  for (const length of [0, 1, 63, 64, 16_385]) {
    const bytes = new Uint8Array(length).fill(7);
    expect(await nodeCryptography.digest(name, bytes)).toEqual(new Uint8Array(await crypto.subtle.digest(name, bytes)));
  }
});

test("keeps the key that it was given, whatever becomes of the buffer, and gives no other for it", async () => {
  const [alice, bob] = [await signedBy("P-256"), { ...(await signedBy("P-256")), ...(await makeKey(KINDS["P-256"] as Kind)) }];
  const buffer = alice.subjectPublicKey.slice();
  expect(nodeCryptography.verify({ ...alice, subjectPublicKey: buffer })).toBe("valid");
  buffer.set(bob.subjectPublicKey);
  expect(nodeCryptography.verify({ ...alice, subjectPublicKey: buffer })).toBe("invalid");
  for (let count = 0; count < 70; count += 1)
    await nodeCryptography.verify({ ...alice, subjectPublicKey: (await makeKey(KINDS["P-256"] as Kind)).subjectPublicKey });
  expect(nodeCryptography.verify(alice)).toBe("valid");
});
