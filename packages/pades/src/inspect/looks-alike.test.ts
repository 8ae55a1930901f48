import { PdfDict, type PdfNumber } from "@libpdf/core";
import { describe, expect, test } from "vitest";
import { latin } from "../../testing/forge.ts";
import { type SmallPdfOptions, smallPdf } from "../../testing/small-pdf.ts";
import { arrayAt, follow, nameAt, numberAt, type OpenPdf, openPdf } from "../pdf/open-pdf.ts";
import { pageAt } from "../pdf/page-geometry.ts";
import { inspectPdf } from "./inspect-pdf.ts";
import { normalisePdf } from "./normalise-pdf.ts";
import { eachDict } from "../pdf/walk-objects.ts";

const stream = (data: string, entries = ""): string =>
  `<<${entries}/Length ${data.length}>>\nstream\n${data}\nendstream`;
const LOOK = "/Type/XObject/Subtype/Form/BBox[0 0 595 842]/Resources<</Font<</F1 5 0 R>>>>";
const cover = stream("1 g 0 0 595 842 re f 0 g BT /F1 18 Tf 72 600 Td (FAUX) Tj ET", LOOK);
const nothing = stream("", "/Type/XObject/Subtype/Form/BBox[0 0 9 9]");
const annotated = (entries: string, more: SmallPdfOptions = {}): Uint8Array =>
  smallPdf({
    pageExtra: "/Annots[20 0 R]",
    ...more,
    objects: { 20: `<</Type/Annot${entries}>>`, 21: cover, 22: nothing, ...more.objects },
  });
const codes = async (bytes: Uint8Array): Promise<readonly string[]> =>
  (await inspectPdf(bytes)).findings.map(({ code }) => code);
const looked = (open: OpenPdf): PdfDict => {
  const [first] = arrayAt(open, pageAt(open, 1).dict, "Annots")?.toArray() ?? [];
  const annotation = follow(open, first);
  if (!(annotation instanceof PdfDict)) throw new Error("Expected an annotation");
  return annotation;
};

/** Expects a file that is said to differ between readers; gives the copy, of which nothing of the kind is said. */
async function settled(bytes: Uint8Array, code: string): Promise<OpenPdf> {
  expect(await inspectPdf(bytes)).toMatchObject({ result: "fixable" });
  expect(await codes(bytes)).toContain(code);
  const copy = await normalisePdf(bytes);
  expect(await codes(copy)).not.toContain(code);
  expect(await inspectPdf(copy)).toMatchObject({ result: "ok" });
  return openPdf(copy);
}

describe("a page tree", () => {
  const tree = (parent: string, more: Readonly<Record<number, string>> = {}): Uint8Array =>
    smallPdf({
      objects: {
        2: "<</Type/Pages/Kids[3 0 R]/Count 1/Rotate 90>>",
        3: `<</Type/Page${parent}/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>`,
        33: "<</Type/Pages/Kids[3 0 R]/Count 1/Rotate 180>>",
        ...more,
      },
    });

  test.each([
    ["names another node than the one that lists it", tree("/Parent 33 0 R")],
    ["names none", tree("")],
  ])("the copy repairs a page tree where a page %s", async (_what, bytes) => {
    const open = await settled(bytes, "structure_rebuilt");
    expect(pageAt(open, 1).rotation).toBe(90);
  });

  test("the copy repairs a page tree whose root has a parent", async () => {
    const bytes = tree("/Parent 2 0 R", { 2: "<</Type/Pages/Kids[3 0 R]/Count 1/Parent 33 0 R>>" });
    expect(pageAt(await settled(bytes, "structure_rebuilt"), 1).rotation).toBe(0);
  });

  test("a consistent page tree is left alone", async () => {
    expect(await inspectPdf(tree("/Parent 2 0 R"))).toMatchObject({ result: "ok", findings: [] });
  });
});

describe("what readers draw differently", () => {
  const link = "/Subtype/Link/Rect[0 500 595 842]/F 4/C[1 1 1]/Dest[3 0 R/Fit]";
  test.each([
    "/Border[0 0 400]",
    "/BS<</W 400/S/S>>",
    "/Border[0 0 0]/BS<</W 4>>",
    "/Border[0 0 (9)]",
    "/Border[0 0 -9]",
  ])(
    "a link with a covering border has none in the copy, and keeps its target: %s",
    async (border) => {
      const open = await settled(annotated(link + border), "reader_dependent");
      const found = looked(open);
      expect([found.has("Dest"), found.has("BS")]).toEqual([true, false]);
      expect(
        arrayAt(open, found, "Border")
          ?.toArray()
          .map((item) => (item as PdfNumber).value),
      ).toEqual([0, 0, 0]);
    },
  );

  test.each([
    "",
    "/Border[0 0 1]",
    "/Border[0 0 0]",
    "/Border[0 0]",
    "/BS<</W 3>>",
    "/Border[0 0 0]/BS<</S/U>>",
  ])("a link with a thin border is accepted: %s", async (border) => {
    expect(await inspectPdf(annotated(link + border))).toMatchObject({
      result: "ok",
      findings: [],
    });
  });

  const form = { catalogExtra: "/AcroForm<</Fields[20 0 R]>>" };
  const field = "/Subtype/Widget/FT/Tx/T(x)/V(FAUX)/Rect[0 0 595 842]/AP<</N 21 0 R>>";
  test.each([
    [36, 6, form],
    [36, 6, {}],
    [0, 4, form],
    [260, 4, form],
  ])(
    "the copy of a field with the flags %i shows what the screen does",
    async (flags, wanted, options) => {
      const open = await settled(annotated(`${field}/F ${flags}`, options), "reader_dependent");
      expect(numberAt(open, looked(open), "F")).toBe(wanted);
    },
  );

  test.each(["/F 4", "/F 2", "/F 38", "/F 32"])(
    "a field shown alike on screen and paper is accepted: %s",
    async (flags) => {
      expect(await codes(annotated(field + flags, form))).toEqual(["existing_form"]);
    },
  );

  test("an attachment icon that is only printed is a finding", async () => {
    await settled(
      annotated("/Subtype/FileAttachment/Rect[0 0 595 842]/AP<</N 21 0 R>>/F 36"),
      "reader_dependent",
    );
  });

  const button = "/Subtype/Widget/FT/Btn/Rect[0 0 595 842]/F 4/AP<</N<</Oui 21 0 R/Off 22 0 R>>>>";
  test.each([
    ["its value's", `${button}/T(x)/V/Oui`, "Oui"],
    ["none where it has no value", `${button}/T(x)`, "Off"],
    ["none where its value is no state", `${button}/T(x)/V/Autre`, "Off"],
    ["its group's value", `${button}/Parent 23 0 R`, "Oui"],
  ])(
    "a button without a chosen state gets one in the copy: %s",
    async (_what, entries, state) => {
      const group = "<</FT/Btn/T(x)/V/Oui/Kids[20 0 R]>>";
      const options = entries.includes("Parent")
        ? { catalogExtra: "/AcroForm<</Fields[23 0 R]>>", objects: { 23: group } }
        : form;
      const open = await settled(annotated(entries, options), "reader_dependent");
      expect(nameAt(open, looked(open), "AS")).toBe(state);
    },
  );

  test("a button with a chosen state is accepted", async () => {
    expect(await codes(annotated(`${button}/T(x)/V/Oui/AS/Off`, form))).toEqual(["existing_form"]);
  });

  test.each(["45", "/Droite", "90.5"])(
    "an invalid rotation is removed in the copy: /Rotate %s",
    async (turn) => {
      const bytes = smallPdf({ pageExtra: `/Rotate ${turn}` });
      const open = await settled(bytes, "reader_dependent");
      expect(numberAt(open, pageAt(open, 1).dict, "Rotate")).toBe(0);
    },
  );

  const boxless = cover.replace("/BBox[0 0 595 842]", "");
  test.each([
    ["a look without a box", "/N 21 0 R", boxless],
    ["a look with a box of three numbers", "/N 21 0 R", cover.replace("595 842]", "595]")],
    ["a look by state without a box", "/N<</Oui 21 0 R/Off 22 0 R>>", boxless],
    ["a look under the pointer without a box", "/N 22 0 R/R 21 0 R", boxless],
  ])("the copy removes %s", async (_what, looks, object) => {
    const field = `/Subtype/Widget/FT/Btn/Ff 65536/T(x)/AS/Oui/Rect[10 10 11 11]/F 4/AP<<${looks}>>`;
    const open = await settled(
      annotated(field, { ...form, objects: { 21: object } }),
      "reader_dependent",
    );
    expect(looked(open).has("AP")).toBe(false);
    expect(await codes(annotated(field, form))).toEqual(["existing_form"]);
  });

  test("a form without a BBox is shown whole in the copy", async () => {
    const called = (object: string): Uint8Array =>
      smallPdf({
        objects: {
          3: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>/XObject<</Q 21 0 R>>>>>>",
          4: stream("/Q Do"),
          21: object,
        },
      });
    const open = await settled(called(boxless), "reader_dependent");
    const copied = [...eachDict(open)].find((dict) => nameAt(open, dict, "Subtype") === "Form");
    expect(copied && arrayAt(open, copied, "BBox")?.length).toBe(4);
    expect(await codes(called(cover))).toEqual([]);
    expect(await codes(called(stream("", "/Type/XObject/Subtype/Form")))).toEqual([]);
  });

  const shown = (object: string): Uint8Array =>
    smallPdf({ pageExtra: "/PieceInfo<</X 20 0 R>>", objects: { 20: object } });
  const inverted = "<</FunctionType 2/Domain[0 1]/C0[1]/C1[0]/N 1>>";
  test.each([
    ["a program in PostScript", shown(stream("showpage", "/Type/XObject/Subtype/PS")), "showpage"],
    [
      "a form with such a program",
      shown(stream("", "/Subtype/Form/BBox[0 0 9 9]/Subtype2/PS/PS 4 0 R")),
      "Subtype2",
    ],
    [
      "an image that stands for another",
      shown(stream("", "/Subtype/Form/BBox[0 0 9 9]/OPI<</2.0<</F(a.tif)>>>>")),
      "OPI",
    ],
    ["a function of every colour", shown(`<</ExtGState<</G<</TR ${inverted}>>>>>>`), "/TR"],
    [
      "such a function, with a mask's entries",
      shown(`<</ExtGState<</G<</S/Luminosity/G 4 0 R/TR2[${inverted}]>>>>>>`),
      "/TR2",
    ],
    [
      "a shading's own function of every colour",
      shown(`<</PatternType 2/ExtGState<</TR ${inverted}>>>>`),
      "/TR",
    ],
  ])("the copy removes %s", async (_what, bytes, gone) => {
    await settled(bytes, "reader_dependent");
    expect(latin(await normalisePdf(bytes))).not.toContain(gone);
  });

  test.each([
    ["colours as they are", "<</ExtGState<</G<</TR/Identity/TR2/Default>>>>>>"],
    ["a mask's function", `<</ExtGState<</G<</SMask<</S/Luminosity/G 4 0 R/TR ${inverted}>>>>>>>>`],
    ["a row of a table", "<</RoleMap<</TR/P>>/ClassMap<</TR<</O/Table>>>>>>"],
  ])("%s are accepted unchanged", async (_what, object) => {
    expect(await codes(shown(object))).toEqual([]);
  });
});
