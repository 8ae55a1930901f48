import { useEffect, useState } from "react";
import type { Box } from "../../../pdf/box.ts";
import type { OpenedPdf } from "../../../pdf/open-pdf.ts";
import type { PageSize } from "../../../pdf/page-layout.ts";
import { coversText } from "../../../pdf/text-boxes.ts";
import type { Placed } from "./use-placement.ts";

type PageWords = { readonly words: readonly Box[]; readonly size: PageSize };

/** Says whether something placed lies over words of its page; each page is read once. It keeps nobody from signing. */
export function useWordsUnder(pdf: Pick<OpenedPdf, "textBoxes" | "pageSize"> | null, placed: readonly Placed[]): boolean {
  const [known, setKnown] = useState<ReadonlyMap<number, PageWords>>(new Map());
  const missing = placed.find(({ page }) => !known.has(page))?.page ?? null;
  useEffect(() => setKnown(new Map()), [pdf]);
  useEffect(() => {
    if (pdf === null || missing === null) return undefined;
    let isHere = true;
    // A page whose words cannot be read has none to cover.
    const read = Promise.all([pdf.textBoxes(missing), pdf.pageSize(missing)]).catch(() => [[], { width: 595, height: 842 }] as const);
    void read.then(([words, size]) => {
      if (isHere) setKnown((all) => new Map(all).set(missing, { words, size }));
    });
    return () => {
      isHere = false;
    };
  }, [pdf, missing]);
  return placed.some(({ page, box }) => {
    const there = known.get(page);
    return there !== undefined && coversText(box, there.words, there.size);
  });
}
