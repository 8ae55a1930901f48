import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { shrinkAvatar } from "./crop-square.ts";

let drawn: { width: number; height: number; type: string }[];
let closed: number;

beforeEach(() => {
  drawn = [];
  closed = 0;
  // What a browser does with pixels, and a test environment does not.
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

test("a telephone's photograph of 24 megapixels is made small before it is sent", async () => {
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

test("a PNG stays one, for what is transparent in it; a narrow picture keeps a pixel", async () => {
  decodes(40, 100_000);
  expect((await shrinkAvatar(file("image/png"))).ok).toBe(true);
  expect(drawn).toEqual([{ width: 1, height: 1_024, type: "image/png" }]);
});

test("a small picture is sent as it is; a heavy one of few pixels is not", async () => {
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

test("an outage of the decoder's own is not taken for a damaged picture", async () => {
  vi.stubGlobal("createImageBitmap", async () => {
    throw new TypeError("bug");
  });
  await expect(shrinkAvatar(file("image/png"))).rejects.toThrow("bug");
});
