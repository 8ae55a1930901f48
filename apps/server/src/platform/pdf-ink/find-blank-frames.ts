import { type BlankFrame, findBlankFrame, type FrameWanted, type PageInk } from "./find-blank-frame.ts";
import { isTrap } from "./open-pdfium.ts";
import { type InkReader, openInkReader, type PageToRead } from "./read-ink.ts";

/** What is asked for on one page. */
export type PageWanted = PageToRead & FrameWanted;

/**
 * Gives blank places on pages, in their order, for as long as `enough` does not say to stop: at least one page is done. A page that cannot be
 * read has no blank place, nor has any of a file that cannot.
 */
export async function findBlankFrames(
  bytes: Uint8Array,
  pages: readonly PageWanted[],
  enough: () => boolean,
): Promise<readonly (BlankFrame | null)[]> {
  let reader = await openReader(bytes);
  if (reader === null) return pages.map(() => null);
  const found: (BlankFrame | null)[] = [];
  for (const page of pages) {
    if (found.length > 0 && enough()) break;
    const ink: PageInk | "trap" | null = reader === null ? null : look(reader, page);
    if (ink === "trap") reader = await openReader(bytes);
    found.push(ink === null || ink === "trap" ? null : findBlankFrame(ink, page));
  }
  reader?.close();
  return found;
}

function look(reader: InkReader, page: PageToRead): PageInk | "trap" | null {
  try {
    return reader.ink(page);
  } catch (error) {
    if (!isTrap(error)) throw error;
    return "trap";
  }
}

async function openReader(bytes: Uint8Array): Promise<InkReader | null> {
  try {
    return await openInkReader(bytes);
  } catch (error) {
    if (!isTrap(error)) throw error;
    return null;
  }
}
