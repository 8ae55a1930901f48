import { expect, test } from "vitest";
import { constants, deflateRawSync, deflateSync } from "node:zlib";
import { inflatedLength, lzwLength, requireBearableSize, decodedData } from "./deflate.ts";
import { latin } from "../../testing/forge.ts";
import { smallPdf } from "../../testing/small-pdf.ts";
import { PdfName, PdfStream } from "@libpdf/core";

const noise = (length: number): Uint8Array => {
  let state = 1;
  return Uint8Array.from({ length }, (_, index) => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fff_ffff;
    return index % 7 < 4 ? state >> 16 : 65 + (index % 5);
  });
};
const followed = (data: Uint8Array): Uint8Array => new Uint8Array([...data, 10, 1, 2, 3]);

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

const MEGABYTE = 1 << 20;
const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code ?? error;
/** Gives a file whose only stream is this data. */
const holding = (data: Uint8Array, rest = "\nendstream endobj\n"): Uint8Array =>
  Buffer.concat([Buffer.from("%PDF-1.7\n1 0 obj <<>> stream\n"), data, Buffer.from(rest)]);

test("a stream counted before is known by all its bytes, not by those where it is sampled", async () => {
  const stored = deflateSync(noise(60_000), { level: 0 }).subarray(2, 7 + 60_000);
  const begin = Buffer.concat([Buffer.from([0x78, 0x9c, 0]), stored.subarray(1)]);
  const honest = Buffer.concat([begin, Buffer.from([1, 0, 0, 0xff, 0xff]), Buffer.alloc(4)]);
  const bomb = Buffer.concat([begin, deflateRawSync(new Uint8Array(210 * MEGABYTE))]);
  const verdicts: unknown[] = [];
  for (const data of [honest, honest, bomb, honest, bomb])
    verdicts.push(await requireBearableSize(holding(data)).catch(codeOf));
  const refused = "pdf_too_complex";
  expect(verdicts).toEqual([undefined, undefined, refused, undefined, refused]);
});

test("a stream cut off by the end of the file is counted again once the file goes on", async () => {
  const whole = deflateSync(new Uint8Array(210 * MEGABYTE));
  const cut = whole.subarray(0, 20_000);
  for (let time = 0; time < 2; time += 1) await requireBearableSize(holding(cut, ""));
  await expect(requireBearableSize(holding(whole)).catch(codeOf)).resolves.toBe("pdf_too_complex");
});

const PACKED = latin(deflateSync(new Uint8Array(30 * MEGABYTE)));
/** A scan of a colour page: 30 MB of pixels. */
const SCAN =
  "/Type/XObject/Subtype/Image/Width 2560/Height 4096/ColorSpace/DeviceRGB/BitsPerComponent 8";
const code = async (entries: string, count: number, data = PACKED): Promise<unknown> => {
  const stream = `<<${entries}/Filter/FlateDecode/Length ${data.length}>>\nstream\n${data}\nendstream`;
  const bytes = smallPdf({
    objects: Object.fromEntries(Array.from({ length: count }, (_, index) => [10 + index, stream])),
  });
  try {
    return await requireBearableSize(bytes);
  } catch (error) {
    return (error as { code?: unknown }).code ?? error;
  }
};

test("streams may inflate to a gigabyte of image pixels", async () => {
  expect(await code(SCAN, 8)).toBeUndefined();
  expect(await code(SCAN, 34)).toBeUndefined();
  expect(await code(SCAN, 60)).toBe("pdf_too_complex");
});

test.each([
  ["no picture", "/Type/XObject/Subtype/Form/Width 2560/Height 4096"],
  [
    "a picture of fewer pixels",
    "/Type/XObject/Subtype/Image/Width 256/Height 4096/BitsPerComponent 8",
  ],
  [
    "a picture whose size stands elsewhere",
    "/Type/XObject/Subtype/Image/Width 7 0 R/Height 8 0 R/BitsPerComponent 8",
  ],
  ["a picture that would be an object stream", `${SCAN}/Type /ObjStm`],
])("streams may inflate to 200 MB for %s", async (_name, entries) => {
  expect(await code(entries, 4)).toBeUndefined();
  expect(await code(entries, 8)).toBe("pdf_too_complex");
});

test("an image deflated twice, or inside another's data, has no allowance for pixels", async () => {
  const twice = latin(deflateSync(deflateSync(new Uint8Array(210 * MEGABYTE))));
  expect(await code(SCAN, 1, twice)).toBe("pdf_too_complex");
  const head = `<<${SCAN}>>stream\n`;
  const within = latin(deflateSync(Buffer.from(`${head}\n${PACKED}`, "latin1"), { level: 0 }));
  const nested = latin(
    deflateSync(Buffer.from(`${head}\n${within}`.repeat(2), "latin1"), { level: 0 }),
  );
  expect(await code(SCAN, 8, nested)).toBe("pdf_too_complex");
});

test("one image may inflate to 400 MB", async () => {
  const plan = (megabytes: number): Promise<unknown> =>
    code(
      "/Subtype/Image/Width 12000/Height 12000/BitsPerComponent 8",
      1,
      latin(deflateSync(new Uint8Array(megabytes * MEGABYTE), { level: 1 })),
    );
  expect(await plan(232)).toBeUndefined();
  expect(await plan(410)).toBe("pdf_too_complex");
});

/** Gives codes of growing width, as an encoder writes them for one letter again and again. */
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
