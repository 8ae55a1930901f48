import { PdfStream } from "@libpdf/core";
import { describe, expect, test } from "vitest";
import { NEW_TEXT, packedPdf, reworded } from "../../testing/packed-pdf.ts";
import { prepareAll, signAs } from "../../testing/sign-flow.ts";
import { smallPdf, streamXrefPdf } from "../../testing/small-pdf.ts";
import { TEST_NOW, createTestPki, trusting } from "../../testing/test-pki.ts";
import { inspectPdf } from "../inspect/inspect-pdf.ts";
import { normalisePdf } from "../inspect/control-pdf.ts";
import { validate } from "../validate/validate.ts";
import { latinBytes } from "./incremental-update.ts";
import { latinText } from "./byte-reader.ts";
import { follow, openPdf } from "./open-pdf.ts";
import { pageAt } from "./page-geometry.ts";
import { readXref } from "./read-xref.ts";

const textOf = async (bytes: Uint8Array): Promise<string> => {
  const open = await openPdf(bytes);
  const content = follow(open, pageAt(open, 1).dict.get("Contents"));
  return content instanceof PdfStream ? latinText(content.getDecodedData()) : "nothing";
};
const blockerOf = async (bytes: Uint8Array): Promise<string | null> =>
  (await openPdf(bytes)).blocker;
/** Appends a table that lists these rows, as any update does. */
const appended = (
  bytes: Uint8Array,
  objects: string,
  rows: (at: number) => string,
  extra = "",
): Uint8Array => {
  const before = latinText(bytes);
  const previous = /startxref\s+(\d+)\s+%%EOF\s*$/.exec(before)?.[1];
  const [at, start] = [before.length, before.length + objects.length];
  return latinBytes(
    `${before}${objects}xref\n${rows(at)}trailer\n<</Size 9/Root 1 0 R/Prev ${previous}${extra}>>\nstartxref\n${start}\n%%EOF\n`,
  );
};
const row = (offset: number, generation = 0): string =>
  `${String(offset).padStart(10, "0")} ${String(generation).padStart(5, "0")} n\r\n`;
const FAKE = "<</Length 30>>\nstream\nBT /F1 9 Tf (Faux contrat) Tj ET \nendstream\nendobj\n";
const original = Number(/0000000\d+ 00000 n\r\n5 1/.exec(latinText(smallPdf()))?.[0].slice(0, 10));

test.each([2, 6, 7, 8, 16])(
  "a file with offsets of %i bytes is read to its last revision, and takes an update",
  async (offsetBytes) => {
    const file = reworded(packedPdf(), "plain", { offsetBytes });
    expect(await inspectPdf(file)).toMatchObject({ result: "ok", findings: [] });
    expect(await textOf(file)).toContain(NEW_TEXT);
    const prepared = await prepareAll(file);
    expect(prepared.subarray(0, file.length)).toEqual(file);
    expect(latinText(prepared.subarray(file.length))).toContain(
      `/Prev ${readXref(file)?.startXref}`,
    );
    expect(await textOf(prepared)).toContain(NEW_TEXT);
  },
);

test("a file with a wide section between narrow ones is read to its last revision", async () => {
  const wide = reworded(packedPdf(), "packed", { offsetBytes: 8 });
  const narrow = appended(wide, "", () => "0 0\n");
  expect(await textOf(narrow)).toContain(NEW_TEXT);
  expect(await blockerOf(narrow)).toBeNull();
});

test.each(["plain", "packed"] as const)(
  "a file whose startxref leads nowhere is rebuilt from the latest objects: %s",
  async (kind) => {
    const file = reworded(packedPdf(), kind, { startXref: 7 });
    expect(await inspectPdf(file)).toMatchObject({
      result: "fixable",
      findings: [{ code: "structure_rebuilt" }],
    });
    expect(await textOf(await normalisePdf(file))).toContain(NEW_TEXT);
  },
);

test("a rebuilt file ignores lookalike objects in stream data", async () => {
  const decoy = `\n4 0 obj\n${FAKE}`;
  const file = latinText(
    smallPdf({
      objects: { 6: `<</Length 7 0 R>>\nstream\n${decoy}\nendstream`, 7: String(decoy.length) },
    }),
  );
  expect(
    await textOf(await normalisePdf(latinBytes(file.replace(/startxref\n\d+/, "startxref\n7")))),
  ).toContain("Contrat");
});

test("offsets counted from the header are accepted when bytes precede it", async () => {
  const file = reworded(packedPdf(), "plain", { offsetBytes: 8 });
  const shifted = new Uint8Array([...latinBytes("courrier\r\n"), ...file]);
  expect(await inspectPdf(shifted)).toMatchObject({
    result: "fixable",
    findings: [{ code: "leading_bytes" }],
  });
  expect(await textOf(await normalisePdf(shifted))).toContain(NEW_TEXT);
});

test("a signed file with wide offsets keeps its signature and takes another one", async () => {
  const pki = await createTestPki();
  const [alice, bob] = [
    await pki.issue({ commonName: "Alice" }),
    await pki.issue({ commonName: "Bob" }),
  ];
  const first = await signAs(await prepareAll(packedPdf({ offsetBytes: 8 })), {
    signer: alice,
    ownerKey: "alice",
  });
  expect(await inspectPdf(first)).toMatchObject({ result: "ok", signatureCount: 1 });
  const second = await signAs(first, { signer: bob, ownerKey: "bob" });
  const { signatures } = await validate(second, {
    evidence: trusting(pki.root.certificates),
    now: TEST_NOW,
  });
  expect(
    signatures.map(({ checks }) => checks.find(({ name }) => name === "modifications")?.passed),
  ).toEqual([true, true]);
  const broken = latinBytes(
    latinText(second).replace(/startxref\n\d+\n%%EOF\n$/, "startxref\n7\n%%EOF\n"),
  );
  await expect(inspectPdf(broken)).rejects.toMatchObject({ code: "pdf_signed_and_damaged" });
  await expect(normalisePdf(broken)).rejects.toMatchObject({ code: "pdf_signed_and_damaged" });
});

test("a broken file with an unreachable signature is not rewritten", async () => {
  const lost = smallPdf({ objects: { 6: "<</Type/Sig/ByteRange [0 1 2 3]/Contents<00>>>" } });
  expect(await inspectPdf(lost)).toMatchObject({ result: "ok", signatureCount: 0 });
  const broken = latinBytes(latinText(lost).replace(/startxref\n\d+/, "startxref\n7"));
  await expect(inspectPdf(broken)).rejects.toMatchObject({ code: "pdf_signed_and_damaged" });
});

describe("a cross-reference that readers understand in two ways is none", () => {
  const file = smallPdf();
  test.each<[string, Uint8Array]>([
    [
      "two rows for one object",
      appended(file, `4 0 obj\n${FAKE}`, (at) => `4 1\n${row(at)}4 1\n${row(original)}`),
    ],
    [
      "overlapping ranges",
      appended(
        file,
        `4 0 obj\n${FAKE}`,
        (at) => `3 2\n${row(original)}${row(at)}4 1\n${row(original)}`,
      ),
    ],
    [
      "a row that leads to another object",
      appended(file, `7 0 obj\n${FAKE}`, (at) => `4 1\n${row(at)}`),
    ],
    [
      "a row of another generation than the object",
      appended(file, `4 0 obj\n${FAKE}`, (at) => `4 1\n${row(at, 1)}`),
    ],
    ["a row that leads nowhere", appended(file, "", () => `4 1\n${row(99_999)}`)],
    ["a trailer with a key twice", appended(file, "", () => "0 0\n", "/Root 1 0 R")],
    [
      "a /Prev that comes back",
      latinBytes(
        latinText(file).replace(
          "/Root",
          `/Prev ${/startxref\n(\d+)/.exec(latinText(file))?.[1]}/Root`,
        ),
      ),
    ],
    ["a /Prev that is no number", latinBytes(latinText(file).replace("/Root", "/Prev (1)/Root"))],
    ["object 0 in use", latinBytes(latinText(file).replace("65535 f", "65535 n"))],
    [
      "a subsection that some readers number from 0",
      latinBytes(latinText(file).replace("xref\n0 1", "xref\n1 1")),
    ],
    [
      "a subsection that begins at 1 with a row that was freed",
      appended(file, "", () => "1 1\n0000000000 00001 f\r\n"),
    ],
    [
      "a cross-reference stream of number 0",
      latinBytes(
        latinText(streamXrefPdf()).replace("5 0 obj", "0 0 obj").replace("/Size 6", "/Size 5"),
      ),
    ],
    ["no /Root", latinBytes(latinText(file).replace("/Root", "/Roof"))],
  ])(
    "a cross-reference that readers understand differently is refused: %s",
    async (_what, bytes) => {
      expect(readXref(bytes)).toBeNull();
      expect(await blockerOf(bytes)).toBe("broken_xref");
    },
  );

  test("a table and a stream may not disagree, but the stream may show what the table hides", async () => {
    const base = packedPdf();
    const hidden = reworded(base, "plain");
    const [first, last] = [base, hidden].map((file) => readXref(file)?.startXref);
    const hybrid = (rows: string, at = last): Uint8Array =>
      latinBytes(
        latinText(appended(hidden, "", () => rows, `/XRefStm ${at}`)).replace(
          `/Prev ${last}`,
          `/Prev ${first}`,
        ),
      );
    const shown = readXref(hybrid("8 1\n0000000000 00000 f\r\n"));
    expect(shown?.entries.get(8)).toEqual(readXref(hidden)?.entries.get(8));
    expect(await textOf(hybrid("0 0\n"))).toContain(NEW_TEXT);
    expect(readXref(hybrid(`8 1\n${row(9)}`))).toBeNull();
    expect(readXref(hybrid("0 0\n", 9))).toBeNull();
  });

  test("an object stream with another object at that index is refused", async () => {
    const lying = latinBytes(latinText(packedPdf()).replace(" 5 ", " 9 "));
    expect(await blockerOf(lying)).toBe("broken_xref");
  });
});

test("a reference to a replaced generation is null", async () => {
  const file = appended(smallPdf(), `4 1 obj\n${FAKE}`, (at) => `4 1\n${row(at, 1)}`);
  expect(await textOf(file)).toBe("nothing");
});

test("a page of another generation breaks the file", async () => {
  const page = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]>>\nendobj\n";
  expect(
    await blockerOf(appended(smallPdf(), `3 1 obj\n${page}`, (at) => `3 1\n${row(at, 1)}`)),
  ).toBe("broken_xref");
});

test("a cross-reference stream with cut rows or invalid widths is rebuilt", async () => {
  const whole = latinText(streamXrefPdf());
  for (const [from, to] of [
    ["/Size 6", "/Size 99"],
    ["/W[1 2 1]", "/W[1 /a 1]"],
    ["/W[1 2 1]", "/W[0 0 0]"],
    ["/W[1 2 1]", "/W[1 2 1]/Index[0]"],
  ] as const)
    expect(await blockerOf(latinBytes(whole.replace(from, to)))).toBe("broken_xref");
});
