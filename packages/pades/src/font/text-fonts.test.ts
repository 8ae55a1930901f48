import { expect, test } from "vitest";
import { TEST_FONTS } from "../../testing/test-fonts.ts";
import { baseSubset, drawableText, missingCharacter, subsetFont } from "./text-fonts.ts";
import { glyphBounds, parseTrueType } from "./true-type-font.ts";

const code = (character: string): number => character.codePointAt(0) ?? 0;
const text = TEST_FONTS.text.map(parseTrueType);

test("the text fonts cover French, Latin Extended and Vietnamese", () => {
  const characters = "éèêëàâîïôùûüÿçœæŒÆÉÈÀÇ«»€’…–—ĄĆŁŃŘŠŤŻžőűğışẠạẢảẤấẦầỮữỰựỲỳđĐơƯ";
  expect(
    [...characters].filter((character) =>
      text.every((font) => font.glyphOf(code(character)) === 0),
    ),
  ).toEqual([]);
});

test("the first character that no font has is named", () => {
  expect(missingCharacter("Œuvre\n« à 12 € »Nguyễn", TEST_FONTS.text)).toBeNull();
  expect(missingCharacter("ok漢字", TEST_FONTS.text)).toBe("漢");
  const hands = [TEST_FONTS.hands.caveat, ...TEST_FONTS.text];
  expect(missingCharacter("Zoé 🖋", hands)).toBe("🖋");
});

test("text is drawn composed, with plain spaces and hyphens", () => {
  expect(drawableText("e\u0301te\u0301\u202f!\u00a0\u2011\u200b")).toBe(
    "été! -".replace("!", " !"),
  );
});

const subset = subsetFont(text[0] as (typeof text)[number], [..."Été 漢"].map(code));

test("a subset has the same outlines and widths, composites included", () => {
  expect([...subset.glyphs.keys()]).toEqual([..."Été "].map(code));
  // A subset has no character map: its glyphs are numbered as content streams name them.
  for (const character of "Été") {
    const glyph = subset.glyphs.get(code(character)) ?? 0;
    const original = text[0]?.glyphOf(code(character)) ?? 0;
    expect(subset.widths[glyph]).toBe(
      Math.round(((text[0]?.advanceOf(original) ?? 0) * 1000) / (text[0]?.unitsPerEm ?? 1)),
    );
  }
  expect(subset.program.length).toBeLessThan(6_000);
});

test("a subset is made once for a font, and recognised by its content", async () => {
  const [first, again] = await Promise.all([baseSubset(TEST_FONTS), baseSubset({ ...TEST_FONTS })]);
  expect(first).toBe(again);
  expect(first.baseFont).toMatch(/^[A-Z]{6}\+InstrumentSans-Regular$/);
  expect(first.program.length + first.toUnicode.length).toBeLessThan(20_000);
});

test("the ink box of a glyph lies within the font's bounds", () => {
  for (const character of "Éàg&") {
    const font = text[0] as (typeof text)[number];
    const box = glyphBounds(font, font.glyphOf(code(character))) ?? [0, 0, 0, 0];
    const [left, bottom, right, top] = font.bounds;
    expect([
      box[0] >= left,
      box[1] >= bottom,
      box[2] <= right,
      box[3] <= top,
      box[0] < box[2],
      box[1] < box[3],
    ]).toEqual(Array.from({ length: 6 }, () => true));
  }
});

test("a space has no ink", () => {
  expect(glyphBounds(text[0] as (typeof text)[number], text[0]?.glyphOf(32) ?? 0)).toBeNull();
});

test("bytes that are no font are refused", () => {
  expect(() => parseTrueType(new Uint8Array(20))).toThrow("Expected a TrueType font");
});
