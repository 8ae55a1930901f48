import type { CorrectionAnswer, PageDifferenceAnswer } from "@paraphe/contracts";
import { useEffect, useState } from "react";
import { callMessage } from "../../../lib/call-message.ts";

/** Asks for the comparison of a file with its corrected copy, from a page on. */
export type AskComparison = (from: number, signal: AbortSignal) => Promise<CorrectionAnswer>;

export type Comparison = {
  /** `paused`: many pages differ, and whoever looks at them says whether to go on. */
  readonly state: "comparing" | "paused" | "done" | "failed";
  readonly differences: readonly PageDifferenceAnswer[];
  /** Pages that nothing could be said of. */
  readonly unread: readonly number[];
  /** The page that is compared, and how many there are; 0 before the first answer. */
  readonly from: number;
  readonly pageCount: number;
  /** Why it failed. */
  readonly reason: string | null;
};

const BEGUN: Comparison = { state: "comparing", differences: [], unread: [], from: 1, pageCount: 0, reason: null };
const FAILURE = "La copie corrigée n’a pas pu être comparée avec l’original. Réessayez.";
/** So many pages are shown before anybody is asked whether to go on. */
const PAUSE = 20;

/** Compares a file with its corrected copy, page after page, as often as another `ask` is given, null for none; `goOn` after a pause or a failure. */
export function useComparison(ask: AskComparison | null): { readonly comparison: Comparison; readonly goOn: () => void } {
  const [comparison, setComparison] = useState(BEGUN);
  const { state, from } = comparison;
  useEffect(() => setComparison(BEGUN), [ask]);
  useEffect(() => {
    if (ask === null || state !== "comparing") return undefined;
    const gone = new AbortController();
    ask(from, gone.signal).then(
      (answer) => !gone.signal.aborted && setComparison((before) => after(before, answer)),
      (error: unknown) =>
        !gone.signal.aborted && setComparison((before) => ({ ...before, state: "failed", reason: callMessage(error, FAILURE) })),
    );
    return () => gone.abort();
  }, [ask, state, from]);
  return { comparison, goOn: () => setComparison((before) => ({ ...before, state: "comparing", reason: null })) };
}

function after(before: Comparison, { page_count: pageCount, next, unread, difference }: CorrectionAnswer): Comparison {
  const differences = difference === null ? before.differences : [...before.differences, difference];
  const isPause = difference !== null && differences.length % PAUSE === 0;
  return {
    state: next === null ? "done" : isPause ? "paused" : "comparing",
    differences,
    unread: [...before.unread, ...unread],
    from: next ?? pageCount,
    pageCount,
    reason: null,
  };
}
