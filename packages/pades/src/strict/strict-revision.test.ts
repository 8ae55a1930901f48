import { expect, test } from "vitest";
import { hybridPdf, linearizedPdf } from "../../testing/attacks-strict.ts";
import { smallPdf, type Objects } from "../../testing/small-pdf.ts";
import { latinText } from "../pdf/byte-reader.ts";
import { inspectPdf } from "../inspect/inspect-pdf.ts";
import { normalisePdf } from "../inspect/control-pdf.ts";
import { latinBytes } from "../pdf/incremental-update.ts";
import { literalStringEnd } from "./same-value.ts";

const SCRIPT = "<</S/JavaScript/JS(app.alert\\(1\\))>>";
const link = (rest: string): string =>
  `<</Type/Annot/Subtype/Link/Rect[0 0 300 300]/Border[0 0 0]${rest}>>`;
const withLink = (rest: string, objects: Objects = {}): Uint8Array =>
  smallPdf({ pageExtra: "/Annots[8 0 R]", objects: { 8: link(rest), ...objects } });
const page = (rest: string, parent = 2): string =>
  `<<${rest}/Parent ${parent} 0 R/MediaBox[0 0 595 842]/Contents 4 0 R>>`;
const tree = (kids: string, count: number, objects: Objects = {}): Uint8Array =>
  smallPdf({
    objects: {
      2: `<</Type/Pages/Kids[${kids}]/Count ${count}>>`,
      13: page("/Type/Page"),
      ...objects,
    },
  });
const inner = (count: string): Objects => ({
  6: `<</Type/Pages/Parent 2 0 R/Kids[13 0 R]/Count ${count}>>`,
  13: page("/Type/Page", 6),
});

test.each([
  ["an action behind two values", withLink(`/Z 1 2/A${SCRIPT}`)],
  ["an action behind a word that is none", withLink(`foo/A${SCRIPT}`)],
  [
    "an action of the document behind two values",
    smallPdf({ catalogExtra: `/Z 1 2/OpenAction${SCRIPT}` }),
  ],
  ["an action by a reference with a point", withLink("/A 30.0 0 R", { 30: SCRIPT })],
  ["an action by another generation", withLink("/A 30 5 R", { 30: SCRIPT })],
  ["a number with two signs", withLink("/Z --1")],
  ["a name whose code is none", withLink("/Z#zz 1")],
  ["a string in digits that are none", withLink("/Z<4x>")],
  ["an object that goes on behind its value", withLink("", { 30: "<<>> <<>>" })],
  ["a stream longer than it says", withLink("", { 30: "<</Length 2>>\nstream\nBT ET\nendstream" })],
  ["a table that frees what its stream shows", hybridPdf("30 1\n0000000000 00000 f\r\n")],
  ["a linearized file that opens another page", linearizedPdf({ first: 13 })],
  ["a node that counts no page", tree("6 0 R 3 0 R", 2, inner("0"))],
  ["a node that counts a part of a page", tree("6 0 R 3 0 R", 2, inner("0.5"))],
])("what two readers read differently is rewritten: %s", async (_what, file) => {
  expect(await inspectPdf(file)).toMatchObject({
    result: "fixable",
    findings: [{ code: "structure_rebuilt" }],
  });
  const copy = await normalisePdf(file);
  expect(await inspectPdf(copy)).toMatchObject({ result: "ok", findings: [] });
  expect(latinText(copy)).not.toMatch(/alert|OpenAction/);
});

test.each([
  [
    "a page that says that it is something else",
    tree("13 0 R 3 0 R", 2, { 13: page("/Type/Foo") }),
  ],
  ["a page that does not say what it is", tree("13 0 R 3 0 R", 1, { 13: page("") })],
  ["a template among the pages", tree("13 0 R 3 0 R", 1, { 13: page("/Type/Template") })],
  ["a page written in its parent's list", tree(`${page("/Type/Page")} 3 0 R`, 1)],
  [
    "a page led to by a reference that a reference leads to",
    tree("33 0 R 13 0 R", 1, { 33: "3 0 R" }),
  ],
  ["nothing where a page would be", tree("null 3 0 R", 1)],
  ["an object that is a reference", withLink("/A 33 0 R", { 33: "30 0 R", 30: SCRIPT })],
  ["a name with NUL", withLink("/Z#00 1")],
])(
  "what two readers read differently is refused where the copy would be a guess: %s",
  async (_what, file) => {
    await expect(normalisePdf(file)).rejects.toMatchObject({
      name: "PadesError",
      code: "pdf_damaged",
    });
  },
);

test.each([
  [
    "comments, white space and ends of line",
    withLink(
      "%(\r/Z\t%<<\n[1 -.5\f+3.%]\n.5\u0000true null (a\\)\\\r\n\\053) <4 1>]/Y 4%\r0 %\nR%\n",
    ),
  ],
  ["a name with a code", withLink("/Z#20 1")],
  ["a hybrid file whose table leaves out what its stream shows", hybridPdf("")],
  ["a linearized file that opens its first page", linearizedPdf({ first: 3 })],
  ["a page tree of two levels", tree("6 0 R 3 0 R", 2, inner("1"))],
  ["a reference to nothing", withLink("/Z 77 3 R")],
])("what all readers read alike is accepted: %s", async (_what, file) => {
  expect(await inspectPdf(file)).toMatchObject({ result: "ok", findings: [] });
});

test.each([
  ["(a(b)c)", "a(b)c"],
  ["(a\rb\r\nc\nd)", "a\nb\nc\nd"],
  ["(a\\\rb\\\r\nc\\\nd)", "abcd"],
  ["(\\n\\r\\t\\b\\f\\(\\)\\\\\\x)", "\n\r\t\b\f()\\x"],
  ["(\\0531\\53\\7)", "+1+\u0007"],
  ["()", ""],
])("the literal string %j has the value %j", (written, said) => {
  expect(literalStringEnd(latinBytes(`${written}/A`), 0, latinBytes(said))).toBe(written.length);
});

test.each([
  ["(ab)", "a"],
  ["(a)", "ab"],
  ["(a\\101)", "aB"],
  ["(a\r)", "a\r"],
  ["(a", "a"],
])("the literal string %j has not the value %j", (written, other) => {
  expect(literalStringEnd(latinBytes(written), 0, latinBytes(other))).toBe(-1);
});
