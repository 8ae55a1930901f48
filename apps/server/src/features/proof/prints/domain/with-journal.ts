import type { Judgement } from "./judge-proof.ts";

/** What is said of an envelope whose journal is not the one that was written: the files may be as they were signed, and nothing tells how any more. */
const REWRITTEN =
  "L’historique de cette enveloppe a été modifié après coup\u00a0: il ne prouve plus qui a signé, ni comment. Ne vous fiez pas à ce document.";
const UNSOUND_LOG =
  "Ce que le journal de transparence dit de cette enveloppe ne tient pas\u00a0: il a été modifié après coup. Ne vous fiez pas à ce document.";
const LATE =
  "Cette enveloppe est terminée depuis longtemps, et le journal de transparence ne la couvrait pas à temps\u00a0: il l’aurait dû. Demandez-en la raison à l’organisation qui exploite ce service.";

/**
 * What was found of a journal. `faults`: where it contradicts itself or the rows beside it, in French; `closed`: what it commits to and cannot be opened any
 * more; `isLogSound`, `isLate`: of the public log; left out, that was not looked at.
 */
export type JournalFindings = {
  readonly chain: { readonly intact: boolean };
  readonly faults: readonly string[];
  readonly closed: readonly string[];
  readonly isLogSound?: boolean;
  readonly isLate?: boolean;
};

/** Gives a judgement of the files with what their journal says, which is the truth: what was changed, or differs from it, is never told to be valid. */
export function withJournal<T extends Pick<Judgement, "verdict" | "reason">>(judgement: T, journal: JournalFindings): T {
  if (judgement.verdict === "invalid") return judgement;
  if (!journal.chain.intact) return { ...judgement, verdict: "invalid", reason: REWRITTEN };
  const [fault] = journal.faults;
  if (fault !== undefined) return { ...judgement, verdict: "invalid", reason: `${fault} Ne vous fiez pas à ce document.` };
  if (journal.isLogSound === false) return { ...judgement, verdict: "invalid", reason: UNSOUND_LOG };
  if (judgement.verdict !== "valid") return judgement;
  if (journal.closed.length > 0)
    return {
      ...judgement,
      verdict: "indeterminate",
      reason: `Les signatures sont valides, mais l’historique ne montre plus de quoi vérifier\u00a0: ${journal.closed.join(", ")}.`,
    };
  return journal.isLate === true ? { ...judgement, verdict: "indeterminate", reason: LATE } : judgement;
}
