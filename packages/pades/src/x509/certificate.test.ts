import { beforeAll, expect, test } from "vitest";
import { createTestPki } from "../../testing/test-pki.ts";
import { toHex } from "../asn1/der-reader.ts";
import { parseCertificate } from "./certificate.ts";

let der: Uint8Array;
let other: Uint8Array;

beforeAll(async () => {
  const [one, another] = [await createTestPki("Une autorité"), await createTestPki("Une autre")];
  [der, other] = [one.root.certificates[0], another.root.certificates[0]] as [
    Uint8Array,
    Uint8Array,
  ];
});

/** Gives `der` with one byte of its serial number changed, and the same signature. */
function altered(): Uint8Array {
  const { serialNumber } = parseCertificate(der);
  const at = toHex(der).indexOf(toHex(serialNumber)) / 2;
  return der.with(at + 3, (der[at + 3] ?? 0) ^ 1);
}

test("a certificate is parsed once for its bytes", () => {
  const read = parseCertificate(der);
  expect(parseCertificate(der.slice())).toBe(read);
  const file = new Uint8Array([...other, ...der, 1, 2, 3]);
  expect(parseCertificate(file.subarray(other.length, other.length + der.length))).toBe(read);
});

test("certificates with the same signature and other bytes are distinct, in either order", () => {
  const [one, two] = [der.slice(), altered()];
  for (const [bytes, unlike] of [
    [one, two],
    [two, one],
  ] as const) {
    expect(toHex(parseCertificate(bytes.slice()).serialNumber)).not.toBe(
      toHex(parseCertificate(unlike.slice()).serialNumber),
    );
    expect(parseCertificate(bytes.slice()).der).toEqual(bytes);
  }
});

test("a parsed certificate keeps its own bytes, not the file or the buffer", () => {
  const buffer = altered();
  const expected = buffer.slice();
  const read = parseCertificate(buffer);
  buffer.set(der);
  expect(read.der).toEqual(expected);
  expect(parseCertificate(expected.slice())).toBe(read);
  expect(read.der.buffer.byteLength).toBe(expected.length);
});
