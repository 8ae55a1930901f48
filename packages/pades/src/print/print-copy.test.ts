import { expect, test } from "vitest";
import { PREFIX, STROKES, signAs } from "../../testing/sign-flow.ts";
import { smallPdf } from "../../testing/small-pdf.ts";
import { TEST_FONTS } from "../../testing/test-fonts.ts";
import { createTestPki } from "../../testing/test-pki.ts";
import { inspectPdf } from "../inspect/inspect-pdf.ts";
import { latinText } from "../pdf/byte-reader.ts";
import { openPdf, textAt } from "../pdf/open-pdf.ts";
import { prepareFields } from "../sign/prepare-fields.ts";
import { addPrintMarks, balanceContent, flattenForPrint } from "./print-copy.ts";

const FONTS = { ...TEST_FONTS, title: TEST_FONTS.text[0] as Uint8Array };
const FIELD = {
  ownerKey: "a",
  pageNumber: 1,
  x: 0.1,
  y: 0.5,
  width: 0.4,
  height: 0.1,
  label: "Signature",
  tooltip: "Signature",
} as const;

async function signed(): Promise<Uint8Array> {
  const fields = [
    { ...FIELD, name: "s", type: "signature" },
    { ...FIELD, name: "t", type: "text", y: 0.7 },
  ] as const;
  const prepared = await prepareFields(smallPdf(), {
    namePrefix: PREFIX,
    fonts: TEST_FONTS,
    fields,
  });
  const signer = await (await createTestPki()).issue({ commonName: "Zoé Œuvrard" });
  const ownFields = [
    { name: "s", type: "signature", value: null },
    { name: "t", type: "text", value: "Lu et approuvé" },
  ] as const;
  return signAs(prepared, {
    signer,
    ownerKey: "a",
    options: { ownFields, mark: STROKES, lines: ["Zoé Œuvrard"] },
  });
}

test("a print copy has its pages and title, no signature and no form", async () => {
  const copy = await flattenForPrint(await signed(), {
    fonts: TEST_FONTS,
    title: "Copie à imprimer",
  });
  expect(latinText(copy)).not.toMatch(/\/ByteRange|\/AcroForm|\/Contents\s*</);
  expect(await inspectPdf(copy)).toMatchObject({
    result: "ok",
    pageCount: 1,
    signatureCount: 0,
    findings: [],
    formPlaces: [],
  });
  const open = await openPdf(copy);
  const info = open.pdf.context.resolve(open.trailer.getRef("Info") as never) as never;
  expect(textAt(open, info, "Title")).toBe("Copie à imprimer");
});

test("marks are added in an update, and pages at the end", async () => {
  const flat = await flattenForPrint(await signed(), { fonts: TEST_FONTS, title: "Copie" });
  const frame = { x: 400, y: 700, width: 60, height: 60 };
  const marks = {
    codes: [
      {
        modules: [
          [true, false],
          [false, true],
        ],
        frame,
      },
    ],
    texts: [{ lines: ["Vérifier\u00a0: sign.exemple.fr"], frame, size: 8 }],
  };
  const copy = await addPrintMarks(flat, {
    pages: [{ pageNumber: 1, scale: 0.9, margin: "bottom", ...marks }],
    added: [{ width: 595, height: 842, ...marks }],
    fonts: FONTS,
  });
  expect(copy.subarray(0, flat.length)).toEqual(flat);
  expect(await inspectPdf(copy)).toMatchObject({
    result: "ok",
    pageCount: 2,
    pages: [
      { width: 595, height: 842 },
      { width: 595, height: 842, rotation: 0 },
    ],
  });
});

test("a mark on a missing page is refused", async () => {
  const flat = await flattenForPrint(smallPdf(), { fonts: TEST_FONTS, title: "Copie" });
  const pages = [{ pageNumber: 2, scale: 1, margin: "bottom", codes: [], texts: [] }] as const;
  await expect(addPrintMarks(flat, { pages, added: [], fonts: FONTS })).rejects.toMatchObject({
    code: "field_not_found",
  });
});

test("a character that no font has does not prevent a copy", async () => {
  const flat = await flattenForPrint(smallPdf(), { fonts: TEST_FONTS, title: "Copie" });
  const texts = [
    {
      lines: ["Bail \u{1f3e0} 家"],
      frame: { x: 10, y: 10, width: 200, height: 20 },
      size: 8,
      face: "title",
    },
  ] as const;
  const copy = await addPrintMarks(flat, {
    pages: [{ pageNumber: 1, scale: 1, margin: "bottom", codes: [], texts }],
    added: [],
    fonts: FONTS,
  });
  expect(await inspectPdf(copy)).toMatchObject({ result: "ok", pageCount: 1 });
});

test("balanced content stays as it is", () => {
  expect(balanceContent("q 1 0 0 1 5 5 cm (Q) Tj Q")).toEqual({
    text: "q 1 0 0 1 5 5 cm (Q) Tj Q",
    isChanged: false,
    open: 0,
  });
});

test("saved states left open are counted", () => {
  expect(balanceContent("q q 0 g Q q")).toMatchObject({ isChanged: false, open: 2 });
});

test("an unmatched restore is removed, and what follows keeps its state", () => {
  const { text, isChanged, open } = balanceContent("2 0 0 2 0 0 cm Q 0 0 10 10 re f q Q Q q");
  expect(text.split(/\s+/).join(" ")).toBe("2 0 0 2 0 0 cm 0 0 10 10 re f q Q q");
  expect([isChanged, open]).toEqual([true, 1]);
});
