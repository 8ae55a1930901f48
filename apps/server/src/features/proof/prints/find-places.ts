import { type PdfCalls, SandboxLimitError } from "../../../platform/pdf-sandbox/pdf-sandbox.ts";
import { EDGE_PT, type FoundPlace, framesFor, GAP_PT, type PageToMark } from "./domain/lay-out-copy.ts";

/** A code stands where a hand turns the page, a notice opposite. */
const CORNERS = {
  code: ["bottom-right", "bottom-left", "top-right", "top-left"],
  notice: ["bottom-left", "bottom-right", "top-left", "top-right"],
} as const;

/**
 * Gives the blank places found on the pages of a copy, in their order; null for a full page, and for one that costs more to look at than the
 * sandbox gives: its content makes room, then.
 */
export async function findPlaces(
  sandbox: PdfCalls,
  bytes: Uint8Array,
  pages: readonly PageToMark[],
): Promise<readonly (FoundPlace | null)[]> {
  const wanted = pages.map((page) => ({
    pageNumber: page.pageNumber,
    width: page.width,
    height: page.height,
    sizes: framesFor(page),
    corners: page.code === null ? CORNERS.notice : CORNERS.code,
    edge: EDGE_PT,
    gap: GAP_PT,
  }));
  const found: (FoundPlace | null)[] = [];
  let most = wanted.length;
  while (found.length < wanted.length) {
    const asked = wanted.slice(found.length, found.length + most);
    try {
      found.push(...(await sandbox.call("findBlankFrames", bytes, asked)));
      most = wanted.length;
    } catch (error) {
      if (!(error instanceof SandboxLimitError)) throw error;
      // One of them was too much: which, is seen one by one.
      if (asked.length === 1) found.push(null);
      else most = 1;
    }
  }
  return found;
}
