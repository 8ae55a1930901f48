import { expect, test } from "vitest";
import { PDF, PdfArray } from "@libpdf/core";
import { smallPdf } from "../../testing/small-pdf.ts";
import { latinBytes } from "./incremental-update.ts";
import { valueEnd } from "./byte-reader.ts";

const endOf = (text: string): number => valueEnd(latinBytes(text), 0);

test.each([
  ["a number", " 12", " 0 R"],
  ["a name", "/A", "/B"],
  ["a string with parentheses and escapes", "(a(b)\\)c)", "x"],
  ["a hexadecimal string", "<41 42>", ">>"],
  ["a dictionary, a remark inside", "<</A[1 2]/B<</C(>>)>>% >>\n>>", "endobj"],
  ["an array closed by a dictionary's end, as the parser has it", "<</A[1 >>", " /B 2"],
  ["a dictionary with an array's end", "<<]/A 1>>", "x"],
  ["what never ends", "[1 2 (", ""],
  ["a remark alone", "% 1 0 obj", ""],
  ["a hexadecimal string that never ends", "<41", ""],
])("the end of a value is found behind %s", (_what, value, rest) => {
  expect(endOf(value + rest)).toBe(value.length);
});

test("deeper nesting than any producer's is refused", () => {
  expect(endOf("[".repeat(256) + "]".repeat(256))).toBe(512);
  expect(() => endOf("<</A".repeat(257))).toThrow(
    expect.objectContaining({ code: "pdf_too_complex" }),
  );
});

test("an array too long for the parser is refused; a reference counts as one item", async () => {
  expect(endOf(`[${"1 0 R ".repeat(100_000)}]`)).toBe(600_002);
  expect(() => endOf(`[${"1 ".repeat(100_003)}]`)).toThrow(
    expect.objectContaining({ code: "pdf_too_complex" }),
  );
  const pdf = await PDF.load(
    smallPdf({
      catalogExtra: "/Z 6 0 R",
      objects: { 6: `${"[".repeat(200)}${"0 ".repeat(100_000)}${"]".repeat(200)}` },
    }),
  );
  const catalog = pdf.context.catalog.getDict();
  let value = pdf.context.resolve(
    catalog.getRef("Z") as NonNullable<ReturnType<typeof catalog.getRef>>,
  );
  for (let depth = 1; depth < 200; depth += 1) value = (value as PdfArray).at(0) ?? null;
  expect(value).toBeInstanceOf(PdfArray);
  expect(value).toHaveLength(100_000);
});

test.each([")", "{", "}"])(
  "a stray %s in an array or dictionary, where the parser loops, is refused",
  (stray) => {
    for (const text of [
      `[1 ${stray} 2]`,
      `[<<5 <<>> ${stray}]`,
      `<</K<<5 [>>/B[${stray}]>>`,
      `[<</A ${stray}>>]`,
      `<</A/B${stray}/C 1>>`,
      `<</A(x)${stray}>>`,
    ])
      expect(() => endOf(text), text).toThrow(expect.objectContaining({ code: "pdf_damaged" }));
    expect(endOf(stray)).toBe(1);
  },
);
