import { expect, test } from "vitest";
import { PdfDict } from "@libpdf/core";
import { prepareAll } from "../../testing/sign-flow.ts";
import { smallPdf } from "../../testing/small-pdf.ts";
import { freeNumbers } from "./walk-objects.ts";
import { beginUpdate } from "./incremental-update.ts";
import { follow, openPdf } from "./open-pdf.ts";

const numbers = async (bytes: Uint8Array) => freeNumbers(await openPdf(bytes));

test("a new object's number is above every reference of the file and its trailers", async () => {
  expect(await numbers(smallPdf())).toEqual({ from: 6, missing: [] });
  expect(await numbers(smallPdf({ pageExtra: "/PieceInfo<</X[[9 0 R]]>>" }))).toEqual({
    from: 10,
    missing: [9],
  });
  expect(await numbers(smallPdf({ trailerExtra: "/AdditionalStreams[/x 7 0 R]" }))).toEqual({
    from: 8,
    missing: [7],
  });
});

test("references in earlier trailers count", async () => {
  const open = await openPdf(smallPdf({ trailerExtra: "/AdditionalStreams[/x 7 0 R]" }));
  const update = beginUpdate(open);
  update.put(open.catalogRef.objectNumber, "<</Type/Catalog/Pages 2 0 R/Lang(fr)>>");
  const { bytes } = update.finish();
  expect((await openPdf(bytes)).trailer.has("AdditionalStreams")).toBe(false);
  expect(await numbers(bytes)).toEqual({ from: 8, missing: [7] });
});

test("a number too large to be met, or of another generation, makes no room", async () => {
  expect(await numbers(smallPdf({ pageExtra: "/PieceInfo[9000000 0 R 8 3 R]" }))).toEqual({
    from: 9,
    missing: [],
  });
});

test("a missing object stays null when fields are prepared", async () => {
  const open = await openPdf(
    await prepareAll(smallPdf({ pageExtra: "/PieceInfo<</X 6 0 R>>/Metadata 8 0 R" })),
  );
  const [page] = open.pdf.context.pages.getPages().map((ref) => follow(open, ref));
  expect(page instanceof PdfDict && follow(open, page.get("Metadata"))).toBeUndefined();
  expect([6, 8].map((number) => open.entries.has(number))).toEqual([true, true]);
});

test("a direct information dictionary becomes an object, once", async () => {
  const first = await prepareAll(smallPdf({ trailerExtra: "/Info<</Title(Bail)>>" }));
  const second = beginUpdate(await openPdf(first));
  second.put(5, "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>");
  const [before, after] = [await openPdf(first), await openPdf(second.finish().bytes)];
  const info = before.trailer.getRef("Info");
  expect(follow(before, info)).toBeInstanceOf(PdfDict);
  expect(after.trailer.getRef("Info")).toBe(info);
});
