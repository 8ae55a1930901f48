import { objectHeaderAt, skipBlank } from "../pdf/byte-reader.ts";
import type { OpenPdf } from "../pdf/open-pdf.ts";
import { readDictionary, wholeNumber } from "../pdf/read-dictionary.ts";
import { afterBlank } from "./same-value.ts";

/** Where readers look for it: behind the comments of the beginning, or behind the version, in the same line. */
const VERSION_END = "%PDF-1.7".length;

/**
 * Says whether a linearized file's first object names the page that the page tree has there, and as many pages: readers that open such a
 * file show that object before they have read the tree, and some go on showing it.
 * Shape: true for a file that is not linearized.
 * Source: ISO 32000-2 annex F.3.3, table F.1 (O: the first page's object; P: its number, 0 when absent; N: the number of pages; L: the
 * file's length, which an update makes another one).
 */
export function isFirstPageAsSaid(open: OpenPdf): boolean {
  return [afterBlank(open.bytes, 0), skipBlank(open.bytes, VERSION_END)].every((at) => opensAsSaid(open, at));
}

function opensAsSaid(open: OpenPdf, at: number): boolean {
  const header = objectHeaderAt(open.bytes, at);
  const dictionary = header ? readDictionary(open.bytes, header.end) : null;
  if (!dictionary?.entries.has("Linearized")) return true;
  const pages = open.pdf.context.pages.getPages();
  const [first, index] = [wholeNumber(dictionary, "O"), wholeNumber(dictionary, "P") ?? 0];
  if (pages[index]?.objectNumber !== first || pages[index]?.generation !== 0) return false;
  return wholeNumber(dictionary, "L") !== open.bytes.length || wholeNumber(dictionary, "N") === pages.length;
}
