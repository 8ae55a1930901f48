import { takeForm } from "@paraphe/pades";
import { expect, test } from "vitest";
import { smallPdf, stream } from "../../../../../packages/pades/testing/small-pdf.ts";
import { fieldsOfTags, findTags } from "./find-tags.ts";
import { openPdfiumDocument, PIXEL_BYTES, type Picture } from "./pdfium-document.ts";

const FONT = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>";
const page = (content: string, more: object = {}) =>
  smallPdf({ ...more, objects: { 4: stream("", content), 5: FONT } });
const inTime = () => false;
const wordsOf = async (content: string) => {
  const { tags } = await findTags(page(content), inTime);
  return tags.map(({ field }) => field.name);
};
const lines = (...texts: readonly string[]) =>
  texts.map((text, row) => `BT /F1 11 Tf 50 ${760 - 30 * row} Td ${text} ET`).join(" ");

test("a tag is found in French or English, in any case, spaced, kerned, or broken over two lines", async () => {
  const content = lines(
    "({{Signature:Client}} {{ SIGN : client }}) Tj",
    "[({{te) -20 (xte:cl) 40 (ient:Pr\\351) 10 (nom}})] TJ",
    "({{case:client:Un choix) Tj 0 -14 Td (sur deux lignes}}) Tj",
    "({{initials}}) Tj ({{name:1}}) Tj",
  );
  expect(await wordsOf(content)).toEqual([
    "signature:Client",
    "signature:client",
    "text:client:Prénom",
    "checkbox:client:Un choix sur deux lignes",
    "initials",
    "name:1",
  ]);
});

test("other braces are no tags", async () => {
  const content = lines(
    "({signature:client} {{}} {{facture:12}} {{signature) Tj",
    `({{${"x".repeat(400)}}} {{constructor}}) Tj`,
  );
  expect(await wordsOf(content)).toEqual([]);
});

test("what is written like a tag, and is none, is named with the kinds that it may mean", async () => {
  const all = ["signature", "paraphe", "date", "nom", "texte", "case", "mention"];
  const almost: readonly (readonly [string, readonly string[]])[] = [
    ["{{signatur:client}}", ["signature"]],
    ["{{Siganture : client}}", ["signature"]],
    ["{{signatur}}", ["signature"]],
    ["{{signature:client", ["signature"]],
    ["{{signature", ["signature"]],
    ["{{signature:client}", ["signature"]],
    ["{signature:client}}", ["signature"]],
    ["{{signature;client}}", ["signature"]],
    ["{{check-box:client}}", ["checkbox"]],
    ["{{tex:client:Nom}}", ["text"]],
    ["{{case à cocher:client}}", ["case"]],
    ["{{tampon:client}}", all],
    ["{{constructor:client}}", all],
  ];
  const latin = (text: string) => text.replace("à", "\\340");
  for (const some of [almost.slice(0, 7), almost.slice(7)]) {
    const bytes = page(lines(...some.map(([text]) => `(${latin(text)}) Tj`), "({{date:1}}) Tj"));
    const { tags, unread } = await findTags(bytes, inTime);
    expect(unread.tags.map(({ written, near }) => [written, near])).toEqual(some);
    expect([unread.count, tags.map(({ field }) => field.name)]).toEqual([some.length, ["date:1"]]);
  }
});

test("a tag with a label too long is named by its beginning, one off the page not at all", async () => {
  const long = `{{texte:client:${"Nom ".repeat(60)}}}`;
  const away = "BT /F1 11 Tf 50 2000 Td ({{signatur:b}}) Tj ET";
  const small = `BT /F1 2 Tf 50 700 Td (${long}) Tj ET`;
  const { unread } = await findTags(page(`${small} ${away}`), inTime);
  const written = `${long.slice(0, 80).trim()}…`;
  expect(unread).toEqual({ count: 1, tags: [{ written, near: ["texte"] }] });
});

test("other braces are no tags that are misspelt", async () => {
  const content = lines(
    "({{nom du client}} {{client.nom}} {{facture}} {signature:client} {{}}) Tj",
    "({{value | date}} {{date:1}} {{ Sign : 2 }} {{{signature:3}}}) Tj",
    "({ signature: 1 } function \\(\\) {{ return 1; }}) Tj",
  );
  const { tags, unread } = await findTags(page(content), inTime);
  expect([unread.count, tags.length]).toEqual([0, 3]);
});

test.each([
  ["upright", {}],
  ["turned by 90°", { rotate: 90 }],
  [
    "turned by 270° with a CropBox and a unit",
    { rotate: 270, cropBox: "20 30 500 800", userUnit: 1.5 },
  ],
])("a covered tag is not drawn on a page %s, on its own ground", async (_how, more) => {
  const ground = "0.8 0.9 1 rg 0 0 595 842 re f 0 g";
  const bytes = page(`${ground} ${lines("({{signature:client}}) Tj")}`, more);
  const { tags } = await findTags(bytes, inTime);
  const covers = tags.flatMap((tag) => tag.covers);
  const covered = await takeForm(bytes, { covers, at: new Date(0) });
  const colours = async (file: Uint8Array) => {
    const document = await openPdfiumDocument(file);
    const size = { columns: 400, rows: 400, shown: "content" } as const;
    const found = document?.draw(1, size, (picture) => coloursOf(picture)) ?? new Set();
    document?.close();
    return found.size;
  };
  expect(covers).toHaveLength(1);
  expect(await colours(bytes)).toBeGreaterThan(2);
  expect(await colours(covered)).toBe(1);
});

function coloursOf({ rows, columns, stride, pixels }: Picture): ReadonlySet<string> {
  const found = new Set<string>();
  for (let row = 0; row < rows; row += 1)
    for (let column = 0; column < columns; column += 1) {
      const at = row * stride + column * PIXEL_BYTES;
      found.add(pixels.subarray(at, at + 3).join(" "));
    }
  return found;
}

test("fields grow to the right and down, never over another field nor off the page", async () => {
  const bytes = page(
    lines("({{signature:a}} puis {{paraphe:a}}) Tj", "({{signature:b}}) Tj") +
      " BT /F1 11 Tf 540 20 Td ({{signature:c}}) Tj ET",
  );
  const { tags } = await findTags(bytes, inTime);
  const fields = fieldsOfTags(tags, []);
  for (const [index, { x, y, width, height }] of fields.entries()) {
    expect(Math.max(x + width, y + height)).toBeLessThanOrEqual(1);
    expect(Math.min(width, height)).toBeGreaterThan(0.005);
    for (const other of fields.slice(index + 1))
      expect(
        x < other.x + other.width &&
          other.x < x + width &&
          y < other.y + other.height &&
          other.y < y + height,
      ).toBe(false);
  }
});

test("a tag above a turned one keeps half of its height", async () => {
  const { tags } = await findTags(page(lines("({{nom:1}}) Tj", "({{nom:2}}) Tj")), inTime);
  const [upper, turned] = tags.map((tag, index) => ({
    ...tag,
    field: { ...tag.field, x: 0.1, y: 0.2 + index / 800, height: index === 0 ? 0.02 : 0.2 },
  }));
  if (upper === undefined || turned === undefined) throw new Error("no tags");
  expect(fieldsOfTags([upper, turned], [])[0]?.height).toBeGreaterThanOrEqual(0.01);
});

test.each([
  ["{{date:1}} ", { found: 5_000, count: 0 }],
  ["{{signatur:1}} ", { found: 0, count: 5_001 }],
])("a page of 6,000 %s is cut at 5,000, ten of the unread named", async (tag, { found, count }) => {
  const text = Array.from({ length: 60 }, () => `(${tag.repeat(100)}) Tj 0 -10 Td`).join(" ");
  const bytes = page(`BT /F1 0.2 Tf 50 760 Td ${text} ET`);
  const { tags, unread, isCut } = await findTags(bytes, inTime);
  expect([tags.length, unread.count, unread.tags.length, isCut]).toEqual([
    found,
    count,
    Math.min(count, 10),
    true,
  ]);
});

test("what is late or unreadable gives no tag", async () => {
  const bytes = page(lines("({{signature:a}}) Tj"));
  const unread = { count: 0, tags: [] };
  expect(await findTags(bytes, () => true)).toEqual({
    tags: [],
    unread,
    isCut: true,
  });
  expect(await findTags(new Uint8Array(9), inTime)).toEqual({
    tags: [],
    unread,
    isCut: false,
  });
});
