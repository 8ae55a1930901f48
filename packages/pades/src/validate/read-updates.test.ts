import { deflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { smallPdf } from "../../testing/small-pdf.ts";
import { concatBytes } from "../asn1/der-writer.ts";
import { latinBytes } from "../pdf/incremental-update.ts";
import { latinText } from "../pdf/byte-reader.ts";
import { openPdf } from "../pdf/open-pdf.ts";
import { readUpdates } from "./read-updates.ts";
import { isSoundUpdate } from "./later-changes.ts";

/** The catalog refers to objects 9 and 12, which the updates define. */
const base = smallPdf({
  catalogExtra: "/PieceInfo<</A 9 0 R/B 12 0 R/C 6 0 R>>",
  objects: { 6: "12", 7: "7" },
});
const open = await openPdf(base);

/** Says whether an update is unreadable, ambiguous to readers, or sound. */
async function validated(tail: string): Promise<"unreadable" | "ambiguous" | "sound"> {
  const bytes = concatBytes([base, latinBytes(tail)]);
  const updates = await readUpdates({ ...open, bytes }, base.length);
  if (!updates) return "unreadable";
  const after = { ...(await openPdf(bytes)), catalogRef: open.catalogRef };
  return updates.every((update) => isSoundUpdate(update, open, after)) ? "sound" : "ambiguous";
}

const at = (offset: number): string => String(base.length + offset).padStart(10, "0");
const line = (offset: number, generation = 0): string =>
  `${at(offset)} ${String(generation).padStart(5, "0")} n\r\n`;
const TRAILER = `/Size 20/Root 1 0 R/Prev ${open.startXref}`;
const table = (start: number, rows: string, trailer = TRAILER): string =>
  `xref\n${rows}trailer\n<<${trailer}>>\nstartxref\n${base.length + start}\n%%EOF\n`;
/** An object, and its table. */
const listed = (object: string, rows?: string, trailer?: string): string =>
  object + table(object.length, rows ?? `9 1\n${line(object.indexOf("9 0 obj"))}`, trailer);

const OBJECT =
  "% a remark\n9 0 obj\n<</A(\\)(endobj))/B<656E646F626A>/C[1 -.5 true 6 0 R]/#44 null>>\nendobj\n";
const NINE = OBJECT.indexOf("9 0 obj");
const stream = (entries: string, data = "xyz"): string =>
  `9 0 obj\n<<${entries}>>\nstream\n${data}\nendstream\nendobj\n`;

/** Gives a table as a stream, its rows packed in one of the allowed ways. */
function streamed(
  object: string,
  rows: readonly (readonly number[])[],
  entries: string,
  pack = (data: Uint8Array): Uint8Array => data,
): string {
  const data = latinText(pack(Uint8Array.from(rows.flat())));
  return `${object}11 0 obj\n<</Type/XRef${TRAILER}${entries}/Length ${data.length}>>\nstream\n${data}\nendstream\nendobj\nstartxref\n${base.length + object.length}\n%%EOF\n`;
}
const row = (offset: number): readonly number[] => [
  1,
  (base.length + offset) >> 8,
  (base.length + offset) & 255,
];
const INDEX = "/Index[8 2]";
const rows = [[0, 0, 0], row(NINE)];
/** PNG filters: sub on the first row, up on the second. Source: ISO 32000-2 §7.4.4.4. */
const predicted = (filters: readonly number[]) => (): Uint8Array => {
  const [first, second] = rows as [readonly number[], readonly number[]];
  const sub = first.map(
    (value, index) => (value - (filters[0] === 1 ? (first[index - 1] ?? 0) : 0)) & 255,
  );
  const up = second.map(
    (value, index) => (value - (filters[1] === 2 ? (first[index] ?? 0) : 0)) & 255,
  );
  return deflateSync(Uint8Array.from([filters[0] ?? 0, ...sub, filters[1] ?? 0, ...up]));
};

/** Packs objects 9 and 12 in object stream 13; `held` is its content, `pairs` its index. */
function packed({
  pairs = "9 0 12 7",
  held = "<</A 1>>[2]",
  entries = "/N 2",
  places = [0, 1],
  of = 13,
  extra = "",
} = {}): string {
  const data = `${pairs} ${held}`;
  const object = `13 0 obj\n<</Type/ObjStm${entries}/First ${pairs.length + 1}/Length ${data.length}${extra}>>\nstream\n${data}\nendstream\nendobj\n`;
  const [first = 0, second = 0] = places;
  return streamed(
    object,
    [
      [2, of >> 8, of, first],
      [2, of >> 8, of, second],
      [...row(0), 0],
    ],
    "/W[1 2 1]/Index[9 1 12 2]",
  );
}
const PACKED = { pairs: "9 0 12 8" };

const INDEXED = `/W[1 2 0]${INDEX}`;
const back = (place: string, bytes: number): string =>
  place.replace(/\d+/, (offset) => String(Number(offset) - bytes));

test.each([
  ["with an object and its table", listed(OBJECT)],
  ["with a stream whose length is an object", listed(stream("/Length 6 0 R", "endobj 1 0 R"))],
  ["with a table as a stream", streamed(OBJECT, rows, `/W[1 2 0]${INDEX}`)],
  [
    "with a table that lists itself",
    streamed(OBJECT, [row(NINE), row(OBJECT.length)], "/W[1 2 0]/Index[9 1 11 1]"),
  ],
  [
    "with a table whose rows have no type",
    streamed(OBJECT, [row(NINE).slice(1)], "/W[0 2 0]/Index[9 1]"),
  ],
  [
    "with a deflated table",
    streamed(OBJECT, rows, `/W[1 2 0]${INDEX}/Filter/FlateDecode`, deflateSync),
  ],
  [
    "with a deflated table with predictors",
    streamed(
      OBJECT,
      rows,
      `/W[1 2 0]${INDEX}/Filter[/FlateDecode]/DecodeParms[<</Predictor 12/Columns 3>>]`,
      predicted([1, 2]),
    ),
  ],
  [
    "with a table whose parameters say no predictor",
    streamed(OBJECT, rows, `/W[1 2 0]${INDEX}/Filter/FlateDecode/DecodeParms<<>>`, deflateSync),
  ],
  [
    "with a new object that nothing leads to",
    listed(`${OBJECT}8 0 obj\n0\nendobj\n`, `8 2\n${line(OBJECT.length)}${line(NINE)}`),
  ],
  [
    "with an object freed that nobody uses",
    listed(OBJECT, `0 1\n0000000000 65535 f\r\n9 1\n${line(NINE)}`),
  ],
  ["with objects in an object stream", packed(PACKED)],
  [
    "with a value nested as deep as files may be",
    listed(`9 0 obj\n${"[".repeat(250)}${"]".repeat(250)}\nendobj\n`),
  ],
  ["with a name of nine million letters", listed(`9 0 obj\n/${"a".repeat(9_000_000)}\nendobj\n`)],
  ["with a key of a million codes", listed(`9 0 obj\n<</${"#41".repeat(1_000_000)} 1>>\nendobj\n`)],
  ["with a remark of nine million letters", listed(`%${"a".repeat(9_000_000)}\n${OBJECT}`)],
  ["with a remark before startxref", listed(OBJECT).replace("startxref", "%iText\nstartxref")],
  [
    "with blanks before its table that startxref names",
    listed(`${OBJECT}\r\n\t `).replace(/startxref\n\d+/, (place) => back(place, 4)),
  ],
  ["with a million remarks", listed(`${"% a\n".repeat(1_000_000)}${OBJECT}`)],
])("the update is sound: %s", async (_name, tail) => {
  expect(await validated(tail)).toBe("sound");
});

test.each([
  ["words that belong to nothing", `hello\n${listed(OBJECT)}`],
  ["a remark in which an object could be found", listed(`% 4 0 obj\n${OBJECT}`)],
  ["an object without its end", "9 0 obj\n<</A(x>>"],
  ["a value without its end", "9 0 obj\n<</A(x>>\nendobj\n"],
  [
    "a value that nests without end",
    listed(`9 0 obj\n${"[".repeat(300)}${"]".repeat(300)}\nendobj\n`),
  ],
  ["a key that stands twice", listed("9 0 obj\n<</A 1/#41 2>>\nendobj\n")],
  ["a remark inside an object", listed("9 0 obj\n<</A 1 %x\n>>\nendobj\n")],
  ["a name with a code that is none", listed("9 0 obj\n/a#zz\nendobj\n")],
  ["a key with half a code", listed("9 0 obj\n<</a#4 1>>\nendobj\n")],
  ["a remark of the end of a file", listed(`%%EOF\n${OBJECT}`)],
  ["an unknown word", listed("9 0 obj\n[nothing]\nendobj\n")],
  ["a stream that is no dictionary", listed("9 0 obj\n[1]\nstream\nx\nendstream\nendobj\n")],
  ["a stream without a length", listed(stream(""))],
  ["a stream longer than it says", listed(stream("/Length 1"))],
  ["a stream whose length is no number", listed(stream("/Length 1 0 R"))],
  ["a stream whose data is in another file", listed(stream("/Length 3/F(x)"))],
  [
    "a startxref that names something else",
    listed(OBJECT).replace(/startxref\n\d+/, `startxref\n${open.startXref}`),
  ],
  [
    "a startxref that names a remark before the table",
    listed(`${OBJECT}%\n`).replace(/startxref\n\d+/, (place) => back(place, 2)),
  ],
  [
    "a startxref that names blanks of the update before",
    listed("\n").replace(/startxref\n\d+/, (place) => back(place, 2)),
  ],
  [
    "a startxref that names a blank before its object",
    streamed(`${OBJECT}\n`, rows, INDEXED).replace(/startxref\n\d+/, (place) => back(place, 1)),
  ],
  ["no end", listed(OBJECT).replace("%%EOF", "")],
  ["a table without an end", "xref\n0 0\ntrailer\n"],
  ["a table shorter than it says", listed(OBJECT, `9 2\n${line(NINE)}`)],
  [
    "a table that some readers number from 0",
    listed(OBJECT, `1 1\n0000000000 65535 f\r\n9 1\n${line(NINE)}`),
  ],
  ["a hybrid table", listed(OBJECT, undefined, `${TRAILER}/XRefStm 10`)],
  ["a table of unknown widths", streamed(OBJECT, rows, "/W[1 2]")],
  ["a table of rows too wide", streamed(OBJECT, rows, "/W[1 9 0]")],
  ["a table of another length", streamed(OBJECT, rows, "/W[1 2 0]/Index[8 3]")],
  ["a table that numbers its rows oddly", streamed(OBJECT, rows, "/W[1 2 0]/Index[8]")],
  ["a table without an index, of another length", streamed(OBJECT, rows, "/W[1 2 0]")],
  ["a row of an unknown type", streamed(OBJECT, [[3, 0, 0], row(NINE)], `/W[1 2 0]${INDEX}`)],
  ["a table packed in another way", streamed(OBJECT, rows, `/W[1 2 0]${INDEX}/Filter/LZWDecode`)],
  ["a table that does not inflate", streamed(OBJECT, rows, `/W[1 2 0]${INDEX}/Filter/FlateDecode`)],
  [
    "predictors of another width",
    streamed(
      OBJECT,
      rows,
      `/W[1 2 0]${INDEX}/Filter/FlateDecode/DecodeParms<</Predictor 12/Columns 4>>`,
      predicted([1, 2]),
    ),
  ],
  [
    "parameters of nothing",
    streamed(OBJECT, rows, `/W[1 2 0]${INDEX}/DecodeParms<</Predictor 12/Columns 3>>`),
  ],
  [
    "other predictors",
    streamed(
      OBJECT,
      rows,
      `/W[1 2 0]${INDEX}/Filter/FlateDecode/DecodeParms<</Predictor 15/Columns 3>>`,
      predicted([4, 4]),
    ),
  ],
  ["an object stream that says nothing of its objects", packed({ ...PACKED, entries: "" })],
  ["an object stream of another length", packed({ ...PACKED, entries: "/N 3" })],
  [
    "an object stream with words between its objects",
    packed({ held: "<</A 1>>  [2]", pairs: "9 1 12 10" }),
  ],
  ["an object stream whose objects overlap", packed({ pairs: "9 0 12 2" })],
  ["an object stream with more than it says", packed({ ...PACKED, held: "<</A 1>>[2] 3" })],
  [
    "an object stream that is packed in another way",
    packed({ ...PACKED, extra: "/Filter/LZWDecode" }),
  ],
])("the update is unreadable: %s", async (_name, tail) => {
  expect(await validated(tail)).toBe("unreadable");
});

const twice = `9 0 obj\n1\nendobj\n${OBJECT}`;
test.each([
  ["an object that no table lists", OBJECT + table(OBJECT.length, "")],
  ["an object that stands twice", listed(twice, `9 1\n${line(0)}`)],
  [
    "a row that stands twice",
    listed(twice, `9 1\n${line(0)}9 1\n${line(twice.lastIndexOf("9 0 obj"))}`),
  ],
  [
    "a row that names an object of another number",
    listed(OBJECT.replace("9 0 obj", "8 0 obj"), `9 1\n${line(NINE)}`),
  ],
  ["a row that names an object of another generation", listed(OBJECT, `9 1\n${line(NINE, 1)}`)],
  [
    "a generation that no reference gives",
    listed(OBJECT.replace("9 0 obj", "9 1 obj"), `9 1\n${line(NINE, 1)}`),
  ],
  [
    "a row that names nothing new",
    listed(OBJECT, `9 1\n${line(NINE)}12 1\n0000000015 00000 n\r\n`),
  ],
  [
    "an older object that nothing leads to",
    listed(OBJECT.replace("9 0 obj", "7 0 obj"), `7 1\n${line(NINE)}`),
  ],
  [
    "a new one of a generation of its own",
    listed(`${OBJECT}8 1 obj\n0\nendobj\n`, `8 2\n${line(OBJECT.length, 1)}${line(NINE)}`),
  ],
  ["a new one alone", listed(OBJECT.replace("9 0 obj", "8 0 obj"), `8 1\n${line(NINE)}`)],
  ["nothing", table(0, "")],
  ["another catalog", listed(OBJECT, undefined, TRAILER.replace("1 0 R", "9 0 R"))],
  ["no catalog", listed(OBJECT, undefined, `/Size 20/Prev ${open.startXref}`)],
  ["a table that leads to an earlier one", listed(OBJECT, undefined, "/Size 20/Root 1 0 R/Prev 9")],
  ["a table that leads nowhere", listed(OBJECT, undefined, "/Size 20/Root 1 0 R")],
  ["an encryption", listed(OBJECT, undefined, `${TRAILER}/Encrypt<<>>`)],
  ["a size below its objects", listed(OBJECT, undefined, TRAILER.replace("/Size 20", "/Size 9"))],
  [
    "a size below older objects",
    listed(
      OBJECT.replace("9 0 obj", "2 0 obj"),
      `2 1\n${line(NINE)}`,
      TRAILER.replace("/Size 20", "/Size 4"),
    ),
  ],
  [
    "a table that is an object of the document as well",
    streamed(OBJECT, rows, `/W[1 2 0]${INDEX}`).replace("11 0 obj", "12 0 obj"),
  ],
  ["an object that another object stream says it holds", packed({ ...PACKED, places: [1, 0] })],
  ["an object that two rows name", packed({ ...PACKED, places: [0, 0] })],
  ["objects in an object stream that is not there", packed({ ...PACKED, of: 14 })],
])("the update is ambiguous: %s", async (_name, tail) => {
  expect(await validated(tail).catch(() => "ambiguous")).toBe("ambiguous");
});
