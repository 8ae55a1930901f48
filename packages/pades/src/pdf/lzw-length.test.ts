import { PdfName, PdfStream } from "@libpdf/core";
import { describe, expect, test } from "vitest";
import { decodedData } from "./decoded-data.ts";
import { lzwLength } from "./deflate.ts";

/** Codes of a growing width, as an encoder writes them for one letter again and again. */
function lzw(codes: number): Uint8Array {
  const out: number[] = [];
  let [held, bits] = [0, 0];
  const put = (code: number, width: number): void => {
    held = held * 2 ** width + code;
    for (bits += width; bits >= 8; bits -= 8) {
      out.push(Math.floor(held / 2 ** (bits - 8)) & 255);
      held %= 2 ** (bits - 8);
    }
  };
  put(256, 9);
  put(65, 9);
  for (let next = 258; next < 258 + codes; next += 1) {
    const full = next + 1;
    put(next, full >= 2_048 ? 12 : full >= 1_024 ? 11 : full >= 512 ? 10 : 9);
  }
  put(257, 257 + codes + 2 >= 512 ? 10 : 9);
  put(0, 8);
  return Uint8Array.from(out);
}

describe("the count of what LZW data decodes to", () => {
  test.each([0, 1, 100, 240])("the LZW length is what the parser decodes, for %i codes", (codes) => {
    const data = lzw(codes);
    const decoded = PdfStream.fromDict({ Filter: PdfName.of("LZWDecode") }, data).getDecodedData();
    expect(lzwLength(data, { early: 1, limit: Infinity })).toBe(decoded.length);
    expect(decoded.length).toBe(1 + codes * 2 + (codes * (codes - 1)) / 2);
  });

  test("counting LZW data stops at the limit, and at an invalid code", () => {
    expect(lzwLength(lzw(240), { early: 1, limit: 50 })).toBeLessThan(100);
    expect(
      lzwLength(Uint8Array.of(0x80, 0x5f, 0xff, 0xff), { early: 1, limit: Infinity }),
    ).toBeLessThan(10);
  });

  test("LZW data is counted before it is decoded", () => {
    const stream = PdfStream.fromDict({ Filter: PdfName.of("LZWDecode") }, lzw(240));
    expect(() => decodedData(stream, { left: 10_000 })).toThrow(
      expect.objectContaining({ code: "pdf_too_complex" }),
    );
    expect(decodedData(stream, { left: 100_000 })).toHaveLength(29_161);
  });
});
