import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { importedKey } from "./cryptography.ts";

const P256 = { name: "ECDSA", namedCurve: "P-256" };
const ECDSA = { name: "ECDSA", hash: "SHA-256" };
const data = new TextEncoder().encode("un contrat");

type Known = { readonly spki: Uint8Array; readonly signature: ArrayBuffer };
let alice: Known;
let bob: Known;

beforeAll(async () => {
  [alice, bob] = await Promise.all([makeKnown(), makeKnown()]);
});
afterEach(() => void vi.restoreAllMocks());

async function makeKnown(): Promise<Known> {
  const { privateKey, publicKey } = await crypto.subtle.generateKey(P256, true, ["sign"]);
  return {
    spki: new Uint8Array(await crypto.subtle.exportKey("spki", publicKey)),
    signature: await crypto.subtle.sign(ECDSA, privateKey, data),
  };
}

test("a key is imported once and never confused with another", async () => {
  const imports = vi.spyOn(crypto.subtle, "importKey");
  const keys = [
    await importedKey(alice.spki, P256),
    await importedKey(bob.spki, P256),
    await importedKey(alice.spki.slice(), P256),
  ];
  expect(imports).toHaveBeenCalledTimes(2);
  const verified = await Promise.all(
    keys.map((key) => crypto.subtle.verify(ECDSA, key, alice.signature, data)),
  );
  expect(verified).toEqual([true, false, true]);
});

test("a cached key survives a reused buffer", async () => {
  const carol = await makeKnown();
  const buffer = carol.spki.slice();
  const first = importedKey(buffer, P256);
  buffer.set(bob.spki);
  for (const key of [await first, await importedKey(carol.spki, P256)])
    expect(await crypto.subtle.verify(ECDSA, key, carol.signature, data)).toBe(true);
  expect(
    await crypto.subtle.verify(ECDSA, await importedKey(buffer, P256), bob.signature, data),
  ).toBe(true);
});

test("an invalid key, or one of another algorithm, is refused each time", async () => {
  for (const bytes of [new Uint8Array(91), new Uint8Array(2_000)]) {
    await expect(importedKey(bytes, P256)).rejects.toBeInstanceOf(DOMException);
    await expect(importedKey(bytes, P256)).rejects.toBeInstanceOf(DOMException);
  }
  await importedKey(alice.spki, P256);
  await expect(
    importedKey(alice.spki, { name: "ECDSA", namedCurve: "P-384" }),
  ).rejects.toBeInstanceOf(DOMException);
});

test("only the latest keys are cached", async () => {
  await importedKey(alice.spki, P256);
  for (let count = 0; count < 64; count += 1) await importedKey((await makeKnown()).spki, P256);
  const imports = vi.spyOn(crypto.subtle, "importKey");
  await importedKey(alice.spki, P256);
  expect(imports).toHaveBeenCalledTimes(1);
});
