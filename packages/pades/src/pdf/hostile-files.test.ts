import { deflateSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { smallPdf } from "../../testing/small-pdf.ts";
import { trusting } from "../../testing/test-pki.ts";
import { flattenLayers } from "../inspect/flatten-layers.ts";
import { inspectPdf } from "../inspect/inspect-pdf.ts";
import { normalisePdf } from "../inspect/control-pdf.ts";
import { validate } from "../validate/validate.ts";
import { openPdf, requireBearableObjects } from "./open-pdf.ts";
import { type WorkBudget, latinText } from "./byte-reader.ts";
import { decodingBudget } from "./deflate.ts";
import { latinBytes } from "./incremental-update.ts";
import { readDictionary } from "./raw-objects.ts";
import { readXref, rebuildXref, xrefView } from "./read-xref.ts";

const MB = 1 << 20;
const TOO_COMPLEX = expect.objectContaining({ name: "PadesError", code: "pdf_too_complex" });
const BROKEN_TAIL = "startxref\n0\n%%EOF\n";
const CATALOG = "1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n";
const broken = (body: string): Uint8Array =>
  latinBytes(`%PDF-1.7\n${CATALOG}${body}${BROKEN_TAIL}`);
const stream = (entries: string, data: Uint8Array): string =>
  `<<${entries}/Length ${data.length}>>\nstream\n${latinText(data)}\nendstream`;
const outcomes = async (file: Uint8Array): Promise<readonly string[]> =>
  (await validate(file, { evidence: trusting([]), now: new Date(0) })).problems;

/**
 * Gives what a reading spends of a budget of 4 MB, a thirty-second of the real one; all of it when
 * it is refused.
 */
const BUDGET = 4 * MB;
function spent(read: (budget: WorkBudget) => unknown): number {
  const budget: WorkBudget = { left: BUDGET };
  try {
    read(budget);
  } catch (error) {
    expect(error).toEqual(TOO_COMPLEX);
    return BUDGET;
  }
  return BUDGET - budget.left;
}

/** Gives an object stream of so many objects, each at its own place in what follows. */
function objectStream(count: number, body: string): string {
  const head = Array.from({ length: count }, (_, index) => `${index + 10} ${index}`).join(" ");
  return stream(
    `/Type/ObjStm/N ${count}/First ${head.length + 1}/Filter/FlateDecode`,
    deflateSync(`${head} ${body}`),
  );
}

test("rebuilding stays within its budget with twenty thousand trailers", () => {
  expect(spent((budget) => rebuildXref(broken("trailer<</A[\n".repeat(20_000)), budget))).toBe(
    BUDGET,
  );
  expect(
    spent((budget) => rebuildXref(broken("trailer<</A 1>>\n".repeat(20_000)), budget)),
  ).toBeLessThan(BUDGET);
});

test("rebuilding stays within its budget with a thousand objects inside each other", () => {
  const packed = objectStream(1_000, `${"(".repeat(1_000)}${")".repeat(1_000)}`);
  const file = broken(
    Array.from({ length: 60 }, (_, index) => `${100_000 + index} 0 obj\n${packed}\nendobj\n`).join(
      "",
    ),
  );
  expect(spent((budget) => rebuildXref(file, budget))).toBe(BUDGET);
});

test("rebuilding stays within its budget with endless object streams", () => {
  const file = broken(
    Array.from(
      { length: 2_000 },
      (_, index) => `${index + 10} 0 obj<</Type/ObjStm/N 1/First 4>>stream\n`,
    ).join(""),
  );
  expect(spent((budget) => rebuildXref(file, budget))).toBe(BUDGET);
});

test("rebuilding stays within its budget when object streams inflate without end", () => {
  const packed = stream(
    "/Type/ObjStm/N 1/First 5/Filter/FlateDecode",
    deflateSync(new Uint8Array(MB)),
  );
  const file = broken(
    Array.from({ length: 20 }, (_, index) => `${10 + index} 0 obj\n${packed}\nendobj\n`).join(""),
  );
  expect(spent((budget) => rebuildXref(file, budget))).toBe(BUDGET);
});

test("rebuilding stays within its budget with object numbers too scattered for the parser", () => {
  const entries = new Map(
    Array.from({ length: 40_001 }, (_, index) => [
      index * 2,
      { kind: "plain", offset: 9, generation: 0 } as const,
    ]),
  );
  const trailer = readDictionary(latinBytes("<</Root 1 0 R>>"), 0);
  expect(trailer).not.toBeNull();
  if (trailer) expect(() => xrefView(broken(""), { entries, trailer })).toThrow(TOO_COMPLEX);
});

test("rebuilding an honest file costs little", () => {
  const honest = broken(
    Array.from(
      { length: 2_000 },
      (_, index) => `${index + 10} 0 obj\n<</A(text)/B[1 2 3]>>\nendobj\n`,
    ).join(""),
  );
  expect(spent((budget) => rebuildXref(honest, budget))).toBeLessThan(honest.length * 10);
});

const withXref = (entries: string, data: Uint8Array): Uint8Array =>
  latinBytes(
    `%PDF-1.7\n5 0 obj\n${stream(`/Type/XRef/Root 1 0 R${entries}`, data)}\nendobj\nstartxref\n9\n%%EOF\n`,
  );
const table = deflateSync(new Uint8Array(8 * MB));

test("a cross-reference stays within its budget when its stream inflates without end", async () => {
  const file = withXref("/W[1 2 1]/Size 8000000/Filter/FlateDecode", table);
  expect(spent((budget) => readXref(file, budget))).toBe(BUDGET);
  expect(
    await outcomes(
      withXref("/W[1 2 1]/Size 8000000/Filter/FlateDecode", deflateSync(new Uint8Array(210 * MB))),
    ),
  ).toEqual(["pdf_too_complex"]);
});

test("a cross-reference stays within its budget in gzip with a name in its header", async () => {
  const packed = gzipSync(new Uint8Array(210 * MB));
  const named = Uint8Array.from([
    ...packed.subarray(0, 3),
    8,
    ...packed.subarray(4, 10),
    65,
    0,
    ...packed.subarray(10),
  ]);
  for (const data of [packed, named])
    await expect(inspectPdf(withXref("/Filter/FlateDecode", data))).rejects.toEqual(TOO_COMPLEX);
});

test.each([
  "/W[0 0 0]",
  "/W[20 20 20]",
  "/W[1 2 1]/Index[0 999999999]",
  "/W[1 2 1]/Index[9007199254740993 4]",
  "/W[1 2]",
  "/W[1 2 1]/Index[0]",
])("a cross-reference stays within its budget when it says %s", async (entries) => {
  await expect(
    inspectPdf(withXref(`${entries}/Size 100`, new Uint8Array(400))),
  ).rejects.toMatchObject({ code: "pdf_damaged" });
});

test("a cross-reference whose predictor has no columns does not hang the parser", async () => {
  const file = withXref(
    "/W[1 2 1]/Size 9/Filter/FlateDecode/DecodeParms<</Predictor 2/Columns 0>>",
    deflateSync(new Uint8Array(36)),
  );
  await expect(inspectPdf(file)).rejects.toMatchObject({ code: "pdf_damaged" });
});

/** Lists these as objects 10 and on, each with its row. */
function listed(objects: readonly string[], catalogExtra = "", trailerExtra = ""): Uint8Array {
  const all = [
    `<</Type/Catalog/Pages 2 0 R${catalogExtra}>>`,
    "<</Type/Pages/Kids[3 0 R]/Count 1>>",
    "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>",
  ];
  let text = "%PDF-1.7\n";
  const rows: string[] = [];
  const put = (number: number, body: string): void => {
    rows.push(`${number} 1\n${String(text.length).padStart(10, "0")} 00000 n\r\n`);
    text += `${number} 0 obj\n${body}`;
  };
  for (const [index, body] of all.entries()) put(index + 1, `${body}\nendobj\n`);
  for (const [index, body] of objects.entries()) put(index + 10, body);
  const start = text.length + 1;
  return latinBytes(
    `${text}\nxref\n${rows.join("")}trailer\n<</Size ${objects.length + 10}/Root 1 0 R${trailerExtra}>>\nstartxref\n${start}\n%%EOF\n`,
  );
}
const many = (count: number, body: string): string[] => Array.from({ length: count }, () => body);

test.each([
  [
    "begins inside the string of the one before",
    [...many(3_000, `(${"x".repeat(60)}`), ")".repeat(3_000)],
  ],
  ["begins in the remark of the one before", many(3_000, `<<% ${"x".repeat(60)}`)],
  ["is a stream without an end", many(3_000, `<<>>stream\n${"x".repeat(60)}\n`)],
  [
    "has a length that is a long string",
    [
      `(${"x".repeat(200_000)})\nendobj\n`,
      ...many(2_000, "<</Length 10 0 R>>stream\nx\nendstream\nendobj\n"),
    ],
  ],
])("objects stay within their budget when each %s", (_what, objects) => {
  const file = listed(objects);
  const xref = readXref(file);
  expect(xref).not.toBeNull();
  expect(spent((budget) => xref && requireBearableObjects(file, xref, { budget }))).toBe(BUDGET);
});

test("honest objects cost their length", () => {
  const file = listed(many(2_000, "<</Length 1>>stream\nx\nendstream\nendobj\n"));
  const xref = readXref(file);
  expect(spent((budget) => xref && requireBearableObjects(file, xref, { budget }))).toBeLessThan(
    file.length * 10,
  );
});

test("an array too long for the parser hides no script", async () => {
  const file = smallPdf({
    catalogExtra: "/Z 6 0 R",
    objects: { 6: `[${"0 ".repeat(150_000)}<</S/JavaScript/JS(1)>>]` },
  });
  await expect(inspectPdf(file)).rejects.toEqual(TOO_COMPLEX);
  expect(await outcomes(file)).toEqual(["pdf_too_complex"]);
});

test("a stray parenthesis in an array is refused, in an object stream as well", async () => {
  const file = smallPdf({ catalogExtra: "/Z 6 0 R", objects: { 6: "[1 ) 2]" } });
  await expect(inspectPdf(file)).rejects.toMatchObject({ code: "pdf_damaged" });
  expect(await outcomes(file)).toEqual(["pdf_damaged"]);
  const packed = broken(
    `6 0 obj\n${stream("/Type/ObjStm/N 1/First 4", latinBytes("7 0 [1 } 2]"))}\nendobj\n`,
  );
  await expect(openPdf(packed)).rejects.toMatchObject({ code: "pdf_damaged" });
});

test("an endless value is not read past the file into our appendix", async () => {
  const file = latinBytes(
    `%PDF-1.7\n1 0 obj\n<</Type/Catalog/Pages 2 0 R/Z[<</% remark>>]>>\nendobj\n2 0 obj\n<</Type/Pages/Kids[]/Count 0>>\nendobj\n%%EOF\n`,
  );
  for (let count = 0; count < 60; count += 1) {
    const others = Array.from(
      { length: count },
      (_, index) => `${index + 20} 0 obj\n1\nendobj\n`,
    ).join("");
    await expect(
      inspectPdf(latinBytes(latinText(file).replace("%%EOF", `${others}%%EOF`))),
    ).rejects.toMatchObject({
      name: "PadesError",
    });
  }
});

test("thousands of streams without an end are searched once", async () => {
  for (const length of ["99 0 R", "5"]) {
    const file = latinBytes(
      `%PDF-1.7\n${`7 0 obj<</Length ${length}>>stream\n`.repeat(10_000)}${CATALOG}%%EOF\n`,
    );
    await expect(inspectPdf(file)).rejects.toMatchObject({ code: "pdf_damaged" });
  }
});

test("a stream inside another one counts each time it is read", async () => {
  const blocks = deflateSync(
    Uint8Array.from({ length: 200_000 }, (_, index) => (index * index * 7_919) >> 5),
  );
  const file = broken(
    `${"stream\nx\x9c\x00\x0b\x00\xf4\xffstream\nx\x9c\x00\x00".repeat(400)}stream\n${latinText(blocks)}\nendstream\n`,
  );
  await expect(inspectPdf(file)).rejects.toMatchObject({ name: "PadesError" });
});

test.each([
  [
    "fields nested a thousand deep",
    Array.from({ length: 1_000 }, (_, index) => `<</T(a)/Kids[${index + 11} 0 R]>>\nendobj\n`),
    "/AcroForm<</Fields[10 0 R]>>",
  ],
  [
    "more signatures than a thousand",
    [
      "<</Type/Sig/ByteRange[0 1 2 3]/Contents<00>>>\nendobj\n",
      ...Array.from({ length: 1_001 }, (_, index) => `<</FT/Sig/T(a${index})/V 10 0 R>>\nendobj\n`),
    ],
    `/AcroForm<</Fields[${Array.from({ length: 1_001 }, (_, index) => `${index + 11} 0 R`).join(" ")}]>>`,
  ],
])("the hostile file is refused: %s", async (_what, objects, catalogExtra) => {
  const file = listed(objects, catalogExtra);
  await expect(inspectPdf(file)).rejects.toEqual(TOO_COMPLEX);
  expect(await outcomes(file)).toEqual(["pdf_too_complex"]);
});

test("pages nested five thousand deep, and a page listed twice, are refused", async () => {
  const deep = Array.from(
    { length: 5_000 },
    (_, index) => `<</Type/Pages/Count 1/Kids[${index + 11} 0 R]>>\nendobj\n`,
  );
  const nested = latinBytes(latinText(listed(deep)).replace("/Kids[3 0 R]", "/Kids[10 0 R]"));
  await expect(inspectPdf(nested)).rejects.toMatchObject({ name: "PadesError" });
  for (const kids of ["3 0 R 3 0 R", "2 0 R 3 0 R"])
    await expect(
      inspectPdf(smallPdf({ objects: { 2: `<</Type/Pages/Kids[${kids}]/Count 1>>` } })),
    ).rejects.toMatchObject({
      code: "pdf_damaged",
    });
});

test("an attachment named a thousand times is decoded once; one without columns, never", async () => {
  const file = (entries: string, data: Uint8Array): Uint8Array =>
    smallPdf({
      catalogExtra: `/Z[${"<</Type/Filespec/F(a.txt)/EF<</F 7 0 R>>>>".repeat(1_000)}]`,
      objects: { 7: stream(entries, data) },
    });
  expect(
    await inspectPdf(file("/Filter/FlateDecode", deflateSync(new Uint8Array(5 * MB)))),
  ).toMatchObject({ result: "ok" });
  await expect(
    inspectPdf(
      file(
        "/Filter/FlateDecode/DecodeParms<</Predictor 2/Columns 0>>",
        deflateSync(new Uint8Array(9)),
      ),
    ),
  ).rejects.toMatchObject({
    code: "pdf_damaged",
  });
});

test("layer expressions are evaluated at most a million steps", async () => {
  const expressions = Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => [
      index + 10,
      `[/And ${index + 11} 0 R ${index + 11} 0 R]`,
    ]),
  );
  const file = smallPdf({
    catalogExtra: "/OCProperties<</OCGs[41 0 R]/D<</OFF[41 0 R]>>>>",
    pageExtra: "/Annots[<</Type/Annot/Subtype/Text/Rect[0 0 9 9]/OC<</Type/OCMD/VE 10 0 R>>>>]",
    objects: { ...expressions, 40: "[/And 41 0 R]", 41: "<</Type/OCG/Name(a)>>" },
  });
  await expect(normalisePdf(file)).rejects.toEqual(TOO_COMPLEX);
});

test("a content stream named hundreds of times is not merged into one page", async () => {
  const data = deflateSync(new Uint8Array(MB / 16).fill(32));
  const file = smallPdf({
    catalogExtra: "/OCProperties<</OCGs[41 0 R]/D<</OFF[41 0 R]>>>>",
    objects: {
      3: `<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents[${"7 0 R ".repeat(300)}]>>`,
      7: stream("/Filter/FlateDecode", data),
      41: "<</Type/OCG/Name(a)>>",
    },
  });
  const open = await openPdf(file);
  decodingBudget(open).left = BUDGET;
  expect(() => flattenLayers(open)).toThrow(TOO_COMPLEX);
});
