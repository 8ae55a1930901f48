import { constants, deflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { inflatedLength } from "./deflate.ts";

const noise = (length: number): Uint8Array => {
  let state = 1;
  return Uint8Array.from({ length }, (_, index) => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fff_ffff;
    return index % 7 < 4 ? state >> 16 : 65 + (index % 5);
  });
};
const followed = (data: Uint8Array): Uint8Array => new Uint8Array([...data, 10, 1, 2, 3]);

describe("the count of what deflated data inflates to", () => {
  test.each([
    ["stored blocks", { level: 0 }],
    ["fixed codes", { strategy: constants.Z_FIXED }],
    ["dynamic codes", { level: 9 }],
    ["runs", { strategy: constants.Z_RLE }],
  ])("the inflated length is exact for %s, and so is the end", (_name, options) => {
    for (const size of [0, 1, 300, 100_000]) {
      const packed = deflateSync(noise(size), options);
      const counted = inflatedLength(followed(packed), Infinity);
      expect(counted).toMatchObject({ length: size, consumed: packed.length });
      expect(counted.head).toEqual(noise(size).subarray(0, 2));
    }
  });

  test("counting deflated data stops soon after the limit", () => {
    const { length } = inflatedLength(deflateSync(new Uint8Array(50 << 20)), 1_000);
    expect(length).toBeGreaterThan(1_000);
    expect(length).toBeLessThan(2_000);
  });

  test("counting deflated data ends at invalid data", () => {
    for (const rest of [
      [6],
      [0x05, 0, 0, 0xff],
      [1, 2, 0, 2, 0],
      [1, 5, 0, 0, 0],
      [],
      [0xed, 0xff, 0xff, 0xff, 0xff],
    ])
      expect(inflatedLength(Uint8Array.from([0x78, 0x9c, ...rest]), 1_000).length).toBeLessThan(
        1_000,
      );
    const whole = deflateSync(noise(50_000));
    expect(inflatedLength(whole.subarray(0, 20_000), Infinity).length).toBeLessThan(50_000);
  });
});
