import type { PdfCalls } from "../../../platform/pdf-sandbox/pdf-sandbox.ts";
import { type Captions, layOutPage, type PageToMark } from "./domain/lay-out-copy.ts";
import type { AddedPage, MarkedPage } from "./domain/marks.ts";
import { findPlaces } from "./find-places.ts";

const PAGES_A_TASK = 400;

export type CopyRequest = {
  readonly title: string;
  readonly pages: readonly PageToMark[];
  readonly captions: Captions;
  /** Whether a page is added behind; it is too when some page has no room for its code. */
  readonly addsPage: boolean;
  /** Makes that page: not asked for it otherwise. */
  readonly addedPage: () => Promise<AddedPage>;
};

/**
 * Gives the copy to print of a file: flattened, its codes on blank places of the pages, or on margins made by shrinking what fills them.
 * Errors: `SandboxLimitError` and `PadesError` for a file that cannot be copied.
 */
export async function printCopy(sandbox: PdfCalls, signed: Uint8Array, request: CopyRequest): Promise<Uint8Array> {
  const flat = await sandbox.call("flattenForPrint", signed, { title: request.title });
  const found = await findPlaces(sandbox, flat, request.pages);
  const laidOut = request.pages.map((page, index) => layOutPage(page, found[index] ?? null, request.captions));
  const added = request.addsPage || laidOut.includes(null) ? [await request.addedPage()] : [];
  return addMarks(sandbox, flat, { pages: laidOut.filter(isMarked), added });
}

/** Some pages at a time: those of a long document are more than one task is given the time for. */
async function addMarks(
  sandbox: PdfCalls,
  flat: Uint8Array,
  { pages, added }: { readonly pages: readonly MarkedPage[]; readonly added: readonly AddedPage[] },
): Promise<Uint8Array> {
  let copy = flat;
  for (let from = 0; from + PAGES_A_TASK < pages.length; from += PAGES_A_TASK)
    copy = await sandbox.call("addPrintMarks", copy, { pages: pages.slice(from, from + PAGES_A_TASK), added: [] });
  const rest = Math.max(0, Math.ceil(pages.length / PAGES_A_TASK) - 1) * PAGES_A_TASK;
  return sandbox.call("addPrintMarks", copy, { pages: pages.slice(rest), added });
}

const isMarked = (page: MarkedPage | null): page is MarkedPage => page !== null && page.codes.length + page.texts.length > 0;
