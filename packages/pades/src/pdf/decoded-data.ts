import { PdfArray, PdfDict, PdfName, PdfNumber, PdfStream } from "@libpdf/core";
import { PadesError } from "../pades-error.ts";
import { inflatedLength, lzwLength } from "./deflate.ts";
import { spend, type WorkBudget, workBudget } from "./byte-reader.ts";

/** Above what an upload may inflate to. */
const LEAST_BYTES = 256 * 1024 * 1024;
const BUDGETS = new WeakMap<object, WorkBudget>();
/** Filters that barely expand their input. */
const MODEST = new Set(["ASCIIHexDecode", "ASCII85Decode"]);
/** The most that one byte yields. Source: ISO 32000-2 §7.4.5. */
const RUN = 64;

export function decodingBudget(open: { readonly bytes: Uint8Array }): WorkBudget {
  const budget = BUDGETS.get(open) ?? { left: Math.max(LEAST_BYTES, workBudget(open.bytes).left) };
  BUDGETS.set(open, budget);
  return budget;
}

/**
 * Each filter is counted before it runs.
 * Errors: PadesError `pdf_too_complex` once the budget is spent; `pdf_damaged` for a predictor
 * without columns, an endless loop in the parser; the parser's own errors.
 * Source: ISO 32000-2 §7.4.
 */
export function decodedData(stream: PdfStream, budget: WorkBudget): Uint8Array {
  const filters = listOf(stream.get("Filter"));
  const parameters = listOf(stream.get("DecodeParms"));
  let { data } = stream;
  for (const [index, filter] of filters.entries()) {
    const name = filter instanceof PdfName ? filter.value : "";
    const own = parameters[index];
    requireColumns(own);
    spend(budget, costOf(name, data, { own, left: budget.left }));
    data = PdfStream.fromDict(
      own instanceof PdfDict
        ? { Filter: PdfName.of(name), DecodeParms: own }
        : { Filter: PdfName.of(name) },
      data,
    ).getDecodedData();
  }
  if (filters.length === 0) spend(budget, data.length);
  return data;
}

function listOf(value: unknown): readonly unknown[] {
  if (value instanceof PdfArray) return value.toArray();
  return value === undefined ? [] : [value];
}

function costOf(
  name: string,
  data: Uint8Array,
  { own, left }: { readonly own: unknown; readonly left: number },
): number {
  if (name === "FlateDecode") return inflatedLength(data, left).length + data.length;
  if (name === "LZWDecode")
    return lzwLength(data, {
      early: own instanceof PdfDict ? numberOf(own, "EarlyChange", 1) : 1,
      limit: left,
    });
  return MODEST.has(name) ? data.length * 4 : data.length * RUN;
}

/** Source: ISO 32000-2 §7.4.4.3, table 8. */
function requireColumns(parameters: unknown): void {
  if (!(parameters instanceof PdfDict) || numberOf(parameters, "Predictor", 1) === 1) return;
  const bits =
    numberOf(parameters, "Columns", 1) *
    numberOf(parameters, "Colors", 1) *
    numberOf(parameters, "BitsPerComponent", 8);
  if (!(bits >= 1 && bits < 2 ** 31))
    throw new PadesError("pdf_damaged", "Expected rows of some columns", {
      clause: "ISO 32000-2 §7.4.4.3",
    });
}

function numberOf(dictionary: PdfDict, key: string, otherwise: number): number {
  const value = dictionary.get(key);
  return value instanceof PdfNumber ? value.value : otherwise;
}
