import { describe, expect, test } from "vitest";
import { PDF } from "@libpdf/core";
import { packedPdf } from "../../testing/packed-pdf.ts";
import { prepareAll } from "../../testing/sign-flow.ts";
import { smallPdf, streamXrefPdf } from "../../testing/small-pdf.ts";
import { latinBytes } from "../pdf/incremental-update.ts";
import { latinText } from "../pdf/byte-reader.ts";
import { quietly } from "../pdf/obey-xref.ts";
import { inspectPdf } from "./inspect-pdf.ts";
import { normalisePdf } from "./control-pdf.ts";

const latin = (bytes: Uint8Array): string => new TextDecoder("latin1").decode(bytes);

test.each([
  [
    "a field that is its own child",
    {
      catalogExtra: "/AcroForm<</Fields[6 0 R]>>",
      objects: { 6: "<</FT/Tx/T(a)/Kids[6 0 R]>>" },
    },
  ],
  [
    "a field that is its grandparent's parent",
    {
      catalogExtra: "/AcroForm<</Fields[6 0 R]>>",
      objects: { 6: "<</FT/Tx/T(a)/Kids[7 0 R]>>", 7: "<</T(b)/Kids[<</T(c)/Kids[6 0 R]>>]>>" },
    },
  ],
  [
    "a structure element that holds the root",
    {
      catalogExtra: "/StructTreeRoot 6 0 R",
      objects: { 6: "<</K[7 0 R]>>", 7: "<</S/P/P 6 0 R/K 6 0 R>>" },
    },
  ],
])("a file that readers read differently is refused: %s", async (_what, options) => {
  await expect(inspectPdf(smallPdf(options))).rejects.toMatchObject({
    name: "PadesError",
    code: "pdf_damaged",
  });
});

test.each([
  [
    "a form",
    {
      catalogExtra: "/AcroForm 6 0 R",
      objects: { 6: "<</Fields[]/Length 2>>\nstream\nBT\nendstream" },
    },
  ],
  [
    "a field",
    {
      catalogExtra: "/AcroForm<</Fields[6 0 R]>>",
      objects: { 6: "<</FT/Tx/T(f)/Length 2>>\nstream\nBT\nendstream" },
    },
  ],
  [
    "an annotation",
    {
      pageExtra: "/Annots[6 0 R]",
      objects: { 6: "<</Subtype/Text/Length 2>>\nstream\nBT\nendstream" },
    },
  ],
  [
    "a page",
    {
      objects: {
        3: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 3 0 R/Length 2>>\nstream\nBT\nendstream",
      },
    },
  ],
])("a file is refused when %s is a stream", async (_what, options) => {
  const file = smallPdf(options);
  await expect(inspectPdf(file)).rejects.toMatchObject({
    name: "PadesError",
    code: "pdf_damaged",
  });
});

test("fields are not added to a form or page that is a stream, whose data would be lost", async () => {
  const stream = "/Length 2>>\nstream\nBT\nendstream";
  const form = smallPdf({
    catalogExtra: "/AcroForm 6 0 R",
    objects: { 6: `<</Fields[]${stream}` },
  });
  const page = smallPdf({
    objects: { 3: `<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 3 0 R${stream}` },
  });
  for (const file of [form, page])
    await expect(prepareAll(file)).rejects.toMatchObject({ code: "pdf_damaged" });
});

test("two branches that share a leaf are accepted", async () => {
  const shared = smallPdf({
    catalogExtra: "/StructTreeRoot 6 0 R",
    objects: {
      6: "<</K[7 0 R 8 0 R]>>",
      7: "<</S/P/P 6 0 R/K[9 0 R]>>",
      8: "<</S/P/P 6 0 R/K[9 0 R]>>",
      9: "<</S/Span/P 7 0 R>>",
    },
  });
  expect(await inspectPdf(shared)).toMatchObject({ result: "ok" });
});

test("a file whose cross-reference points beside every object is rewritten", async () => {
  const whole = latin(smallPdf());
  const astray = latinBytes(
    whole.replace(
      /^(\d{10}) 00000 n/gm,
      (_entry, offset) => `${String(Number(offset) + 5).padStart(10, "0")} 00000 n`,
    ),
  );
  expect(await inspectPdf(astray)).toMatchObject({
    result: "fixable",
    findings: [{ code: "structure_rebuilt" }],
    pageCount: 1,
  });
  expect(await inspectPdf(await normalisePdf(astray))).toMatchObject({
    result: "ok",
    findings: [],
  });
});

test("an unknown encryption is refused as encrypted", async () => {
  const sealed = latinBytes(
    latin(smallPdf({ objects: { 6: "<</Filter/Unheard/V 9>>" } })).replace(
      "/Root",
      "/Encrypt 6 0 R/Root",
    ),
  );
  await expect(inspectPdf(sealed)).rejects.toMatchObject({
    name: "PadesError",
    code: "pdf_encrypted",
  });
});

test("a stream without a Length is rewritten", async () => {
  const endless = smallPdf({
    objects: { 4: "<<>>\nstream\nBT /F1 24 Tf 72 700 Td (Contrat) Tj ET\nendstream" },
  });
  expect(await inspectPdf(endless)).toMatchObject({
    result: "fixable",
    findings: [{ code: "structure_rebuilt", count: 1 }],
  });
  expect(await inspectPdf(await normalisePdf(endless))).toMatchObject({
    result: "ok",
    findings: [],
  });
});

test.each([3, 6, 8])(
  "a file with offsets of %i bytes is signed or rewritten, and stays readable",
  async (width) => {
    const wide = streamXrefPdf(width);
    const { result } = await inspectPdf(wide);
    const taken = result === "ok" ? wide : await normalisePdf(wide);
    expect(await inspectPdf(await prepareAll(taken))).toMatchObject({
      result: "ok",
      pageCount: 1,
    });
  },
);

describe("a structure that readers take in two ways", () => {
  const whole = latin(smallPdf());
  /** Changes the text and corrects the offsets of the table. */
  const relisted = (text: string): Uint8Array => {
    const start = text.indexOf("xref\n");
    const rows = [...text.slice(0, start).matchAll(/^[+0]*(\d+) 0+ obj/gm)].map(
      ({ index, 1: number }) => `${number} 1\n${String(index).padStart(10, "0")} 00000 n\r\n`,
    );
    return latinBytes(
      `${text.slice(0, start)}xref\n${rows.join("")}${text.slice(text.indexOf("trailer")).replace(/startxref\n\d+/, `startxref\n${start}`)}`,
    );
  };

  test.each([
    ["a size beyond any table's", whole.replace(/\/Size \d+/, "/Size 999999999999")],
    ["a size that is no number", whole.replace(/\/Size \d+/, "/Size 6 0 R")],
    ["a number with a zero before it", whole.replace("\n5 0 obj", "\n05 0 obj")],
    ["numbers with zeros before them", whole.replace("\n5 0 obj", "\n0005 00000 obj")],
  ])(
    "an ambiguous structure is rewritten when unsigned, refused when signed: %s",
    async (_what, text) => {
      const file = relisted(text);
      expect(await inspectPdf(file)).toMatchObject({
        result: "fixable",
        findings: [{ code: "structure_rebuilt" }],
        pageCount: 1,
      });
      expect(await inspectPdf(await normalisePdf(file))).toMatchObject({
        result: "ok",
        findings: [],
      });
      const signed = relisted(
        text.replace(
          "/Type/Catalog",
          "/Type/Catalog/AcroForm<</Fields[<</FT/Sig/T(s)/V<</Type/Sig/ByteRange[0 1 2 3]/Contents<00>>>>>]>>",
        ),
      );
      await expect(inspectPdf(signed)).rejects.toMatchObject({ code: "pdf_signed_and_damaged" });
    },
  );

  test("an object whose number has a sign is dropped in the copy, as some readers drop it", async () => {
    const file = relisted(whole.replace("\n5 0 obj", "\n+5 0 obj"));
    expect(await inspectPdf(file)).toMatchObject({
      result: "fixable",
      findings: [{ code: "structure_rebuilt" }],
    });
  });

  test("a file with a second catalog is rewritten", async () => {
    const file = smallPdf({ objects: { 6: "<</Type/Catalog/Pages 2 0 R/OpenAction 7 0 R>>" } });
    expect(await inspectPdf(file)).toMatchObject({
      result: "fixable",
      findings: [{ code: "structure_rebuilt" }],
    });
    expect(await inspectPdf(await normalisePdf(file))).toMatchObject({
      result: "ok",
      findings: [],
    });
  });

  test.each([
    ["itself", "6 0 R"],
    ["one that is its own", "7 0 R"],
  ])("a file is refused when an object stream extends %s", async (_what, base) => {
    const packed = latin(packedPdf());
    const circular = packed.replace("/Type/ObjStm/N 4", `/Type/ObjStm/Extends ${base}/N 4`);
    const shifted = base.length + "/Extends ".length;
    const start = circular.indexOf("7 0 obj");
    const moved = circular.replace(/startxref\n\d+/, `startxref\n${start}`).slice(0);
    const row = String.fromCharCode(1, start >> 8, start & 255, 0, 0);
    const old = String.fromCharCode(1, (start - shifted) >> 8, (start - shifted) & 255, 0, 0);
    const file = latinBytes(moved.replace(old, row));
    if (base === "6 0 R")
      expect(await inspectPdf(file)).toMatchObject({
        result: "fixable",
        findings: [{ code: "structure_rebuilt" }],
      });
    else expect(await inspectPdf(file)).toMatchObject({ pageCount: 1 });
  });
});

test("the parser writes nothing to the console, not even for undecryptable text", async () => {
  const pdf = await PDF.load(
    smallPdf({ objects: { 5: "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Note<4142>>>" } }),
  );
  pdf.setProtection({ ownerPassword: "owner" });
  const text = latinText(await pdf.save());
  const [note = ""] = /\/Note <[0-9A-F]+>/.exec(text) ?? [];
  const file = latinBytes(text.replace(note, "/Note <4142>".padEnd(note.length)));
  const said: unknown[] = [];
  const { warn } = console;
  const { write } = process.stderr;
  console.warn = (...remark: unknown[]): void => void said.push(remark);
  process.stderr.write = (remark: unknown): boolean => said.push(remark) > 0;
  try {
    expect(await inspectPdf(await normalisePdf(file))).toMatchObject({ result: "ok" });
  } finally {
    console.warn = warn;
    process.stderr.write = write;
  }
  expect(note).not.toBe("");
  expect(said).toEqual([]);
});

test("other code may write to the console while a file is parsed", () => {
  const { warn } = console;
  expect(() => quietly(() => JSON.parse("{"))).toThrow(SyntaxError);
  expect(console.warn).toBe(warn);
});

test("the object streams of an encrypted file are checked before the parser reads them", async () => {
  const pdf = await PDF.load(
    smallPdf({
      objects: { 6: "<</Type/ObjStm/N 1/First 4/Length 11>>\nstream\n9 0 [1 ) 2]\nendstream" },
      catalogExtra: "/Z 6 0 R",
    }),
  );
  pdf.setProtection({ ownerPassword: "owner" });
  const text = latinText(await pdf.save({ useXRefStream: true }));
  expect(text).toContain("/Encrypt");
  const file = withPackedObject(text);
  await expect(inspectPdf(file)).rejects.toMatchObject({ code: "pdf_damaged" });
});

/**
 * Lists object 90 as the first of the existing object stream, by a cross-reference stream of an
 * update.
 */
function withPackedObject(text: string): Uint8Array {
  const packing = Number(/(\d+) 0 obj\s*<<[^>]*\/ObjStm/.exec(text)?.[1]);
  const previous = Number(/startxref\s+(\d+)\s+%%EOF\s*$/.exec(text)?.[1]);
  const [encrypt] = /\/Encrypt (?:\d+ 0 R)/.exec(text) ?? [""];
  const [id] = /\/ID\s*\[[^\]]*\]/.exec(text) ?? [""];
  const [root] = /\/Root \d+ 0 R/.exec(text) ?? [""];
  const start = text.length;
  const data = String.fromCharCode(
    2,
    packing >> 8,
    packing & 255,
    0,
    1,
    start >> 8,
    start & 255,
    0,
  );
  return latinBytes(
    `${text}91 0 obj\n<</Type/XRef/W[1 2 1]/Index[90 2]/Size 92${root}${encrypt}${id}/Prev ${previous}/Length 8>>\nstream\n${data}\nendstream\nendobj\nstartxref\n${start}\n%%EOF\n`,
  );
}
