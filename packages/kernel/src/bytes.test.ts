import fc from "fast-check";
import { expect, test } from "vitest";
import {
  concatBytes,
  equalBytes,
  fromBase64,
  fromBase64Url,
  fromHex,
  toBase64,
  toBase64Url,
  toHex,
} from "./bytes.ts";

test("writes hexadecimal, base64 and base64url like Node, and reads them back", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
      const node = Buffer.from(bytes);
      expect(toHex(bytes)).toBe(node.toString("hex"));
      expect(toBase64(bytes)).toBe(node.toString("base64"));
      expect(toBase64Url(bytes)).toBe(node.toString("base64url"));
      expect(fromHex(toHex(bytes))).toEqual(new Uint8Array(bytes));
      expect(fromBase64(toBase64(bytes))).toEqual(new Uint8Array(bytes));
      expect(fromBase64Url(toBase64Url(bytes))).toEqual(new Uint8Array(bytes));
    }),
  );
});

test("writes base64 of more bytes than a call has arguments", () => {
  const bytes = new Uint8Array(300_001).map((_, index) => index % 251);
  expect(toBase64(bytes)).toBe(Buffer.from(bytes).toString("base64"));
});

test("refuses base64url that is padded, cut or not canonical", () => {
  for (const text of ["AQ==", "A", "AR", "A+", "A/"]) expect(fromBase64Url(text)).toBeNull();
  expect(fromBase64Url("AQ")).toEqual(Uint8Array.of(1));
});

test("joins bytes in order, and compares them whole", () => {
  const joined = concatBytes([Uint8Array.of(1, 2), Uint8Array.of(), Uint8Array.of(3)]);
  expect(joined).toEqual(Uint8Array.of(1, 2, 3));
  expect(equalBytes(joined, Uint8Array.of(1, 2, 3))).toBe(true);
  expect(equalBytes(joined, Uint8Array.of(1, 2))).toBe(false);
  expect(equalBytes(joined, Uint8Array.of(1, 2, 4))).toBe(false);
});
