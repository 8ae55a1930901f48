import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  CENTRED,
  MAX_ZOOM,
  cropByKey,
  croppedSquare,
  moveSquare,
  shrinkAvatar,
  zoomSquare,
} from "./crop-square.ts";

const wide = { width: 1_024, height: 768 };
const tall = { width: 600, height: 1_000 };

test("the first square is the largest one, in the middle", () => {
  expect(croppedSquare(wide, CENTRED)).toEqual({ left: 128, top: 0, side: 768 });
  expect(croppedSquare(tall, CENTRED)).toEqual({ left: 0, top: 200, side: 600 });
  expect(croppedSquare({ width: 1, height: 1_024 }, CENTRED)).toEqual({
    left: 0,
    top: 511.5,
    side: 1,
  });
});

test("the square moves by shares of its side, and stops at the edges", () => {
  expect(croppedSquare(wide, moveSquare(wide, CENTRED, { dx: 0.1, dy: 0.5 }))).toMatchObject({
    left: expect.closeTo(204.8),
    top: 0,
  });
  expect(croppedSquare(wide, moveSquare(wide, CENTRED, { dx: 9, dy: 0 }))).toMatchObject({
    left: 256,
  });
  expect(croppedSquare(wide, moveSquare(wide, CENTRED, { dx: -9, dy: 0 }))).toMatchObject({
    left: 0,
  });
  expect(moveSquare(tall, CENTRED, { dx: 1, dy: 0 })).toEqual(CENTRED);
});

test("the square zooms around its middle within limits, and never leaves the picture", () => {
  const near = zoomSquare(wide, CENTRED, 2);
  expect(croppedSquare(wide, near)).toEqual({ left: 320, top: 192, side: 384 });
  expect(zoomSquare(wide, near, 1)).toEqual(CENTRED);
  expect(zoomSquare(wide, near, 99).zoom).toBe(MAX_ZOOM);
  expect(zoomSquare(wide, near, 0).zoom).toBe(1);
  for (const crop of [
    moveSquare(tall, zoomSquare(tall, CENTRED, 3.3), { dx: 5, dy: -5 }),
    zoomSquare(tall, { zoom: 4, x: 1, y: 1 }, 1.2),
  ]) {
    const { left, top, side } = croppedSquare(tall, crop);
    expect(left).toBeGreaterThanOrEqual(0);
    expect(top).toBeGreaterThanOrEqual(0);
    expect(left + side).toBeLessThanOrEqual(tall.width + 1e-9);
    expect(top + side).toBeLessThanOrEqual(tall.height + 1e-9);
  }
});

test.each([
  ["ArrowRight", { left: expect.closeTo(89.6) }],
  ["ArrowLeft", { left: expect.closeTo(166.4) }],
  ["ArrowDown", { top: 0 }],
  ["+", { side: expect.closeTo(768 / 1.1) }],
  ["-", { side: 768 }],
])("the key %s does what it says", (key, kept) => {
  const crop = cropByKey(key, wide, CENTRED);
  expect(crop && croppedSquare(wide, crop)).toMatchObject(kept);
});

test("arrows move the picture, Home resets it, and any other key does nothing", () => {
  const lower = cropByKey("ArrowUp", tall, CENTRED);
  expect(lower && croppedSquare(tall, lower).top).toBeCloseTo(230);
  const higher = cropByKey("ArrowDown", tall, CENTRED);
  expect(higher && croppedSquare(tall, higher).top).toBeCloseTo(170);
  expect(cropByKey("Home", tall, { zoom: 3, x: 0, y: 1 })).toEqual(CENTRED);
  expect(cropByKey("Tab", tall, CENTRED)).toBeNull();
});

let drawn: { width: number; height: number; type: string }[];
let closed: number;

beforeEach(() => {
  drawn = [];
  closed = 0;
  // The test environment has no canvas.
  vi.spyOn(HTMLCanvasElement.prototype, "getContext").mockReturnValue({ drawImage() {} } as never);
  vi.spyOn(HTMLCanvasElement.prototype, "toBlob").mockImplementation(function (
    this: HTMLCanvasElement,
    done,
    type = "image/png",
  ) {
    drawn.push({ width: this.width, height: this.height, type });
    done(new Blob(["small"], { type }));
  });
});
afterEach(() => vi.unstubAllGlobals());

const decodes = (width: number, height: number) =>
  vi.stubGlobal("createImageBitmap", async () => ({
    width,
    height,
    close() {
      closed++;
    },
  }));
const file = (type: string, bytes = 10) => new File([new Uint8Array(bytes)], "moi", { type });

test("a photograph of 24 megapixels is shrunk before it is sent", async () => {
  decodes(5_712, 4_284);
  const shrunk = await shrinkAvatar(file("image/jpeg", 2_600_000));
  expect(drawn).toEqual([{ width: 1_024, height: 768, type: "image/jpeg" }]);
  expect(shrunk.ok && [shrunk.file.type, shrunk.file.name, shrunk.file.size]).toEqual([
    "image/jpeg",
    "moi",
    5,
  ]);
  expect(closed).toBe(1);
});

test("a PNG stays a PNG for its transparency, and a narrow picture keeps a pixel", async () => {
  decodes(40, 100_000);
  expect((await shrinkAvatar(file("image/png"))).ok).toBe(true);
  expect(drawn).toEqual([{ width: 1, height: 1_024, type: "image/png" }]);
});

test("a small picture is sent as it is, but not a heavy one of few pixels", async () => {
  decodes(600, 600);
  const small = file("image/png");
  expect(await shrinkAvatar(small)).toEqual({
    ok: true,
    file: small,
    size: { width: 600, height: 600 },
  });
  await shrinkAvatar(file("image/png", 600_000));
  expect(drawn).toHaveLength(1);
});

test("a failure of the decoder does not read as a damaged picture", async () => {
  vi.stubGlobal("createImageBitmap", async () => {
    throw new TypeError("bug");
  });
  await expect(shrinkAvatar(file("image/png"))).rejects.toThrow("bug");
});
