import fc from "fast-check";
import { expect, test } from "vitest";
import { cutGsmText, gsmLength, isGsmText, toGsmText } from "./gsm-text.ts";

test.each([
  ["Éloïse à l’été – où ?", "Éloise à l'été - où ?"],
  ["«\u00a0Œuvrard\u00a0» : 12\u202f€", '" OEuvrard " : 12 €'],
  ["Michał, Jørgen, Đặng, çà…", "Michal, Jørgen, Dang, cà..."],
  ["Avenant n°\u00a012, 2ᵉ lot : 25 m² × 3½ · « fﬁ »™", 'Avenant no 12, 2e lot : 25 m2 x 31/2 . " ffi "TM'],
  ["François, Ça, GARÇON, Noël, Île, août, naïve", "Francois, Ça, GARÇON, Noel, Ile, aout, naive"],
  ["Þórður Ærø, Ægir ß ẞ", "Thordur Ærø, Ægir ß SS"],
  ["un\u00adcou\u200bpé\u2060\ufeff", "uncoupé"],
  ["δ ω α", "Δ Ω ?"],
  ["漢字 🙂", "?? ?"],
])("%j becomes %j", (text, expected) => {
  expect(toGsmText(text)).toBe(expected);
});

test("a character of the extension table counts for two", () => {
  expect(gsmLength("a€[b]")).toBe(8);
});

test("whatever the text, the outcome is GSM and the cut fits", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 300 }), fc.integer({ min: 4, max: 160 }), (text, maximum) => {
      const gsm = toGsmText(text);
      expect(isGsmText(gsm)).toBe(true);
      expect(gsmLength(cutGsmText(gsm, maximum))).toBeLessThanOrEqual(maximum);
    }),
  );
});

test("the accents of the table are kept as they are, one septet each", () => {
  const kept = "éèàùìòÉÇÄÖÑÜäöñüÅåØøÆæß£¥§¿¡";
  expect(toGsmText(kept)).toBe(kept);
  expect(gsmLength(kept)).toBe(kept.length);
});

test("every letter of French is kept, or loses its mark alone", () => {
  for (const letter of "àâäæçéèêëîïôœùûüÿÀÂÄÆÇÉÈÊËÎÏÔŒÙÛÜŸ") expect(toGsmText(letter)).not.toMatch(/\?/);
});
