import type { CorrectionAnswer, PageDifferenceAnswer } from "@paraphe/contracts";
import { andList } from "@paraphe/kernel/french-words";
import { useEffect, useState } from "react";
import { callMessage } from "../../../lib/api/api-error.ts";
import { Button } from "../../../ui/button/button.tsx";
import { Checkbox } from "../../../ui/checkbox/checkbox.tsx";
import { lazyDialog } from "../../../ui/dialog/lazy-dialog.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import styles from "./correction.module.css";

type AskComparison = (from: number, signal: AbortSignal) => Promise<CorrectionAnswer>;

type Comparison = {
  /** `paused`: many pages differ; the reader decides whether to go on. */
  readonly state: "comparing" | "paused" | "done" | "failed";
  readonly differences: readonly PageDifferenceAnswer[];
  readonly unread: readonly number[];
  readonly from: number;
  /** 0 before the first answer. */
  readonly pageCount: number;
  readonly reason: string | null;
};

const BEGUN: Comparison = {
  state: "comparing",
  differences: [],
  unread: [],
  from: 1,
  pageCount: 0,
  reason: null,
};
const FAILURE = "La copie corrigée n’a pas pu être comparée avec l’original. Réessayez.";
const PAUSE = 20;

/** A new `ask` restarts the comparison; `goOn` resumes it after a pause or a failure. */
function useComparison(ask: AskComparison | null): {
  readonly comparison: Comparison;
  readonly goOn: () => void;
} {
  const [comparison, setComparison] = useState(BEGUN);
  const { state, from } = comparison;
  useEffect(() => setComparison(BEGUN), [ask]);
  useEffect(() => {
    if (ask === null || state !== "comparing") return undefined;
    const gone = new AbortController();
    ask(from, gone.signal).then(
      (answer) => !gone.signal.aborted && setComparison((before) => after(before, answer)),
      (error: unknown) =>
        !gone.signal.aborted &&
        setComparison((before) => ({
          ...before,
          state: "failed",
          reason: callMessage(error, FAILURE),
        })),
    );
    return () => gone.abort();
  }, [ask, state, from]);
  return {
    comparison,
    goOn: () => setComparison((before) => ({ ...before, state: "comparing", reason: null })),
  };
}

function after(
  before: Comparison,
  { page_count: pageCount, next, unread, difference }: CorrectionAnswer,
): Comparison {
  const differences =
    difference === null ? before.differences : [...before.differences, difference];
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

const listed = (pages: readonly number[]): string => andList(pages.map(String));

export function comparisonSentence({
  state,
  differences,
  unread,
  from,
  pageCount,
  reason,
}: Comparison): string {
  if (state === "failed") return reason ?? "";
  if (state === "comparing")
    return `Comparaison de la copie corrigée avec l’original${pageCount > 1 ? `\u00a0: page ${from} sur ${pageCount}` : ""}…`;
  const found =
    differences.length === 0
      ? sameSentence({ unread, pageCount })
      : differencesSentence(differences.map(({ page }) => page));
  const rest = state === "paused" ? "Les pages suivantes ne sont pas encore comparées." : "";
  return [found, unreadSentence(unread), rest].filter(Boolean).join(" ");
}

function sameSentence({ unread, pageCount }: Pick<Comparison, "unread" | "pageCount">): string {
  if (unread.length === 0) return "La copie corrigée a le même aspect que l’original.";
  return unread.length < pageCount ? "Les pages comparées ont le même aspect que l’original." : "";
}

function differencesSentence(pages: readonly number[]): string {
  if (pages.length === 1)
    return `La page ${listed(pages)} change d’aspect dans la copie corrigée\u00a0: comparez-la avant d’accepter.`;
  return `Les pages ${listed(pages)} changent d’aspect dans la copie corrigée\u00a0: comparez-les avant d’accepter.`;
}

function unreadSentence(pages: readonly number[]): string {
  if (pages.length === 0) return "";
  return pages.length === 1
    ? `La page ${listed(pages)} n’a pas pu être comparée\u00a0: relisez-la une fois la copie acceptée.`
    : `Les pages ${listed(pages)} n’ont pas pu être comparées\u00a0: relisez-les une fois la copie acceptée.`;
}

const DifferencesDialog = lazyDialog(
  async () => (await import("./differences-dialog.tsx")).DifferencesDialog,
);

export type ComparedCopy = ReturnType<typeof useComparedCopy>;

/** `ask`: a new function starts a new comparison; null once the copy is accepted for good. */
export function useComparedCopy(ask: AskComparison | null) {
  const { comparison, goOn } = useComparison(ask);
  const [isOpen, setIsOpen] = useState(false);
  /** Differences shown so far: later ones are still to be seen. */
  const [seen, setSeen] = useState<Comparison["differences"]>([]);
  const { differences } = comparison;
  return {
    ask,
    comparison,
    goOn,
    seen,
    open: () => {
      setIsOpen(true);
      setSeen(differences);
    },
    dialog: isOpen ? (
      <DifferencesDialog differences={differences} onClose={() => setIsOpen(false)} />
    ) : null,
  };
}

type ConsentProps = {
  readonly label: string;
  readonly checked: boolean;
  readonly onChange: (accepts: boolean) => void;
};

export function CopyConsent({
  ask,
  ...consent
}: ConsentProps & { readonly ask: AskComparison | null }) {
  const copy = useComparedCopy(ask);
  return (
    <>
      <ComparedConsent copy={copy} {...consent} />
      {copy.dialog}
    </>
  );
}

/** Possible once the differences are shown. */
export function ComparedConsent({
  copy: { ask, comparison, goOn, seen, open },
  label,
  checked,
  onChange,
}: ConsentProps & { readonly copy: ComparedCopy }) {
  const { state, differences } = comparison;
  const isCompared = state === "done" || state === "paused";
  return (
    <div className={styles["consent"]}>
      {ask === null ? null : <p role="status">{comparisonSentence(comparison)}</p>}
      {ask !== null && differences.length > 0 ? (
        <Button size="sm" onClick={open}>
          <Icon name="eye" size="sm" />
          Comparer les pages
        </Button>
      ) : null}
      {state === "failed" || state === "paused" ? (
        <Button size="sm" onClick={goOn}>
          {state === "failed" ? "Réessayer" : "Comparer la suite"}
        </Button>
      ) : null}
      <Checkbox
        label={label}
        checked={checked}
        disabled={ask === null || !isCompared || (differences.length > 0 && seen !== differences)}
        onChange={(event) => onChange(event.target.checked)}
      />
    </div>
  );
}
