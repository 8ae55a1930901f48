import fc from "fast-check";
import { expect, test } from "vitest";
import { terminalLine } from "./outcome.ts";

test.each([
  ["\u001b[2J\u001b[32mVALIDE", "\\u001b[2J\\u001b[32mVALIDE"],
  ["\u009b2Jx", "\\u009b2Jx"],
  ["a\nb\r\u0085c\u2028d\u2029e", "a\\u000ab\\u000d\\u0085c\\u2028d\\u2029e"],
  ["fdp\u202eexe\u2066\u200f\u061c\u200b", "fdp\\u202eexe\\u2066\\u200f\\u061c\\u200b"],
  ["moitié \ud83d", "moitié \\ud83d"],
  ["Éloïse n°\u00a03 – « 中 » 👩\u200d⚖️", "Éloïse n°\u00a03 – « 中 » 👩\u200d⚖️"],
])("shows %j as %j", (text, shown) => {
  expect(terminalLine(text)).toBe(shown);
});

test("removes every terminal control, and is idempotent", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const shown = terminalLine(text);
      expect(shown).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
      expect(terminalLine(shown)).toBe(shown);
    }),
  );
});
