import type { Judgement } from "./judge-proof.ts";

/** What is said of an envelope whose journal is not the one that was written: the files may be as they were signed, and nothing tells how any more. */
const REWRITTEN =
  "Le journal de cette enveloppe a été modifié après coup\u00a0: il ne prouve plus qui a signé, ni comment. Ne vous fiez pas à ce document.";

/** Gives a judgement of the files with what their journal says: one that was changed is never told to be valid. */
export function withJournal<T extends Pick<Judgement, "verdict" | "reason">>(judgement: T, journal: { readonly intact: boolean }): T {
  return journal.intact || judgement.verdict === "invalid" ? judgement : { ...judgement, verdict: "invalid", reason: REWRITTEN };
}
