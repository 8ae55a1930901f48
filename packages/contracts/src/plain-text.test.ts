import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { declineRequest, recipientRequest, titleSchema } from "./envelope.ts";
import { plainLines, plainText, quotationOf } from "./person-rules.ts";

const TRICKS = [
  ..."\n\r\t\u0000\u001b\u007f\u0085\u009b\u2028\u2029\u200b\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u2060\ufeff\u00ad\u2062\u3164",
];

describe.each([
  ["a title", (text: string) => titleSchema.parse(text)],
  ["a name", (text: string) => recipientRequest.shape.full_name.parse(text)],
  ["the reason of a refusal", (text: string) => declineRequest.parse({ reason: text }).reason],
])("%s is stored", (_what, read) => {
  it.each(TRICKS)("without %j", (trick) => {
    expect(read(`Bail${trick}signé`)).toMatch(/^Bail ?signé$/);
  });
});

test("removes whatever ends a line, hides or turns words, except line feeds of several lines", () => {
  const anything = fc.string({
    unit: fc.oneof(
      fc.constantFrom(...TRICKS),
      fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
    ),
    maxLength: 40,
  });
  fc.assert(
    fc.property(anything, (text) => {
      expect(TRICKS.filter((trick) => plainText(text).includes(trick))).toEqual([]);
      expect(TRICKS.filter((trick) => trick !== "\n" && plainLines(text).includes(trick))).toEqual(
        [],
      );
    }),
  );
});

const READABLE = "Au moins une lettre ou un chiffre";
test.each([
  ["\u00ad", "a soft hyphen", ["Titre requis", "Nom requis"]],
  ["\u2062", "an invisible sign of multiplication", ["Titre requis", "Nom requis"]],
  ["\u3164\u115f\u1160\uffa0", "fillers of Hangul", ["Titre requis", "Nom requis"]],
  ["\u2800", "a pattern of Braille without a dot", [READABLE, READABLE]],
  ["\ufe0f\u200d", "a variant and a joiner of nothing", [READABLE, READABLE]],
  ["\u{e0041}\u{e0042}", "tags", [READABLE, READABLE]],
  [" – … ! ", "signs alone", [READABLE, READABLE]],
  ["📄✍️", "pictures alone", [READABLE, READABLE]],
])("refuses %j as title and name: %s", (text, _what, messages) => {
  const refused = [titleSchema, recipientRequest.shape.full_name].map((schema) =>
    schema.safeParse(text).error?.issues.map(({ message }) => message),
  );
  expect(refused.flat()).toEqual(messages);
});

test.each(["7", "É", "佐藤", "محمد", "Łukasz – 2ᵉ", "№ 7"])(
  "accepts %j as title and name",
  (text) => {
    expect(titleSchema.parse(text)).toBe(text);
    expect(recipientRequest.shape.full_name.parse(text)).toBe(text);
  },
);

test("preserves joiners, and composes accents", () => {
  expect(plainText("Re\u0301sume\u0301 می\u200cخواهم 👩\u200d⚖️")).toBe(
    "Résumé می\u200cخواهم 👩\u200d⚖️",
  );
});

test("quotes text that cannot close its own quotation", () => {
  expect(
    quotationOf("Non ».\n\nEnveloppe terminée\u2028Toutes les signatures sont valides. «"),
  ).toBe("«\u00a0Non”. Enveloppe terminée Toutes les signatures sont valides. “\u00a0»");
});
