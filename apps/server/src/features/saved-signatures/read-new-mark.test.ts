import { Transformer } from "@napi-rs/image";
import { type NewMark, signatureMarkSchema } from "@paraphe/contracts";
import { afterAll, describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { makePng, SVG } from "../../../testing/images.ts";
import { createImageSandbox } from "../../platform/images/create-image-sandbox.ts";
import { readNewMark } from "./read-new-mark.ts";

const images = createImageSandbox();
afterAll(() => images.close());

const dataUrl = (bytes: Uint8Array, type = "image/png") => `data:${type};base64,${Buffer.from(bytes).toString("base64")}`;
const parsed = (mark: unknown) => z.parse(signatureMarkSchema, mark) as NewMark;
const read = (mark: unknown) => readNewMark(images, parsed(mark));
const refusal = async (mark: unknown) => {
  const result = await read(mark);
  return result.ok ? null : [result.error.code, result.error.errors?.["signature"]?.[0]];
};

describe("a drawn mark", () => {
  it("keeps its strokes with their pressure", async () => {
    const strokes = [
      [
        [0, 0, 0.5],
        [0.4, 0.2, 1],
      ],
    ];
    expect(await read({ kind: "drawn", strokes })).toEqual({ ok: true, value: { kind: "strokes", strokes } });
  });

  it("is refused when nothing is drawn, or the same point only", async () => {
    expect(await refusal({ kind: "drawn", strokes: [[[0.5, 0.5, 1]]] })).toEqual(["validation", "Dessinez votre signature"]);
    expect(
      await refusal({
        kind: "drawn",
        strokes: [
          [
            [0.5, 0.5, 1],
            [0.5, 0.5, 0.2],
          ],
          [[0.5, 0.5, 1]],
        ],
      }),
    ).toEqual(["validation", "Dessinez votre signature"]);
    expect(z.safeParse(signatureMarkSchema, { kind: "drawn" }).success).toBe(false);
  });

  it("is refused when it has too many points", async () => {
    const stroke = Array.from({ length: 5_000 }, (_, index) => [index / 5_000, 0, 1]);
    expect((await refusal({ kind: "drawn", strokes: Array.from({ length: 5 }, () => stroke) }))?.[0]).toBe("validation");
  });
});

describe("a typed mark", () => {
  it("keeps its text, composed, and its hand", async () => {
    expect(await read({ kind: "typed", text: " Zoe\u0308 Œuvrard ", font: "caveat" })).toEqual({
      ok: true,
      value: { kind: "typed", text: "Zoë Œuvrard", hand: "caveat" },
    });
  });

  it.each(["\u200b\u200d", "\u00ad", " – "])("is refused by its contract when nothing could be read in it: %j", (text) => {
    const { error } = z.safeParse(signatureMarkSchema, { kind: "typed", text, font: "caveat" });
    expect(error?.issues.map(({ message }) => message)).toEqual(["Saisissez votre nom"]);
  });
});

describe("an uploaded mark", () => {
  it.each(["png", "jpeg", "webp"] as const)("takes a %s by its content, and keeps a PNG of at most 1 200 pixels", async (format) => {
    const image = new Transformer(makePng(3_000, 1_000));
    const bytes = new Uint8Array(await image[format]());
    const result = await read({ kind: "uploaded", image: dataUrl(bytes) });
    const kept = result.ok && result.value.kind === "image" ? Buffer.from(result.value.png_base64, "base64") : Buffer.alloc(0);
    expect([kept.subarray(1, 4).toString(), kept.readUInt32BE(16), kept.readUInt32BE(20)]).toEqual(["PNG", 1_200, 400]);
  });

  it.each<[string, Uint8Array]>([
    ["an SVG that says it is a PNG", SVG],
    ["noise", new Uint8Array(500).fill(7)],
    ["a cut image", makePng(300, 300).slice(0, 60)],
  ])("refuses %s", async (_, bytes) => {
    expect((await refusal({ kind: "uploaded", image: dataUrl(bytes) }))?.[0]).toBe("invalid_image");
  });

  it("refuses more than 2 MB, in words of its own", async () => {
    expect((await refusal({ kind: "uploaded", image: dataUrl(new Uint8Array(2 * 1024 * 1024 + 1)) }))?.[0]).toBe("image_file_too_large");
  });

  it("refuses an image that claims 3 600 megapixels, and says why", async () => {
    const huge = makePng(8, 8, { width: 60_000, height: 60_000 });
    expect((await refusal({ kind: "uploaded", image: dataUrl(huge) }))?.[0]).toBe("image_too_large");
  });
});
