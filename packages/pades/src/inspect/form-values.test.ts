import { describe, expect, test } from "vitest";
import { PdfDict, PdfStream } from "@libpdf/core";
import { sealed } from "../../testing/attack-stage.ts";
import { lastObject, latin } from "../../testing/forge.ts";
import { signFreely } from "../../testing/sign-freely.ts";
import { prepareAll, signAs } from "../../testing/sign-flow.ts";
import { type SmallPdfOptions, smallPdf, type Objects } from "../../testing/small-pdf.ts";
import { TEST_FONTS } from "../../testing/test-fonts.ts";
import { createTestPki } from "../../testing/test-pki.ts";
import { type OpenPdf, arrayAt, dictAt, follow, nameAt, openPdf } from "../pdf/open-pdf.ts";
import { pageAt } from "../pdf/page-geometry.ts";
import { contentText } from "./flatten-layers.ts";
import { inspectPdf } from "./inspect-pdf.ts";
import { normalisePdf } from "./control-pdf.ts";
import { appearanceMismatch } from "./form-values.ts";

const stream = (data: string, entries = ""): string =>
  `<<${entries}/Length ${data.length}>>\nstream\n${data}\nendstream`;
const LOOK = "/Type/XObject/Subtype/Form/BBox[0 0 200 30]/Resources<</Font<</F1 5 0 R>>>>";
const STALE = "/NeedAppearances true";
const filled = (entries: string, form = "", more: SmallPdfOptions = {}): Uint8Array =>
  smallPdf({
    catalogExtra: `/AcroForm<</Fields[20 0 R]${form}>>`,
    pageExtra: "/Annots[20 0 R]",
    ...more,
    objects: {
      20: `<</Type/Annot/Subtype/Widget/T(montant)${entries.includes("/Rect") ? "" : "/Rect[100 500 300 530]"}${entries.includes("/F 2") ? "" : "/F 4"}${entries}>>`,
      21: stream("/Tx BMC BT /F1 12 Tf 2 5 Td (100 EUR) Tj ET EMC", LOOK),
      22: stream("/Tx BMC EMC", LOOK),
      ...more.objects,
    },
  });
const codes = async (bytes: Uint8Array): Promise<readonly string[]> =>
  (await inspectPdf(bytes)).findings.map(({ code }) => code);
const copyOf = (bytes: Uint8Array): Promise<Uint8Array> =>
  normalisePdf(bytes, { fonts: TEST_FONTS });
function widget(open: OpenPdf): PdfDict {
  const found = follow(open, arrayAt(open, pageAt(open, 1).dict, "Annots")?.at(0));
  if (!(found instanceof PdfDict)) throw new Error("Expected a field");
  return found;
}
function lookOf(open: OpenPdf): string | null {
  const appearances = dictAt(open, widget(open), "AP");
  const look = appearances && follow(open, appearances.get("N"));
  return look instanceof PdfStream ? contentText(open, look) : null;
}
/** Counts the letters that the field's appearance shows. */
function lettersOf(open: OpenPdf): number {
  return [...(lookOf(open) ?? "").matchAll(/<([0-9a-f]*)> Tj/g)].reduce(
    (sum, [, hex = ""]) => sum + hex.length / 4,
    0,
  );
}

describe("a form whose values or appearances readers may show", () => {
  test.each([
    ["a value without a look", filled("/FT/Tx/V(9000 EUR)"), 8],
    [
      "a value in a stream",
      filled("/FT/Tx/V 23 0 R", "", { objects: { 23: stream("9000 EUR") } }),
      8,
    ],
    [
      "a value beside a look that the form calls stale",
      filled("/FT/Tx/V(9000 EUR)/AP<</N 21 0 R>>", STALE),
      8,
    ],
    [
      "a choice, by the words that it shows",
      filled("/FT/Ch/V(a)/Opt[[(a)(Neuf mille)][(b)(Cent)]]"),
      10,
    ],
    ["several choices", filled("/FT/Ch/V[(a)(b)]/Opt[(a)(b)]"), 2],
    ["a password", filled("/FT/Tx/Ff 8192/V(secret)"), 6],
    [
      "a value of its parent",
      filled("/Parent 24 0 R", "", { objects: { 24: "<</FT/Tx/V(9000 EUR)/Kids[20 0 R]>>" } }),
      8,
    ],
  ])("%s is a finding, and the copy draws the value", async (_what, bytes, letters) => {
    expect(await inspectPdf(bytes)).toMatchObject({
      result: "fixable",
      findings: [{ code: "form_values", count: 1 }, { code: "existing_form" }],
    });
    const copy = await copyOf(bytes);
    expect(await inspectPdf(copy)).toMatchObject({
      result: "ok",
      findings: [{ code: "existing_form" }],
    });
    expect(lettersOf(await openPdf(copy))).toBe(letters);
    expect(latin(copy)).not.toContain("NeedAppearances");
  });

  const look = (content: string, entries = ""): SmallPdfOptions => ({
    objects: {
      23: stream(content, `${LOOK.replace("/F1 5 0 R", "/F1 24 0 R")}${entries}`),
      ...FONT,
    },
  });
  const FONT = { 24: "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>" };
  const MAP =
    "2 beginbfchar\n<0001> <0039> <0002> <0030>\nendbfchar 1 beginbfrange <0010> <0012> <0041> endbfrange";
  const font = (entries: string): Objects => ({
    24: `<</Type/Font${entries}>>`,
    25: stream(MAP),
  });
  const named =
    "/Subtype/TrueType/Encoding<</BaseEncoding/WinAnsiEncoding/Differences[1/nine/zero]>>";
  const composite = "/Subtype/Type0/Encoding/Identity-H/ToUnicode 25 0 R";
  const subset = "/Subtype/TrueType/FontDescriptor<</Flags 4>>";
  const shows = (value: string, content: string, { more = {}, entries = "" } = {}): Uint8Array => {
    const { objects } = look(content, entries);
    return filled(`/FT/Tx/V(${value})/AP<</N 23 0 R>>`, "", { objects: { ...objects, ...more } });
  };

  test.each([
    ["another text", shows("9000", "BT /F1 9 Tf (100) Tj ET")],
    ["letters written in octal, in pieces", shows("9000", "BT /F1 9 Tf [(1\\060) -20 (0)] TJ ET")],
    ["another text in hexadecimal", shows("9000", "BT /F1 9 Tf <313030> Tj ET")],
    ["another text on the next line", shows("9000", "BT /F1 9 Tf 12 TL (100) ' ET")],
    ["the value's first letters", shows("9000", "BT /F1 9 Tf (900) Tj ET")],
    [
      "the value where nobody sees it, another text where they do",
      shows("9000", "BT /F1 9 Tf 3 Tr (9000) Tj 0 Tr (100) Tj ET"),
    ],
    [
      "another text in a form of its own",
      shows("9000", "q /In Do Q", {
        entries: "",
        more: {
          23: stream(
            "/In Do",
            "/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</In 21 0 R>>>>",
          ),
        },
      }),
    ],
    [
      "another text by its glyphs' names",
      shows("9001", "BT /F1 9 Tf <010202> Tj (0) Tj ET", { more: font(named) }),
    ],
    [
      "another text by its font's map",
      shows("9000", "BT /F1 9 Tf <000100020010> Tj ET", { more: font(composite) }),
    ],
    ["nothing at all", shows("9000", "/Tx BMC EMC")],
    ["a text without a value", shows("", "BT /F1 9 Tf (100) Tj ET")],
  ])(
    "an appearance that shows %s than the value is a finding, and the copy draws the value",
    async (_what, bytes) => {
      expect(await inspectPdf(bytes)).toMatchObject({
        result: "fixable",
        findings: [{ code: "form_values", count: 1 }, { code: "existing_form" }],
      });
      const copy = await copyOf(bytes);
      expect(await inspectPdf(copy)).toMatchObject({
        result: "ok",
        findings: [{ code: "existing_form" }],
      });
      expect(lookOf(await openPdf(copy))).not.toMatch(/Tf \(/);
    },
  );

  test.each([
    ["by its glyphs' names", shows("9000", "BT /F1 9 Tf <01020202> Tj ET", { more: font(named) })],
    [
      "by its font's map",
      shows("90AB", "BT /F1 9 Tf <0001000200100011> Tj ET", { more: font(composite) }),
    ],
    [
      "on several lines, in a frame",
      shows(
        "Lu et approuv\\351",
        "0 0 9 9 re S BT /F1 9 Tf (Lu et) Tj 0 -9 Td (approuv\\351) Tj ET",
      ),
    ],
    [
      "in a font that the form has",
      filled("/FT/Tx/V(9000)/AP<</N 23 0 R>>", "/DR<</Font<</Nom 24 0 R>>>>", {
        objects: {
          ...FONT,
          23: stream("BT /N#6fm 9 Tf (9000) Tj ET", "/Type/XObject/Subtype/Form/BBox[0 0 9 9]"),
        },
      }),
    ],
    [
      "in a font that says nothing",
      shows("9000", "BT /F1 9 Tf <03040506> Tj ET", { more: font(subset) }),
    ],
    [
      "in letters that are pictures",
      shows("9000", "BT /F1 9 Tf (100) Tj ET", { more: font("/Subtype/Type3") }),
    ],
    ["as a mark without letters", shows("9000", "0 0 m 9 9 l S")],
  ])(
    "an appearance that shows the value, or whose text is unknown, is accepted: %s",
    async (_what, bytes) => {
      expect(await inspectPdf(bytes)).toMatchObject({
        result: "ok",
        findings: [{ code: "existing_form" }],
      });
    },
  );

  test.each(["typed", "drawn"] as const)(
    "the appearances that we write show their values: a mark that is %s, texts, boxes",
    async (kind) => {
      const pki = await createTestPki();
      const signer = await pki.issue({ commonName: "Alice" });
      const typed = { kind: "typed", text: "Alice É.", hand: "caveat" } as const;
      const options =
        kind === "typed" ? { mark: typed, initials: { ...typed, text: "A. É." } } : {};
      const signed = await signAs(await prepareAll(smallPdf()), {
        signer,
        ownerKey: "alice",
        options,
      });
      expect(await codes(signed)).toEqual(["existing_signatures", "existing_form"]);
    },
  );

  test("a ToUnicode map without end or with too many codes is ignored at once", async () => {
    const began = performance.now();
    for (const map of [
      "beginbfchar ".repeat(300_000),
      `1 beginbfrange ${"<0000> <FFFF> <0041> ".repeat(50_000)}endbfrange`,
    ]) {
      const more = { ...font(composite), 25: stream(map) };
      expect(await inspectPdf(shows("9000", "BT /F1 9 Tf <0001> Tj ET", { more }))).toMatchObject({
        result: "ok",
      });
    }
    expect(performance.now() - began).toBeLessThan(5_000);
  });

  test("a choice is compared by its display text; lists and passwords are not compared", async () => {
    const combo = "/FT/Ch/Ff 131072/V(a)/Opt[[(a)(100 EUR)][(b)(Cent)]]/AP<</N 21 0 R>>";
    expect(await codes(filled(combo))).toEqual(["existing_form"]);
    expect(await codes(filled(combo.replace("/V(a)", "/V(b)")))).toEqual([
      "form_values",
      "existing_form",
    ]);
    expect(await codes(filled("/FT/Ch/V(b)/Opt[(100)(b)]/AP<</N 21 0 R>>"))).toEqual([
      "existing_form",
    ]);
    expect(await codes(filled("/FT/Tx/Ff 8192/V(secret)/AP<</N 21 0 R>>"))).toEqual([
      "existing_form",
    ]);
  });

  test("the prepared file shows what the file showed", async () => {
    const prepared = await prepareAll(
      await copyOf(filled("/FT/Tx/V(9000 EUR)/AP<</N 21 0 R>>", STALE)),
    );
    expect(lettersOf(await openPdf(prepared))).toBe(8);
  });

  test.each([
    ["", "/AP<</N 21 0 R>>", ""],
    [
      "its frame",
      "/AP<</N 21 0 R>>/MK<</BG[1 1 0]/BC[0]>>/BS<</W 2>>",
      "q 1 1 0 rg 0 0 200 30 re f 0 G 2 w 1 1 198 28 re S Q\n",
    ],
  ])(
    "a field without a value loses a stale appearance, and keeps %s",
    async (_what, entries, content) => {
      const copy = await copyOf(filled(`/FT/Tx${entries}`, STALE));
      expect(await codes(copy)).toEqual(["existing_form"]);
      expect(lookOf(await openPdf(copy))).toBe(content);
    },
  );

  test("the copy draws a value inside its field's frame", async () => {
    const copy = await copyOf(filled("/FT/Tx/V(9000 EUR)/MK<</BG[0 0 0 0]>>"));
    expect(lookOf(await openPdf(copy))).toMatch(/^q 0 0 0 0 k 0 0 200 30 re f Q\n\/Tx BMC/);
  });

  test("the copy draws the value of a field that is a direct object", async () => {
    const inline =
      "<</Type/Annot/Subtype/Widget/FT/Tx/T(a)/V(9000 EUR)/Rect[100 500 300 530]/F 4>>";
    const copy = await copyOf(smallPdf({ pageExtra: `/Annots[${inline}]` }));
    expect(lettersOf(await openPdf(copy))).toBe(8);
  });

  test("the copy gives a button the state of its value where NeedAppearances is set", async () => {
    const button = "/FT/Btn/V/Oui/AS/Off/AP<</N<</Oui 21 0 R/Off 22 0 R>>>>";
    expect(await codes(filled(button))).toEqual(["existing_form"]);
    expect(await codes(filled(button, STALE))).toEqual(["form_values", "existing_form"]);
    const open = await openPdf(await copyOf(filled(button, STALE)));
    expect(nameAt(open, widget(open), "AS")).toBe("Oui");
  });

  test("a push button keeps its appearance", async () => {
    const bytes = filled("/FT/Btn/Ff 65536/MK<</CA(9000 EUR)>>/AP<</N 21 0 R>>", STALE);
    expect(await codes(bytes)).toEqual(["form_values", "existing_form"]);
    const copy = await copyOf(bytes);
    expect(await codes(copy)).toEqual(["existing_form"]);
    expect(latin(copy)).not.toContain("NeedAppearances");
  });

  test.each([
    ["a value with its look", filled("/FT/Tx/V(100 EUR)/AP<</N 21 0 R>>")],
    ["an empty value", filled("/FT/Tx/V()")],
    ["no value, and a look that shows nothing", filled("/FT/Tx/AP<</N 22 0 R>>", STALE)],
    ["a field that is hidden", filled("/FT/Tx/V(9000 EUR)/F 2")],
    ["a field without a place", filled("/FT/Tx/V(9000 EUR)/Rect[0 0 0 0]")],
    [
      "a button in its value's state",
      filled("/FT/Btn/V/Oui/AS/Oui/AP<</N<</Oui 21 0 R/Off 22 0 R>>>>", STALE),
    ],
  ])("%s is accepted as it is", async (_what, bytes) => {
    expect((await codes(bytes)).filter((code) => code === "form_values")).toEqual([]);
  });

  const inOwnLetters = (value: string, codes: string, map: string): Uint8Array =>
    filled(`/FT/Tx/V<FEFF${value}>/AP<</N 23 0 R>>`, STALE, {
      objects: {
        23: stream(
          codes === "" ? "/Tx BMC EMC" : `BT /F1 9 Tf <${codes}> Tj ET`,
          LOOK.replace("/F1 5 0 R", "/F1 24 0 R"),
        ),
        24: `<</Type/Font/Subtype/Type0/Encoding/Identity-H${map && "/ToUnicode 25 0 R"}>>`,
        25: stream(map),
      },
    });
  /** Maps the codes 1, 2 and so on to the letters of a value. */
  const mapOf = (...letters: readonly string[]): string =>
    `${letters.length} beginbfchar ${letters.map((letter, index) => `<000${index + 1}> <${letter}>`).join(" ")} endbfchar`;

  test.each([
    ["Chinese", inOwnLetters("541A610F", "00010002", mapOf("541A", "610F"))],
    [
      "Korean, a space besides",
      inOwnLetters("B3D9C758", "000100030002", mapOf("B3D9", "C758", "0020")),
    ],
    [
      "Persian, in shapes and from left to right",
      inOwnLetters(
        "06450648062706410642",
        "00050004000300020001",
        mapOf("FEE3", "FEEE", "FE8D", "FED3", "FED6"),
      ),
    ],
    [
      "Bengali, of which its font says nothing",
      inOwnLetters("09B809AE09CD09AE09A4", "00010002", ""),
    ],
  ])("a value that our fonts lack keeps its own appearance: %s", async (_what, bytes) => {
    expect(await codes(bytes)).toEqual(["form_values", "existing_form"]);
    const [before, copy] = [await openPdf(bytes), await copyOf(bytes)];
    expect(await inspectPdf(copy)).toMatchObject({
      result: "ok",
      findings: [{ code: "existing_form" }],
    });
    const after = await openPdf(copy);
    expect(lookOf(after)).toBe(lookOf(before));
    expect(lookOf(after)).toContain("Tj");
    expect(latin(copy)).not.toContain("NeedAppearances");
  });

  test.each([
    ["other letters", inOwnLetters("541A610F", "00010001", mapOf("541A", "610F"))],
    ["a digit more", inOwnLetters("541A0039", "000100020003", mapOf("541A", "0039", "0030"))],
    ["nothing", inOwnLetters("541A610F", "", mapOf("541A", "610F"))],
  ])(
    "a value that our fonts lack is refused when its stale appearance has %s",
    async (_what, bytes) => {
      await expect(copyOf(bytes)).rejects.toMatchObject({ code: "pdf_too_complex" });
    },
  );

  test("a form whose values no font has, or that are endless, is refused with advice", async () => {
    await expect(copyOf(filled("/FT/Tx/V<FEFFE123>"))).rejects.toMatchObject({
      code: "pdf_too_complex",
    });
    await expect(inspectPdf(filled(`/FT/Tx/V(${"a".repeat(4_001)})`))).rejects.toMatchObject({
      code: "pdf_too_complex",
    });
    const many = Object.fromEntries(
      Array.from({ length: 30 }, (_item, index) => [
        100 + index,
        `<</Type/Annot/Subtype/Widget/FT/Tx/T(n${index})/V(${"a ".repeat(1_999)})/Rect[0 0 500 500]/F 4>>`,
      ]),
    );
    const pageExtra = `/Annots[${Object.keys(many)
      .map((number) => `${number} 0 R`)
      .join(" ")}]`;
    await expect(copyOf(smallPdf({ pageExtra, objects: many }))).rejects.toMatchObject({
      code: "pdf_too_complex",
    });
  });

  test("a copy that draws values is not made without fonts", async () => {
    await expect(normalisePdf(filled("/FT/Tx/V(9000 EUR)"))).rejects.toThrow(TypeError);
  });

  test("the form of a signed file has a finding and stays unchanged", async () => {
    const pki = await createTestPki();
    const signer = await pki.issue({ commonName: "Alice" });
    const signed = await signAs(await prepareAll(filled("/FT/Tx/V(9000 EUR)")), {
      signer,
      ownerKey: "alice",
    });
    expect(await inspectPdf(signed)).toMatchObject({ result: "ok" });
    expect(await codes(signed)).toContain("form_values");
    const elsewhere = await signFreely(filled("/FT/Tx/V(9000 EUR)/AP<</N 21 0 R>>", STALE), {
      cms: (covered) => sealed({ signer, tsa: pki.tsa }, covered),
    });
    expect(lastObject(await prepareAll(elsewhere), "/SigFlags").syntax).toContain(
      "NeedAppearances",
    );
  });
});

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
  // A mark or a bar code has only lines.
  expect(says("", "9000", true)).toBe(false);
  expect(says("100", "9000", true)).toBe(true);
});

test("an appearance longer than any field differs from the value", () => {
  expect(says(`${" ".repeat(40_001)}100`, "100")).toBe(true);
});
