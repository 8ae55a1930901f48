import { deflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { latin } from "../../testing/forge.ts";
import { smallPdf } from "../../testing/small-pdf.ts";
import { requireBearableSize } from "./deflate.ts";

const MEGABYTE = 1 << 20;
const PACKED = latin(deflateSync(new Uint8Array(30 * MEGABYTE)));
/** A scan of a page in colour: 30 MB of pixels. */
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

describe("what the streams of a file inflate to", () => {
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
});
