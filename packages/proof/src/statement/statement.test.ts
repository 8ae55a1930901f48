import { beforeAll, describe, expect, it } from "vitest";
import {
  readStatement,
  signStatement,
  type Statement,
  type StatementKey,
  verifyStatement,
} from "./statement.ts";

const STATEMENT: Statement = {
  printId: "019aa000-0000-7000-8000-00000000abcd",
  pageNumber: 2,
  pageCount: 11,
  hashPrefix: Uint8Array.from({ length: 16 }, (_, index) => index * 7),
  madeOn: "2026-11-22",
};
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

async function makeKey(namedCurve = "P-256"): Promise<StatementKey> {
  const { privateKey, publicKey } = await crypto.subtle.generateKey(
    { name: "ECDSA", namedCurve },
    true,
    ["sign", "verify"],
  );
  return {
    subjectPublicKey: new Uint8Array(await crypto.subtle.exportKey("spki", publicKey)),
    sign: async (data) =>
      new Uint8Array(
        await crypto.subtle.sign(
          { name: "ECDSA", hash: "SHA-256" },
          privateKey,
          data as BufferSource,
        ),
      ),
  };
}

let key: StatementKey;
let fragment: string;
const isVerified = async (printId: string, text: string, keys = [key.subjectPublicKey]) => {
  const read = readStatement(printId, text);
  return read !== null && (await verifyStatement(read, keys)) !== null;
};
beforeAll(async () => {
  key = await makeKey();
  fragment = await signStatement(STATEMENT, key);
});

describe("the statement of a printed page", () => {
  it("is read back from 122 URL characters", async () => {
    expect(fragment).toMatch(/^[A-Za-z0-9_-]{122}$/);
    const read = readStatement(STATEMENT.printId, fragment);
    expect(read?.statement).toEqual(STATEMENT);
    expect(
      read &&
        (await verifyStatement(read, [(await makeKey()).subjectPublicKey, key.subjectPublicKey])),
    ).toEqual(key.subjectPublicKey);
    expect(await isVerified(STATEMENT.printId.toUpperCase(), fragment)).toBe(true);
  });

  it("is refused with any character changed, for another print, and by another key", async () => {
    for (let index = 0; index < fragment.length; index += 1) {
      const other = ALPHABET[(ALPHABET.indexOf(fragment[index] as string) + 1) % 64];
      expect(
        await isVerified(
          STATEMENT.printId,
          fragment.slice(0, index) + other + fragment.slice(index + 1),
        ),
        `at ${index}`,
      ).toBe(false);
    }
    expect(await isVerified(STATEMENT.printId.replace("abcd", "abce"), fragment)).toBe(false);
    expect(
      await isVerified(STATEMENT.printId, fragment, [(await makeKey()).subjectPublicKey]),
    ).toBe(false);
    expect(await isVerified(STATEMENT.printId, fragment, [])).toBe(false);
  });

  it("is null when it is cut, longer, of another version or id", async () => {
    for (const text of [
      "",
      fragment.slice(1),
      `${fragment}A`,
      `B${fragment.slice(1)}`,
      `${fragment.slice(0, -1)}!`,
    ])
      expect(readStatement(STATEMENT.printId, text)).toBeNull();
    expect(readStatement("019aa000", fragment)).toBeNull();
  });

  it("has page 0 for an added page, and refuses a missing one", async () => {
    const added = await signStatement({ ...STATEMENT, pageNumber: 0 }, key);
    expect(readStatement(STATEMENT.printId, added)?.statement.pageNumber).toBe(0);
    for (const wrong of [
      { pageNumber: 12 },
      { pageCount: 0 },
      { pageCount: 70_000 },
      { hashPrefix: new Uint8Array(15) },
      { madeOn: "hier" },
    ])
      await expect(signStatement({ ...STATEMENT, ...wrong }, key)).rejects.toThrow(RangeError);
    await expect(signStatement({ ...STATEMENT, printId: "x" }, key)).rejects.toThrow(TypeError);
  });

  it("accepts P-256 keys alone", async () => {
    await expect(signStatement(STATEMENT, await makeKey("P-384"))).rejects.toThrow(TypeError);
    const other = await makeKey("P-384");
    const forged = await signStatement(STATEMENT, {
      ...other,
      sign: async () => new Uint8Array(64),
    });
    expect(await isVerified(STATEMENT.printId, forged, [other.subjectPublicKey])).toBe(false);
  });
});
