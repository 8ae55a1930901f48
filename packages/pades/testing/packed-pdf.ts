import type { Objects } from "./small-pdf.ts";
import { toHex } from "../src/asn1/der-reader.ts";
import { latinBytes } from "../src/pdf/incremental-update.ts";
import { latinText } from "../src/pdf/byte-reader.ts";

/** The offset width of a revision's cross-reference stream, and the target of `startxref`. */
export type RevisionStyle = { readonly offsetBytes?: number; readonly startXref?: number };
/** Further objects in the object stream, and its packing. */
export type PackedExtras = {
  readonly more?: ReadonlyMap<number, string>;
  readonly pack?: "hexadecimal";
};
type Row = readonly [type: number, second: number, third: number];

const OLD_TEXT = "Loyer 850 EUR";
export const NEW_TEXT = "Loyer 1200 EUR";
const PAGE = "/Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 5 0 R>>>>";
const content = (text: string): string => {
  const operators = `BT /F1 18 Tf 72 700 Td (${text}) Tj ET`;
  return `<</Length ${operators.length}>>\nstream\n${operators}\nendstream`;
};

/**
 * A one-page file: catalog 1, pages 2, page 3 and font 5 in object stream 6; content 4,
 * cross-reference stream 7.
 */
export function packedPdf({
  more = new Map(),
  pack,
  ...style
}: RevisionStyle & PackedExtras = {}): Uint8Array {
  const packed = new Map([
    [1, "<</Type/Catalog/Pages 2 0 R>>"],
    [2, "<</Type/Pages/Kids[3 0 R]/Count 1>>"],
    [3, `<<${PAGE}/Contents 4 0 R>>`],
    [5, "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"],
    ...more,
  ]);
  const rows = new Map<number, Row>(
    [...packed.keys()].map((number, index) => [number, [2, 6, index]]),
  );
  rows.set(0, [0, 0, 255]);
  return latinBytes(
    revision({
      before: "%PDF-1.7\n",
      rows,
      style,
      number: 7,
      objects: { 4: content(OLD_TEXT), 6: objectStream(packed, pack) },
    }),
  );
}

/** Appends a revision of page 3 with another text, plain or packed. */
export function reworded(
  file: Uint8Array,
  kind: "plain" | "packed",
  style: RevisionStyle = {},
): Uint8Array {
  const before = latinText(file);
  const page = `<<${PAGE}/Contents 8 0 R>>`;
  const previous = Number(/startxref\s+(\d+)\s+%%EOF\s*$/.exec(before)?.[1]);
  const objects = {
    8: content(NEW_TEXT),
    ...(kind === "plain" ? { 3: page } : { 9: objectStream(new Map([[3, page]])) }),
  };
  const rows = new Map<number, Row>(kind === "plain" ? [] : [[3, [2, 9, 0]]]);
  return latinBytes(revision({ before, rows, style, number: 10, objects, previous }));
}

function objectStream(packed: ReadonlyMap<number, string>, pack?: "hexadecimal"): string {
  const offsets: string[] = [];
  let body = "";
  for (const [number, syntax] of packed) {
    offsets.push(`${number} ${body.length}`);
    body += `${syntax} `;
  }
  const head = `${offsets.join(" ")} `;
  const plain = `${head}${body}`;
  const data = pack ? `${toHex(latinBytes(plain))}>` : plain;
  const filter = pack ? "/Filter/ASCIIHexDecode" : "";
  return `<</Type/ObjStm${filter}/N ${packed.size}/First ${head.length}/Length ${data.length}>>\nstream\n${data}\nendstream`;
}

type Revision = {
  readonly before: string;
  readonly objects: Objects;
  readonly rows: Map<number, Row>;
  readonly style: RevisionStyle;
  readonly number: number;
  readonly previous?: number;
};

function revision({ before, objects, rows, style, number, previous }: Revision): string {
  let text = before;
  for (const [object, syntax] of Object.entries(objects)) {
    rows.set(Number(object), [1, text.length, 0]);
    text += `${object} 0 obj\n${syntax}\nendobj\n`;
  }
  const start = text.length;
  rows.set(number, [1, start, 0]);
  const numbers = [...rows.keys()].toSorted((left, right) => left - right);
  const width = style.offsetBytes ?? 2;
  const data = numbers.map((object) => rowText(rows.get(object) as Row, width)).join("");
  const index = numbers.map((object) => `${object} 1`).join(" ");
  const entries = `/Size ${number + 1}/Root 1 0 R/W[1 ${width} 2]/Index[${index}]${previous === undefined ? "" : `/Prev ${previous}`}`;
  text += `${number} 0 obj\n<</Type/XRef${entries}/Length ${data.length}>>\nstream\n${data}\nendstream\nendobj\n`;
  return `${text}startxref\n${style.startXref ?? start}\n%%EOF\n`;
}

function rowText([type, second, third]: Row, width: number): string {
  const bytes = [
    type,
    ...Array.from(
      { length: width },
      (_, index) => Math.floor(second / 256 ** (width - 1 - index)) & 255,
    ),
    third >> 8,
    third & 255,
  ];
  return String.fromCharCode(...bytes);
}
