import { expect, test } from "vitest";
import { prepareAll, PLACEMENTS } from "../../testing/sign-flow.ts";
import { smallPdf } from "../../testing/small-pdf.ts";
import { inspectPdf } from "./inspect-pdf.ts";

test.each([
  ["as it is", {}],
  ["turned by 90°", { rotate: 90 }],
  ["turned by 180°", { rotate: 180, cropBox: "20 30 500 700" }],
  ["turned by 270°", { rotate: 270, userUnit: 1.5, inherited: true }],
])("the fields of a page %s are found where they are displayed", async (_, shape) => {
  const { takenOnLastPage, formPlaces } = await inspectPdf(await prepareAll(smallPdf(shape)));
  const rounded = (places: readonly { x: number; y: number; width: number; height: number }[]) =>
    places
      .map(({ x, y, width, height }) => [x, y, width, height].map((value) => value.toFixed(3)))
      .toSorted();
  expect(rounded(takenOnLastPage)).toEqual(rounded(PLACEMENTS));
  expect(rounded(formPlaces)).toEqual(rounded(PLACEMENTS));
  expect(new Set(formPlaces.map(({ pageNumber }) => pageNumber))).toEqual(new Set([1]));
});

test("hidden, empty and invalid rectangles take no place", async () => {
  const annotation = (rest: string) => `<</Type/Annot/Subtype/Link${rest}>>`;
  const pageExtra = `/Annots[${annotation("/F 2/Rect[9 9 99 99]")}${annotation("/Rect[9 9 9 99]")}${annotation("/Rect[9 9 99]")}${annotation("/Rect[9/a 99 99]")}${annotation("/Rect[99 99 9 9]")}]`;
  expect((await inspectPdf(smallPdf({ pageExtra }))).takenOnLastPage).toHaveLength(1);
  expect((await inspectPdf(smallPdf())).takenOnLastPage).toEqual([]);
});

test("links and notes are coverable, fields and signatures are not", async () => {
  const annotation = (subtype: string, left: number) =>
    `<</Type/Annot/Subtype/${subtype}/Rect[${left} 9 ${left + 20} 99]>>`;
  const many = Array.from({ length: 600 }, () => annotation("Link", 300)).join("");
  const pageExtra = `/Annots[${annotation("Link", 10)}${annotation("Widget", 50)}${annotation("FreeText", 90)}${many}${annotation("Widget", 200)}]`;
  const { takenOnLastPage, formPlaces } = await inspectPdf(smallPdf({ pageExtra }));
  expect(formPlaces).toHaveLength(2);
  expect(takenOnLastPage.filter(({ coverable }) => !coverable)).toHaveLength(2);
  expect(takenOnLastPage.filter(({ coverable }) => coverable)).toHaveLength(500);
});

test("the first fields of an endless form are listed", async () => {
  const widgets = Array.from(
    { length: 2_100 },
    () => "<</Type/Annot/Subtype/Widget/Rect[9 9 99 99]>>",
  ).join("");
  const hidden = Array.from(
    { length: 20_001 },
    () => "<</Type/Annot/Subtype/Widget/F 2/Rect[9 9 99 99]>>",
  ).join("");
  expect(
    (await inspectPdf(smallPdf({ pageExtra: `/Annots[${widgets}]` }))).formPlaces,
  ).toHaveLength(2_000);
  expect(
    (await inspectPdf(smallPdf({ pageExtra: `/Annots[${hidden}${widgets}]` }))).formPlaces,
  ).toEqual([]);
});
