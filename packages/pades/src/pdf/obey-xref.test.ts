import { expect, test } from "vitest";
import { PDF, PdfRef } from "@libpdf/core";
import { smallPdf } from "../../testing/small-pdf.ts";
import { readXref } from "./read-xref.ts";
import { plainObjectAt } from "./obey-xref.ts";

const REF = PdfRef.of(9, 0);

const fileWith = (value: string): Uint8Array => smallPdf({ objects: { 9: value } });

function plainOf(bytes: Uint8Array): unknown {
  const entry = readXref(bytes)?.entries.get(9);
  return entry?.kind === "plain" ? plainObjectAt(bytes, entry.offset, REF) : undefined;
}

test.each([
  "<<>>",
  "[]",
  "<</A 1/B -2/C .5/D -0.25/E 7./F 123456789012345/G -0/H 007>>",
  "<</A true/B false/C null/D[true null false]>>",
  "[1 0 R 2 0 R 3 1 2 4 65535 R]",
  "[1 0 R/R 1 0 2]",
  "<</A<</B<</C[<</D 1 0 R>>]>>>>/E/F>>",
  "<</A<>/B<00ffA0>/C()/D(un contrat \u00e9\n)>>",
  "<</A(a)/B[(b)(c)<41>/N]\n>>",
  " \t\f\0<<\r\n/A\0 1\f0\tR\n/A-b_.c+d~ /x >>",
])("our reading of a plain value is the parser's: %j", async (value) => {
  const plain = plainOf(fileWith(value));
  expect(plain).not.toBeNull();
  expect(plain).toEqual((await PDF.load(fileWith(value))).context.resolve(REF));
});

test.each([
  ["a key that stands twice", "<</A 1/A 2>>"],
  ["a code in a name", "<</A#42 1>>"],
  ["a name that is not of ASCII", "<</A\u00e9 1>>"],
  ["a name of nothing", "<</A/ /B 1>>"],
  ["a remark", "<</A 1%/B 2\n>>"],
  ["an escape", "<</A(\\051)>>"],
  ["a string in a string", "<</A(b(c))>>"],
  ["an end of line that is a return", "<</A(b\rc)>>"],
  ["white space among digits", "<</A<41 42>>>"],
  ["a digit alone", "<</A<414>>>"],
  ["what is no digit", "<</A<4x>>>"],
  ["a key without a value", "<</A/B/C>>"],
  ["a key that is no name", "<</A 1 2>>"],
  ["a plus sign", "[+1]"],
  ["two signs", "[--1]"],
  ["two points", "[1.2.3]"],
  ["a point alone", "[.]"],
  ["a sign alone", "[-]"],
  ["more digits than are exact", "[1234567890123456]"],
  ["a number with a letter", "[1a]"],
  ["a generation that there is not", "[1 65536 R]"],
  ["an unknown word", "[nul]"],
  ["a word that goes on", "[trues]"],
  ["a stray delimiter", "[1 ) 2]"],
  ["an array that is closed as a dictionary is", "[1 >>"],
  ["a value that never ends", "[1 2"],
  ["a stream", "<</Length 1>>\nstream\nx\nendstream"],
  ["what follows the value", "[1] 2"],
  ["a number", "12"],
  ["a string", "<41>"],
  ["a reference", "1 0 R"],
  ["more levels than are usual", `${"[".repeat(33)}${"]".repeat(33)}`],
])("an unusual value is left to the parser: %s", (_what, value) =>
  expect(plainOf(fileWith(value))).toBeNull(),
);

test("an object of another number or generation is left to the parser", () => {
  const bytes = new TextEncoder().encode("9 0 obj\n[1]\nendobj\n");
  expect(plainObjectAt(bytes, 0, REF)).not.toBeNull();
  for (const ref of [PdfRef.of(8, 0), PdfRef.of(9, 1)])
    expect(plainObjectAt(bytes, 0, ref)).toBeNull();
  expect(plainObjectAt(bytes, 1, REF)).toBeNull();
});
