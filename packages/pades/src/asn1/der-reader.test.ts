import { expect, test } from "vitest";
import {
  children,
  derOf,
  ecdsaDerToRaw,
  ecdsaRawToDer,
  octets,
  oidOf,
  parseDer,
  readElement,
  smallInteger,
  textOf,
  timeOf,
  toHex,
} from "./der-reader.ts";
import {
  compareBytes,
  concatBytes,
  explicit,
  generalizedTime,
  integer,
  octetString,
  oid,
  sequence,
  setOf,
  time,
  tlv,
  unsignedInteger,
  utf8String,
} from "./der-writer.ts";

test.each([
  [integer(0), "020100"],
  [integer(127), "02017f"],
  [integer(128), "02020080"],
  [integer(65_537), "0203010001"],
  [unsignedInteger(Uint8Array.of(0, 0, 0x80)), "02020080"],
  [oid("1.2.840.113549.1.7.2"), "06092a864886f70d010702"],
  [oid("2.16.840.1.101.3.4.2.1"), "0609608648016503040201"],
  [setOf(octetString(Uint8Array.of(2)), octetString(Uint8Array.of(1))), "3106040101040102"],
  [explicit(3, integer(1)), "a303020101"],
  [
    time(new Date("2049-12-31T23:59:59.999Z")),
    `170d${toHex(new TextEncoder().encode("491231235959Z"))}`,
  ],
  [
    time(new Date("2050-01-01T00:00:00Z")),
    `180f${toHex(new TextEncoder().encode("20500101000000Z"))}`,
  ],
  [
    generalizedTime(new Date("2026-11-21T14:16:04.567Z")),
    `180f${toHex(new TextEncoder().encode("20261121141604Z"))}`,
  ],
])("DER has the standard's encoding (%#)", (bytes, hex) => {
  expect(toHex(bytes)).toBe(hex);
});

test.each([0, 1, 127, 128, 255, 256, 65_535, 65_536, 70_000])(
  "an element with %i bytes of content round-trips",
  (length) => {
    expect(parseDer(octetString(new Uint8Array(length).fill(7))).content).toHaveLength(length);
  },
);

test("DER values that the core writes are parsed back", () => {
  const members = children(
    parseDer(
      sequence(
        oid("1.3.6.1.4.1.32473.1"),
        integer(300),
        utf8String("Œuvre"),
        time(new Date("2026-11-21T14:16:04Z")),
      ),
    ),
  );
  expect([
    oidOf(members[0] as never),
    smallInteger(members[1] as never),
    textOf(members[2] as never),
  ]).toEqual(["1.3.6.1.4.1.32473.1", 300, "Œuvre"]);
  expect(timeOf(members[3] as never).toISOString()).toBe("2026-11-21T14:16:04.000Z");
});

test("indefinite lengths and Windows' two-byte strings of other producers are parsed", () => {
  expect(
    children(readElement(Uint8Array.of(0x30, 0x80, 0x02, 0x01, 0x05, 0x00, 0x00))),
  ).toHaveLength(1);
  expect(textOf(readElement(Uint8Array.of(0x1e, 4, 0, 0x41, 0x01, 0x52)))).toBe("AŒ");
});

test.each([
  [[]],
  [[0x30]],
  [[0x30, 5, 1]],
  [[0x30, 0x85, 1, 1, 1, 1, 1]],
  [[0x1f, 0x81, 0]],
  [[0x30, 0x80, 0x02, 0x01]],
  [[0x30, 0, 0]],
])("malformed ASN.1 is refused: %j", (bytes) => {
  expect(() => parseDer(Uint8Array.from(bytes))).toThrow(
    expect.objectContaining({ code: "asn1_malformed" }),
  );
});

test("BER is converted to DER, and DER stays", () => {
  const long = octetString(new Uint8Array(300).fill(7));
  const der = sequence(
    integer(5),
    sequence(long, tlv(0xa0, integer(1))),
    tlv(0x80, Uint8Array.of(1)),
  );
  expect(derOf(readElement(der))).toEqual(der);
  const [open, end] = [Uint8Array.of(0x30, 0x80), new Uint8Array(2)];
  // It has as many bytes as in DER: end-of-contents bytes replace those of the length.
  expect(derOf(readElement(concatBytes([open, long, end])))).toEqual(sequence(long));
  expect(derOf(readElement(concatBytes([open, integer(5), end])))).toEqual(sequence(integer(5)));
  expect(derOf(readElement(Uint8Array.of(0x30, 0x81, 3, 2, 1, 5)))).toEqual(sequence(integer(5)));
  expect(derOf(readElement(Uint8Array.of(0x30, 4, 2, 0x81, 1, 5)))).toEqual(sequence(integer(5)));
  expect(derOf(readElement(Uint8Array.of(0x24, 5, 4, 0, 4, 1, 9)))).toEqual(
    octetString(Uint8Array.of(9)),
  );
  expect(derOf(readElement(Uint8Array.of(0x04, 0x81, 1, 9)))).toEqual(
    octetString(Uint8Array.of(9)),
  );
});

test("endless nesting is refused", () => {
  expect(() =>
    readElement(new Uint8Array(1_000).fill(0x30).map((value, index) => (index % 2 ? 0x80 : value))),
  ).toThrow(expect.objectContaining({ code: "asn1_malformed" }));
});

test("segments of an octet string are joined; deeply nested ones are refused", () => {
  const nested = (depth: number): Uint8Array => {
    const heads = Array.from({ length: depth }, (_, index) => {
      const length = 2 + 5 * index;
      return Uint8Array.of(0x24, 0x83, length >> 16, (length >> 8) & 255, length & 255);
    });
    return concatBytes([...heads.toReversed(), Uint8Array.of(4, 0)]);
  };
  expect(octets(readElement(Uint8Array.of(0x24, 7, 4, 1, 1, 0x24, 2, 4, 0)))).toEqual(
    Uint8Array.of(1),
  );
  expect(octets(readElement(nested(64)))).toHaveLength(0);
  for (const depth of [66, 5_000, 100_000])
    expect(() => octets(readElement(nested(depth)))).toThrow(
      expect.objectContaining({ code: "asn1_malformed" }),
    );
});

test("the members of a SET OF are in byte order", () => {
  expect(compareBytes(Uint8Array.of(1), Uint8Array.of(1, 0))).toBeLessThan(0);
  expect(tlv(0x04, new Uint8Array(300)).length).toBe(304);
});

test("an ECDSA value converts both ways, and a number too large is refused", () => {
  const raw = new Uint8Array(64).fill(0x80, 0, 32).fill(0, 32, 63).fill(1, 63);
  expect(ecdsaDerToRaw(ecdsaRawToDer(raw), 32)).toEqual(raw);
  expect(ecdsaDerToRaw(ecdsaRawToDer(raw), 16)).toBeNull();
  expect(ecdsaDerToRaw(octetString(raw), 32)).toBeNull();
});
