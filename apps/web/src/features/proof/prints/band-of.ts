import type { Proof } from "@paraphe/contracts";
import { formatLongDay } from "../../../lib/format-dates.ts";
import { sealState } from "./seal-state.ts";
import type { ShownVerdict } from "./shown-verdict.ts";

/** What the band at the head says, and its seal. */
export type Band = Pick<ShownVerdict, "verdict" | "reason" | "word"> & {
  readonly seal: "valid" | "waiting" | "unsure" | "failed" | "gone";
};

/** Gives the band of a verdict: one that is not decided yet is told as what it waits for, or as what became of the document. */
export function bandOf(proof: Proof, { verdict, reason, word }: ShownVerdict): Band {
  const seal = sealState(proof, verdict);
  const undecided = { verdict, reason, seal: seal === "waiting" ? "unsure" : seal } as const;
  // What is wrong, or doubted of the paper, is said all the same.
  if (verdict !== "indeterminate" || word !== undefined) return word === undefined ? undecided : { ...undecided, word };
  if (proof.purged) return { verdict, word: "Document supprimé par son propriétaire", reason: purgedSaid(proof), seal: "gone" };
  return isAwaited(proof) ? { verdict, word: "Signature en cours", reason, seal: "waiting" } : undecided;
}

function isAwaited({ completed, cancelled, declined, expired, signers }: Proof): boolean {
  return !completed && !cancelled && !declined && !expired && signers.some(({ signed }) => !signed);
}

/** What became of a document that its owner deleted. */
export function purgedSaid({ purged_at, completed }: Proof): string {
  const when = purged_at ? ` le ${formatLongDay(purged_at)}` : "";
  const before = completed ? "" : " Il n’avait jamais été complété\u00a0: il manquait au moins une signature.";
  return `Le propriétaire a supprimé ce document${when}.${before} La preuve d’intégrité reste consultable\u202f; le fichier n’est plus disponible ici.`;
}
