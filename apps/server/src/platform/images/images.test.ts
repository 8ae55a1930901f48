import { Transformer } from "@napi-rs/image";
import { problemSentence } from "@paraphe/contracts";
import { afterAll, describe, expect, test } from "vitest";
import { makePng, SVG } from "../../../testing/images.ts";
import { checkImage, readImageSize } from "./check-image.ts";
import { createImageSandbox } from "./create-image-sandbox.ts";
import { type Pixels, removeBackground } from "./image-tasks.ts";

const png = makePng(60, 20);
const jpeg = new Uint8Array(await new Transformer(png).jpeg());
const lossy = new Uint8Array(await new Transformer(png).webp(50));
const lossless = new Uint8Array(await new Transformer(png).webpLossless());

describe("images", () => {
  const images = createImageSandbox();
  afterAll(() => images.close());

  /** Orientation 6, « rotate 90 clockwise » (Exif 2.32 §4.6.4). */
  const EXIF_TURNED = Buffer.from(
    "ffe1002245786966000049492a0008000000010012010300010000000600000000000000",
    "hex",
  );
  const turned = new Uint8Array(
    Buffer.concat([jpeg.subarray(0, 2), EXIF_TURNED, jpeg.subarray(2)]),
  );

  describe("the announced size", () => {
    test.each([
      ["png", png],
      ["jpeg", jpeg],
      ["jpeg", turned],
      ["webp", lossy],
      ["webp", lossless],
    ])("the size of a %s is read", (format, bytes) => {
      expect(readImageSize(bytes)).toEqual({ format, width: 60, height: 20, depth: 8 });
    });

    test("an extended WebP's size is read", () => {
      const bytes = new Uint8Array(40);
      bytes.set(Buffer.from("RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0", "latin1"));
      bytes.set([0x2f, 0x01, 0x00, 0xc7, 0x00, 0x00], 24);
      expect(readImageSize(bytes)).toMatchObject({ format: "webp", width: 304, height: 200 });
    });

    test.each([
      ["SVG", SVG],
      ["nothing", new Uint8Array()],
      ["a JPEG without a frame", jpeg.slice(0, 40).fill(0, 2)],
      ["a JPEG of fill bytes", new Uint8Array(64).fill(0xff).with(1, 0xd8)],
      [
        "a WebP of an unknown kind",
        new Uint8Array(Buffer.from(`RIFF0000WEBPVP9 ${" ".repeat(30)}`, "latin1")),
      ],
    ])("the size of %s is not read", (_what, bytes) => {
      expect(readImageSize(bytes)).toBeNull();
    });
  });

  /** Announces 16 384 pixels square (RFC 9649 §3.4). */
  const hugeWebp = new Uint8Array(
    Buffer.concat([
      Buffer.from("524946461a000000574542505650384c0d0000002fffffff1f", "hex"),
      Buffer.alloc(12),
    ]),
  );
  /** An extended WebP: a canvas of one pixel, a picture of 60 by 20. */
  const lying = new Uint8Array(
    Buffer.concat([
      Buffer.from("RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\0\0\0\0\0\0", "latin1"),
      Buffer.from(lossy.subarray(12)),
    ]),
  );
  new DataView(lying.buffer).setUint32(4, lying.length - 8, true);

  function refusedFor(bytes: Uint8Array): string | null {
    const checked = checkImage(bytes);
    return checked.ok ? null : problemSentence(checked.error);
  }

  describe("an image's cost before it is decoded", () => {
    test("40 megapixels are accepted, one more row is not", () => {
      expect(checkImage(makePng(1, 1, { width: 8_000, height: 5_000 })).ok).toBe(true);
      expect(refusedFor(makePng(1, 1, { width: 8_000, height: 5_001 }))).toBe(
        "Image trop grande\u00a0: 40\u00a0mégapixels au plus. Réduisez-la, puis réessayez.",
      );
    });

    test("16 bits a sample halve the accepted pixels", () => {
      const deep = (height: number) => makePng(1, 1, { width: 8_000, height }).with(24, 16);
      expect(checkImage(deep(2_500)).ok).toBe(true);
      expect(refusedFor(deep(2_501))).toBe(
        "Image trop grande\u00a0: 20\u00a0mégapixels au plus. Réduisez-la, puis réessayez.",
      );
    });

    test("a small WebP that announces 268 megapixels is refused", () => {
      expect(readImageSize(hugeWebp)).toMatchObject({ width: 16_384, height: 16_384 });
      expect(refusedFor(hugeWebp)).toBe(
        "Image trop grande\u00a0: 40\u00a0mégapixels au plus. Réduisez-la, puis réessayez.",
      );
    });

    test("a picture larger than its canvas is refused", async () => {
      expect(readImageSize(lying)).toMatchObject({ width: 1, height: 1 });
      expect(await images.reencode(lying, { maximumSidePx: 512 })).toEqual({
        ok: false,
        error: { code: "invalid_image" },
      });
    });

    test("one picture is decoded at a time, and beyond the waiting ones 503 is answered", async () => {
      const results = await Promise.all(
        Array.from({ length: 30 }, () => images.reencode(png, { maximumSidePx: 512 })),
      );
      const codes = results.map((result) => (result.ok ? "done" : result.error.code));
      expect(codes.filter((code) => code === "done")).toHaveLength(21);
      expect(codes.filter((code) => code === "service_unavailable")).toHaveLength(9);
    });
  });

  describe("an image written anew", () => {
    test.each([
      ["PNG", png],
      ["JPEG", jpeg],
      ["lossy WebP", lossy],
      ["lossless WebP", lossless],
    ])("a fitting picture from %s becomes a WebP of its size", async (_format, bytes) => {
      const result = await images.reencode(bytes, { maximumSidePx: 512 });
      expect(result.ok && readImageSize(result.value)).toMatchObject({
        format: "webp",
        width: 60,
        height: 20,
      });
    });

    test("a picture is fitted to the square", async () => {
      const result = await images.reencode(png, { maximumSidePx: 30 });
      expect(result.ok && readImageSize(result.value)).toMatchObject({
        format: "webp",
        width: 30,
        height: 10,
      });
    });

    test("a picture is rotated by its EXIF, and loses it", async () => {
      const result = await images.reencode(turned, { maximumSidePx: 512 });
      if (!result.ok) throw new Error("refused");
      expect(readImageSize(result.value)).toMatchObject({ format: "webp", width: 20, height: 60 });
      expect(Buffer.from(result.value).includes("Exif")).toBe(false);
    });

    test("pictures of 24 and 40 megapixels are decoded in the sandbox's memory", async () => {
      const photograph = new Uint8Array(await new Transformer(makePng(6_000, 4_000)).jpeg());
      const picture = makePng(8_000, 5_000);
      const [small, mark] = [
        await images.reencode(photograph, { maximumSidePx: 512 }),
        await images.reencode(picture, { maximumSidePx: 1_200, format: "png" }),
      ];
      expect(small.ok && readImageSize(small.value)).toMatchObject({
        format: "webp",
        width: 512,
        height: 341,
      });
      expect(mark.ok && readImageSize(mark.value)).toMatchObject({
        format: "png",
        width: 1_200,
        height: 750,
      });
    }, 30_000);

    test("an intact picture with too many pixels is refused for its size", async () => {
      const photograph = makePng(7_000, 1, { width: 7_000, height: 5_858 });
      expect(await images.reencode(photograph, { maximumSidePx: 512 })).toMatchObject({
        ok: false,
        error: { code: "image_too_large" },
      });
    });

    test("a damaged, empty or unknown file is refused", async () => {
      const bad = [
        png.slice(0, 50),
        makePng(1, 1, { width: 0, height: 4 }),
        SVG,
        new Uint8Array(100),
      ];
      for (const bytes of bad)
        expect(await images.reencode(bytes, { maximumSidePx: 512 })).toEqual({
          ok: false,
          error: { code: "invalid_image" },
        });
    });
  });
});

describe("a background", () => {
  /** A stroke of 20 by 2 pixels. */
  function sheet(paper: number, ink: number | null): Pixels {
    const [width, height] = [100, 50];
    const data = new Uint8ClampedArray(4 * width * height).fill(255);
    for (let pixel = 0; pixel < width * height; pixel++) {
      const [x, y] = [pixel % width, Math.floor(pixel / width)];
      const isInk = ink !== null && x >= 40 && x < 60 && y >= 20 && y < 22;
      data.fill(isInk ? ink : paper, 4 * pixel, 4 * pixel + 3);
    }
    return { width, height, data };
  }
  const opacities = ({ data }: Pixels) => data.filter((_, index) => index % 4 === 3);

  test.each([
    ["white paper", 250, 10],
    ["paper in the shade", 190, 40],
    ["a grey pencil on white paper", 255, 120],
  ])(
    "on %s the stroke stays with a margin, and the paper becomes transparent",
    (_what, paper, ink) => {
      const cleaned = removeBackground(sheet(paper, ink));
      expect(cleaned).toMatchObject({ width: 32, height: 14 });
      const kept = opacities(cleaned as Pixels);
      expect(kept.filter((opacity) => opacity > 200)).toHaveLength(40);
      expect(kept.filter((opacity) => opacity < 24)).toHaveLength(32 * 14 - 40);
    },
  );

  test("a picture that is transparent already keeps its stroke", () => {
    const picture = sheet(255, 30);
    for (let index = 0; index < picture.data.length; index += 4)
      if (picture.data[index] === 255) picture.data[index + 3] = 0;
    expect(removeBackground(picture)).toMatchObject({ width: 32, height: 14 });
  });

  test("a blank sheet gives nothing", () => {
    expect(removeBackground(sheet(250, null))).toBeNull();
  });
});
