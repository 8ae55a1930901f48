import { type BlankFrame, findBlankFrame, type FrameWanted } from "./find-blank-frame.ts";
import { openInkReader, type PageToRead } from "./read-ink.ts";

/** What is asked for on one page. */
export type PageWanted = PageToRead & FrameWanted;

/**
 * Gives blank places on pages, in their order, for as long as `enough` does not say to stop: at least one page is done. A page that cannot be
 * read has no blank place.
 */
export async function findBlankFrames(
  bytes: Uint8Array,
  pages: readonly PageWanted[],
  enough: () => boolean,
): Promise<readonly (BlankFrame | null)[]> {
  const reader = await openInkReader(bytes);
  try {
    const found: (BlankFrame | null)[] = [];
    for (const page of pages) {
      if (found.length > 0 && enough()) break;
      const ink = reader.ink(page);
      found.push(ink === null ? null : findBlankFrame(ink, page));
    }
    return found;
  } finally {
    reader.close();
  }
}
