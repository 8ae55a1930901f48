import { inspectPdf } from "@paraphe/pades";
import { compareLooks } from "../src/platform/pdf-ink/compare-looks.ts";

/** Reports the pages of a copy that look different or cannot be drawn. */
export async function looksComplaints(
  original: Uint8Array,
  copy: Uint8Array,
): Promise<readonly string[]> {
  const { pageCount } = await inspectPdf(copy);
  const found: string[] = [];
  for (let from = 1; from <= pageCount; ) {
    const { through, unread, difference } = await compareLooks(
      { original, copy, pageCount, from },
      () => false,
    );
    found.push(...unread.map((page) => `page ${page} cannot be drawn`));
    if (difference) found.push(`page ${difference.pageNumber} looks otherwise`);
    from = through + 1;
  }
  return found;
}
