import { useEffect, useMemo, useRef, useState } from "react";
import type { Box } from "../../../pdf/box.ts";
import { coversText } from "../../../pdf/text-boxes.ts";
import type { ReadyFile } from "./batch-file.ts";
import { modelSize, signedPages } from "./page-rule.ts";
import type { Placing } from "./use-placing.ts";

/** Pages of one file that are looked at when each of them is signed: the words of more would fill the memory. */
const LOOKED_AT = 40;

/** Where the words of a page are. Errors: a page that cannot be read here. */
export type ReadWords = (file: File, pages: readonly number[]) => Promise<readonly (readonly Box[])[]>;

type Asked = { readonly file: ReadyFile; readonly pages: readonly number[] };

/**
 * Gives the keys of the files whose signature would lie over words. Files are read one after the other, each page once; until a file is read nothing
 * is said of it. It keeps nobody from signing: a signature often stands on a dotted line.
 */
export function useCoveredText(files: readonly ReadyFile[], placing: Placing, readWords: ReadWords = wordsOf): ReadonlySet<string> {
  const words = useRef(new Map<string, readonly Box[]>());
  const [count, setCount] = useState(0);
  const next = useMemo(() => {
    const asked = files.map((file): Asked => ({ file, pages: lookedAt(file, placing) }));
    return asked.find(({ file, pages }) => pages.some((page) => !words.current.has(keyOf(file, page)))) ?? null;
    // What was read since is in `count`.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [files, placing.common, placing.own, count]);
  useEffect(() => {
    if (next === null) return undefined;
    let isHere = true;
    const missing = next.pages.filter((page) => !words.current.has(keyOf(next.file, page)));
    const found = readWords(next.file.file, missing).catch((): readonly (readonly Box[])[] => []);
    void found.then((boxes) => {
      if (!isHere) return;
      for (const [index, page] of missing.entries()) words.current.set(keyOf(next.file, page), boxes[index] ?? []);
      setCount((read) => read + 1);
    });
    return () => {
      isHere = false;
    };
  }, [next, readWords]);
  return useMemo(() => {
    const covers = (file: ReadyFile) => {
      const { rule, box } = placing.placeOf(file);
      return lookedAt(file, placing).some((page) => coversText(box, words.current.get(keyOf(file, page)) ?? [], modelSize(rule, file)));
    };
    return new Set(files.filter(covers).map(({ key }) => key));
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [files, placing.common, placing.own, count]);
}

function lookedAt(file: ReadyFile, placing: Placing): readonly number[] {
  return signedPages(placing.placeOf(file).rule, file.state.pageCount).slice(0, LOOKED_AT);
}

function keyOf(file: ReadyFile, page: number): string {
  return `${file.key}:${page}`;
}

const wordsOf: ReadWords = async (file, pages) => {
  const [{ openPdf }, bytes] = await Promise.all([import("../../../pdf/open-pdf.ts"), file.arrayBuffer()]);
  const pdf = await openPdf(bytes, { worker: "shared" });
  try {
    const found: (readonly Box[])[] = [];
    for (const page of pages) found.push(await pdf.textBoxes(page));
    return found;
  } finally {
    pdf.close();
  }
};
