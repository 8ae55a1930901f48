import { expect, test } from "vitest";
import { appearanceMismatch } from "./form-values.ts";

const says = (text: string | null, value: string, paints = false): boolean =>
  appearanceMismatch({ text, paints }, value);

test.each([
  ["another sum", "100 EUR", "9000 EUR"],
  ["a sum of another sign", "-100", "100"],
  ["a sum with a point less", "1000", "10.00"],
  ["a sum grouped as a number of telephone", "10-00", "1000"],
  ["a digit more", "1 234,56", "1234.5"],
  ["the first words alone", "Lu et", "Lu et approuvé"],
  ["words where there is no value", "100 EUR", ""],
  ["nothing", "", "9000 EUR"],
  ["what the font has no letter for", "Lu et approuv?", "Lu et approuvé"],
])("an appearance that shows %s differs from the value", (_what, text, value) => {
  expect(says(text, value)).toBe(true);
});

test.each([
  ["spaces and ends of line", "Lu et\u00a0approuvé,\nle 3 mai", "Lu et approuvé, le 3 mai\r"],
  [
    "accents, apostrophes, dashes and ligatures",
    "l'\u0153uvre - ef\ufb01cace",
    "l\u2019oeuvre \u2013 e\u0301fficace",
  ],
  ["letters of a comb", "1 2 3 4 5", "12345"],
  ["groups, a currency and decimals", "1 234,50 \u20ac", "1234.5"],
  ["groups of three", "1,234", "1234"],
  ["fewer decimals", "3,14", "3.14159"],
  ["a percentage", "25 %", "0.25"],
  ["a sum in parentheses for one below nothing", "(12.00)", "-12"],
  ["a number of telephone in groups", "(061) 234-5678", "0612345678"],
])("%s alone do not make an appearance differ from the value", (_what, text, value) => {
  expect(says(text, value)).toBe(false);
});

test("an appearance whose text is unknown never differs from the value", () => {
  expect(says(null, "9000")).toBe(false);
  expect(says("\u0645\u0628\u0644\u063a", "9000")).toBe(false);
  expect(says("100", "\u0661\u0660\u0660")).toBe(false);
  // A mark, a bar code: nothing but lines.
  expect(says("", "9000", true)).toBe(false);
  expect(says("100", "9000", true)).toBe(true);
});

test("an appearance longer than any field differs from the value", () => {
  expect(says(`${" ".repeat(40_001)}100`, "100")).toBe(true);
});
