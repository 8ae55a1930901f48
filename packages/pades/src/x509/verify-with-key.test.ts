import { expect, test } from "vitest";
import { OID } from "../asn1/oids.ts";
import { rememberVerdict } from "./verify-with-key.ts";
import type { SignatureVerdict, SignedBytes } from "./types.ts";

const bytes = (length: number, seed: number) =>
  Uint8Array.from({ length }, (_, index) => (index * 7 + seed) % 256);
const signed = (changes: Partial<SignedBytes> = {}): SignedBytes => ({
  data: bytes(300, 1),
  signature: bytes(70, 2),
  algorithm: { oid: OID.ecdsaWithSha256, parameters: null },
  subjectPublicKey: bytes(91, 3),
  ...changes,
});

function counted(verdict: SignatureVerdict = "valid") {
  const finder = { calls: 0, find: async () => verdict };
  const find = () => {
    finder.calls += 1;
    return finder.find();
  };
  return { finder, find };
}

test("a verdict is found once", async () => {
  const { finder, find } = counted();
  expect(await rememberVerdict(signed(), find)).toBe("valid");
  expect(await rememberVerdict(signed(), find)).toBe("valid");
  expect(finder.calls).toBe(1);
});

test.each<[string, Partial<SignedBytes>]>([
  ["one byte of the data", { data: bytes(300, 1).with(299, 0) }],
  ["one byte of the signature's end", { signature: bytes(70, 2).with(69, 0) }],
  ["one byte of the key's beginning", { subjectPublicKey: bytes(91, 3).with(0, 0xff) }],
  ["the algorithm", { algorithm: { oid: OID.ecdsaWithSha384, parameters: null } }],
  ["its parameters", { algorithm: { oid: OID.ecdsaWithSha256, parameters: Uint8Array.of(5, 0) } }],
  ["the digest", { digestOid: "2.16.840.1.101.3.4.2.2" }],
])("another input gets its own verdict: %s", async (_, change) => {
  await rememberVerdict(signed(), counted("valid").find);
  expect(await rememberVerdict(signed(change), counted("invalid").find)).toBe("invalid");
  expect(await rememberVerdict(signed(), counted("valid").find)).toBe("valid");
});

test("a verdict is about the bytes at the time of the call", async () => {
  const data = bytes(300, 9);
  await rememberVerdict(signed({ data }), counted("valid").find);
  data[0] = 0xff;
  expect(await rememberVerdict(signed({ data }), counted("invalid").find)).toBe("invalid");
});

test("a cached verdict is about the bytes at the time of the call", async () => {
  const good = bytes(300, 60);
  const buffer = bytes(300, 61);
  const begun = Promise.withResolvers<void>();
  const find = async (asked: SignedBytes): Promise<SignatureVerdict> => {
    await begun.promise;
    return asked.data.every((byte, index) => byte === good[index]) ? "valid" : "invalid";
  };
  const asked = rememberVerdict(signed({ data: buffer }), find);
  buffer.set(good);
  begun.resolve();
  expect(await asked).toBe("invalid");
  expect(await rememberVerdict(signed({ data: bytes(300, 61) }), find)).toBe("invalid");
  expect(await rememberVerdict(signed({ data: good }), find)).toBe("valid");
});

test('"unsupported" is not cached', async () => {
  const asked = signed({ data: bytes(300, 70) });
  expect(await rememberVerdict(asked, counted("unsupported").find)).toBe("unsupported");
  expect(await rememberVerdict(asked, counted("valid").find)).toBe("valid");
});

test("a failure is not cached", async () => {
  const asked = signed({ data: bytes(300, 40) });
  await expect(
    rememberVerdict(asked, () => Promise.reject(new Error("out of order"))),
  ).rejects.toThrow("out of order");
  expect(await rememberVerdict(asked, counted("valid").find)).toBe("valid");
});

test("the oldest verdicts are dropped first", async () => {
  const first = counted();
  await rememberVerdict(signed({ signature: bytes(70, 200) }), first.find);
  for (let index = 0; index < 300; index += 1)
    await rememberVerdict(
      signed({ signature: Uint8Array.of(index >> 8, index & 255, 1) }),
      counted().find,
    );
  await rememberVerdict(signed({ signature: bytes(70, 200) }), first.find);
  expect(first.finder.calls).toBe(2);
});
