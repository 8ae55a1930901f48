import { inspectPdf, normalisePdf } from "@paraphe/pades";
import { describe, expect, test } from "vitest";
import { smallPdf } from "../../../../../packages/pades/testing/small-pdf.ts";
import { UNDRAWN, undrawnPdf } from "../../../../../packages/pades/testing/undrawn-annotations.ts";
import { makePdf } from "../../../testing/pdf.ts";
import { loadFonts } from "../fonts/load-fonts.ts";
import { compareLooks } from "./compare-looks.ts";

const never = () => false;
const compare = (original: Uint8Array, copy: Uint8Array, pageCount = 1, from = 1) =>
  compareLooks({ original, copy, pageCount, from }, never);
const page = (content: string) =>
  smallPdf({ objects: { 4: `<</Length ${content.length}>>\nstream\n${content}\nendstream` } });

/** PDFium draws other kinds with its own letters or corners, or not at all. */
const BY_PDFIUM = ["Square", "Circle", "Highlight", "Underline", "StrikeOut", "Ink", "Text"];

describe("a corrected copy, beside its original", () => {
  test.each(BY_PDFIUM)("shows a %s without an appearance as PDFium does", async (kind) => {
    const original = undrawnPdf([[kind, UNDRAWN[kind] ?? ""]]);
    const copy = await normalisePdf(original, { fonts: await loadFonts() });
    expect((await compare(original, copy)).difference?.place).toBeUndefined();
    // The picture has the annotation.
    expect((await compare(original, smallPdf())).difference).toMatchObject({ pageNumber: 1 });
  });

  test.each(Object.keys(UNDRAWN).filter((kind) => !BY_PDFIUM.includes(kind)))(
    "shows a %s, which PDFium draws otherwise or not at all",
    async (kind) => {
      const original = undrawnPdf([[kind, UNDRAWN[kind] ?? ""]]);
      const copy = await normalisePdf(original, { fonts: await loadFonts() });
      expect((await compare(original, copy)).difference).toMatchObject({ pageNumber: 1 });
      expect((await inspectPdf(copy)).result).toBe("ok");
    },
  );
});

describe("two files compared", () => {
  test("two files that differ by a comma differ at its place", async () => {
    const [one, other] = [
      page("BT /F1 12 Tf 100 600 Td (1,00) Tj ET"),
      page("BT /F1 12 Tf 100 600 Td (1.00) Tj ET"),
    ];
    const { difference } = await compare(one, other);
    expect(difference?.place.x).toBeCloseTo(0.18, 1);
    expect(difference?.place.y).toBeCloseTo(1 - 600 / 842, 1);
    expect(difference?.place.height).toBeLessThan(0.01);
    expect(await compare(one, one)).toEqual({ through: 1, unread: [], difference: null });
  });

  test("a pale watermark is a difference", async () => {
    const pale = page("0.96 g BT /F1 60 Tf 100 400 Td (COPIE) Tj ET");
    expect((await compare(pale, smallPdf())).difference).toMatchObject({ pageNumber: 1 });
  });

  test("another page size is a difference", async () => {
    const { difference } = await compare(makePdf(), makePdf({ width: 842, height: 595 }));
    expect(difference?.place).toEqual({ x: 0, y: 0, width: 1, height: 1 });
  });

  test("pages are compared to the first difference, and then from the next page", async () => {
    const [one, other] = [makePdf({ pages: 3 }), makePdf({ pages: 3, text: "Contrat de vente" })];
    expect(await compare(one, other, 3)).toMatchObject({
      through: 1,
      difference: { pageNumber: 1 },
    });
    expect(await compare(one, other, 3, 3)).toMatchObject({
      through: 3,
      difference: { pageNumber: 3 },
    });
  });

  test("pages are compared for as long as there is time, at least one", async () => {
    const bytes = makePdf({ pages: 3 });
    expect(
      await compareLooks({ original: bytes, copy: bytes, pageCount: 3, from: 2 }, () => true),
    ).toMatchObject({ through: 2 });
  });

  test("a page that cannot be drawn is reported as not compared", async () => {
    expect(await compare(makePdf(), new TextEncoder().encode("rien"), 2)).toEqual({
      through: 2,
      unread: [1, 2],
      difference: null,
    });
    expect(await compare(makePdf(), makePdf(), 2)).toMatchObject({ unread: [2] });
  });

  test("differing pages are PNG of a hundred dots an inch", async () => {
    const { difference } = await compare(
      page("1 0 0 rg 0 0 595 842 re f"),
      page("0 0 1 rg 0 0 595 842 re f"),
    );
    const header = Buffer.from(difference?.original ?? []);
    expect([header.readUInt32BE(16), header.readUInt32BE(20)]).toEqual([826, 1169]);
  });
});
