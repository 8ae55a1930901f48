import type { Proof } from "@paraphe/contracts";
import type { PaperState } from "./use-paper-check.ts";

/** What is said on top. `word`: in the place of the verdict's own. */
export type ShownVerdict = Pick<Proof, "verdict" | "reason"> & {
  readonly word?: string;
  /** The code of the paper is nobody's word: nothing green stands beside. */
  readonly isPaperDoubted?: boolean;
};
type Found = {
  readonly paper: PaperState;
  /** The log, checked in this browser, does not bear what the service says of it. */
  readonly isLogBroken: boolean;
};

/**
 * The verdict that the page shows: never more than the service's, and less where this browser found it wanting. Whoever came from a paper asks about
 * the paper: nothing is green while its code is not known to be the service's own.
 */
export function shownVerdict({ verdict, reason }: Pick<Proof, "verdict" | "reason">, { paper, isLogBroken }: Found): ShownVerdict {
  if (paper.state === "forged")
    return {
      verdict: "invalid",
      word: "Ce code n’est pas celui de ce document",
      isPaperDoubted: true,
      reason:
        "Le service n’a pas signé le code de votre page pour cette impression\u00a0: il vient d’un autre document, ou il est falsifié. Ne vous fiez pas à ce papier.",
    };
  if (isLogBroken)
    return { verdict: "invalid", reason: "Le journal public ne porte pas ce que le service en dit. Ne vous fiez pas à ce document." };
  if (verdict !== "valid") return { verdict, reason };
  if (paper.state === "revoked")
    return {
      verdict: "indeterminate",
      word: "Ce code ne prouve rien",
      isPaperDoubted: true,
      reason:
        "La clé qui a signé le code de votre page a été révoquée\u00a0: rien ne prouve que cette page ait été faite avant, ni par le service. Comparez-la mot à mot avec le document signé, qui seul fait foi.",
    };
  if (paper.state === "checking")
    return { verdict: "indeterminate", word: "Contrôle en cours", reason: "Le code de votre page est en train d’être vérifié." };
  if (paper.state === "away")
    return {
      verdict: "indeterminate",
      reason: "Ce qui contrôle le code de votre page n’a pas pu être chargé. Rechargez la page pour recommencer.",
    };
  return { verdict, reason };
}
