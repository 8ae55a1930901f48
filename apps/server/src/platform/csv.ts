import { CsvError, parse } from "csv-parse";
import { failure, type Result, success } from "@paraphe/kernel/result";

/** Spreadsheets read these as a formula. */
const FORMULA = /^[=+\-@\t\r]/u;
const MUST_QUOTE = ['"', ";", "\r", "\n"];

/** Suits French spreadsheets: semicolons, UTF-8 with BOM, CRLF (RFC 4180), no formulas. */
export function csvText(rows: readonly (readonly string[])[]): string {
  return `\ufeff${csvLines(rows)}`;
}

export function csvLines(rows: readonly (readonly string[])[]): string {
  return rows.map((cells) => `${cells.map(cell).join(";")}\r\n`).join("");
}

function cell(text: string): string {
  const plain = FORMULA.test(text) ? `'${text}` : text;
  return MUST_QUOTE.some((character) => plain.includes(character))
    ? `"${plain.replaceAll('"', '""')}"`
    : plain;
}

export type Separator = "," | ";" | "tab";
export type Encoding = "utf-8" | "windows-1252" | "utf-16";
type Text = { readonly text: string; readonly encoding: Encoding };

/** Signatures of zip (APPNOTE §4.3.7) and OLE compound files (MS-CFB §2.2). */
const SPREADSHEETS = [
  [0x50, 0x4b, 0x03, 0x04],
  [0xd0, 0xcf, 0x11, 0xe0],
];

const PDF = [0x25, 0x50, 0x44, 0x46, 0x2d];
/** Tabs, line and page ends, SUB and ESC are found in old text files. */
const isBinary = (byte: number): boolean =>
  byte < 0x09 || (byte > 0x0d && byte < 0x20 && byte !== 0x1a && byte !== 0x1b);

export function decodeText(bytes: Uint8Array): Result<Text, "spreadsheet" | "unreadable"> {
  if (SPREADSHEETS.some((magic) => magic.every((byte, index) => bytes[index] === byte)))
    return failure("spreadsheet");
  const mark = bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : null;
  const big = bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : mark;
  if (big !== null)
    return success({ text: new TextDecoder(big).decode(bytes), encoding: "utf-16" });
  if (PDF.every((byte, index) => bytes[index] === byte) || bytes.some(isBinary))
    return failure("unreadable");
  try {
    return success({
      text: new TextDecoder("utf-8", { fatal: true }).decode(bytes),
      encoding: "utf-8",
    });
  } catch {
    return success({
      text: new TextDecoder("windows-1252").decode(bytes),
      encoding: "windows-1252",
    });
  }
}

const SEPARATORS = { ";": ";", ",": ",", "\t": "tab" } as const;

/** Takes the one that cuts the first line into most cells, quoted text aside. */
export function separatorOf(text: string): Separator {
  const first = /^\s*([^\r\n]*)/.exec(text)?.[1]?.replace(/"[^"]*"/g, "") ?? "";
  const [best] = (Object.keys(SEPARATORS) as (keyof typeof SEPARATORS)[])
    .map((sign) => ({ sign, count: first.split(sign).length }))
    .toSorted((one, other) => other.count - one.count);
  return SEPARATORS[best?.sign ?? ";"];
}

/** Longer than any line of people, photos aside. */
const LONGEST_RECORD = 256 * 1024;
/** Records read before the event loop has its turn. */
const SLICE = 500;

/** `line`: its first. */
export type CsvRecord = { readonly line: number; readonly cells: readonly string[] };

/** Ends early when `take` gives a value other than undefined. Errors: the line of a quote left open. */
export async function readCsv<T>(
  text: string,
  separator: Separator,
  take: (record: CsvRecord) => T | undefined,
): Promise<Result<T | undefined, { readonly line: number }>> {
  // In a quoted text the parser counts CRLF as two lines.
  const unix = text.replace(/\r\n?/g, "\n");
  let end = 0;
  const parser = parse(unix, {
    delimiter: separator === "tab" ? "\t" : separator,
    bom: true,
    info: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: LONGEST_RECORD,
    on_record: (record: string[], { lines }) => {
      end = lines;
      return record;
    },
  }) as AsyncIterable<{ record: readonly string[]; info: { lines: number } }>;
  let count = 0;
  try {
    for await (const { record, info } of parser) {
      if (count > 0 && record.every((text) => text.trim() === "")) continue;
      const line = info.lines + 1 - record.join("").split("\n").length;
      const taken = take({ line, cells: record });
      if (taken !== undefined) return success(taken);
      if (++count % SLICE === 0) await turn();
    }
  } catch (error) {
    if (error instanceof CsvError) {
      const opened = unix.split("\n").findIndex((one, index) => index >= end && one.includes('"'));
      return failure({ line: opened + 1 });
    }
    throw error;
  }
  return success(undefined);
}

export const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Takes off the apostrophe that our exports put before a formula. */
export function plainCell(text: string): string {
  return text.trim().replace(/^'(?=[=+\-@])/, "");
}
