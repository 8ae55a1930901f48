import { expect, test } from "vitest";
import { FRENCH_FORMS } from "../../testing/french-forms.ts";
import { smallPdf, stream } from "../../testing/small-pdf.ts";
import { TEST_NOW } from "../../testing/test-pki.ts";
import { openPdf } from "../pdf/open-pdf.ts";
import { pageAt } from "../pdf/page-geometry.ts";
import { annotationsOf } from "./flatten-annotations.ts";
import { pageContent } from "./flatten-layers.ts";
import { inspectPdf } from "./inspect-pdf.ts";
import { findForm, takeForm } from "./take-form.ts";

const take = (bytes: Uint8Array, covers: Parameters<typeof takeForm>[1]["covers"] = []) =>
  takeForm(bytes, { covers, at: TEST_NOW });
const contentOf = async (bytes: Uint8Array) => {
  const open = await openPdf(bytes);
  return pageContent(open, pageAt(open, 1).dict);
};

test.each(FRENCH_FORMS)("the form of « $name » is gone in one sound update", async ({ bytes }) => {
  const taken = await take(bytes);
  expect(Buffer.from(taken.subarray(0, bytes.length)).equals(Buffer.from(bytes))).toBe(true);
  const open = await openPdf(taken);
  expect(open.catalog.has("AcroForm")).toBe(false);
  expect(annotationsOf(open, pageAt(open, 1).dict)).toEqual([]);
  const { result, findings } = await inspectPdf(taken);
  expect([result, findings.filter(({ code }) => code === "existing_form")]).toEqual(["ok", []]);
  expect(await findForm(taken)).toEqual({ state: "taken", fields: [], isCut: false });
});

const look = (content: string) => stream("/Type/XObject/Subtype/Form/BBox[0 0 99 20]", content);
const widget = (more: string, bottom: number) =>
  `<</Type/Annot/Subtype/Widget/F 4/Rect[50 ${bottom} 149 ${bottom + 20}]${more}>>`;
const VALUES = smallPdf({
  catalogExtra: "/AcroForm<</Fields[20 0 R 21 0 R 22 0 R]>>",
  pageExtra: "/Annots[20 0 R 21 0 R 22 0 R 23 0 R]",
  objects: {
    20: widget("/FT/Tx/T(a)/V(ancien)/MK<</BC[1 0 0]>>/AP<</N 30 0 R>>", 600),
    21: widget("/FT/Tx/T(b)/Ff 1/V(fixe)/AP<</N 31 0 R>>", 500),
    22: widget("/FT/Btn/T(c)/AS/On/AP<</N<</On 32 0 R/Off 33 0 R>>>>", 400),
    23: "<</Type/Annot/Subtype/Link/Rect[50 50 99 99]/A<</S/URI/URI(https://exemple.fr)>>>>",
    30: look("BT (ancien) Tj ET"),
    31: look("BT (fixe) Tj ET").replace("/Type/XObject/Subtype/Form", ""),
    32: look("0 0 9 9 re f"),
    33: look("0 0 9 9 re S"),
  },
});

test("a field to fill in shows its frame or its empty state, any other its value", async () => {
  const found = await findForm(VALUES);
  expect(found.fields.map(({ type, value }) => [type, value])).toEqual([
    ["text", "ancien"],
    ["checkbox", "Oui"],
  ]);
  const open = await openPdf(await take(VALUES));
  const page = pageAt(open, 1).dict;
  const painted = [...pageContent(open, page).matchAll(/\/(\S+) Do/g)].length;
  expect(painted).toBe(2);
  expect(pageContent(open, page)).toContain("1 0 0 RG");
  expect(annotationsOf(open, page)).toHaveLength(1);
});

test("a cover lies over the page in the colour behind it, on a turned page too", async () => {
  const cover = { pageNumber: 1, x: 0.5, y: 0.25, width: 0.1, height: 0.1 } as const;
  const bytes = smallPdf({ rotate: 90 });
  const content = await contentOf(await take(bytes, [{ ...cover, ground: [0, 0.5, 1] }]));
  expect(content).toContain("q 0 0.5 1 rg 148.75 421 59.5 84.2 re f Q");
  expect(content.startsWith("q")).toBe(true);
});

test("a signed file keeps its form", async () => {
  const signed = smallPdf({
    catalogExtra: "/AcroForm<</Fields[20 0 R]>>",
    pageExtra: "/Annots[20 0 R]",
    objects: { 20: widget("/FT/Sig/T(s)/V<</Type/Sig>>", 500) },
  });
  expect(await findForm(signed)).toEqual({ state: "signed", fields: [], isCut: false });
});
