import type { Proof } from "@paraphe/contracts";
import { formatLongDay } from "../../../lib/format/format-dates.ts";
import type { LogCheck } from "./log-card.tsx";
import { revocationWord } from "./card-parts.tsx";
import type { PaperState } from "./check-paper.ts";

/** Green only when complete, intact, shown as valid, and without revocation doubt. */
function sealState(proof: Proof, shown: Proof["verdict"]): "valid" | "waiting" | "failed" {
  if (
    shown === "invalid" ||
    (!proof.integrity && !proof.purged && proof.verdict !== "indeterminate")
  )
    return "failed";
  return shown === "valid" && proof.completed && !isRevocationDoubtful(proof.certificate)
    ? "valid"
    : "waiting";
}

/** A missing answer casts no doubt: the other one counts. */
function isRevocationDoubtful(certificate: Proof["certificate"]): boolean {
  if (certificate === null) return false;
  const { ocsp_status, crl_status } = certificate.revocation;
  return [revocationWord(ocsp_status, "ocsp"), revocationWord(crl_status, "crl")].some(
    ({ tone, word }) => tone === "bad" || word === "Inconnu",
  );
}

export type ShownVerdict = Pick<Proof, "verdict" | "reason"> & {
  readonly word?: string;
  /** The paper's code proves nothing: nothing is shown green. */
  readonly isPaperDoubted?: boolean;
};
type ServiceVerdict = Pick<Proof, "verdict" | "reason" | "purged">;
type Found = {
  readonly paper: PaperState;
  /** Null before the check, and without an inclusion proof. */
  readonly log: LogCheck | null;
};

/**
 * Never better than the service's verdict, and worse where this browser found a fault. A scanned
 * paper is green only with a genuine code of the document as it is now.
 */
export function shownVerdict(proof: ServiceVerdict, { paper, log }: Found): ShownVerdict {
  const { verdict, reason } = proof;
  if (paper.state === "forged")
    return {
      verdict: "invalid",
      word: "Ce code n’est pas celui de ce document",
      isPaperDoubted: true,
      reason:
        "Le service n’a pas signé le code de votre page pour cette impression\u00a0: il vient d’un autre document, ou il est falsifié. Ne vous fiez pas à ce papier.",
    };
  if (log?.state === "broken")
    return {
      verdict: "invalid",
      reason:
        "Le journal public ne porte pas ce que le service en dit. Ne vous fiez pas à ce document.",
    };
  if (verdict === "invalid") return { verdict, reason };
  return (
    paperDoubt(proof, paper) ??
    (verdict === "valid" ? lessThanValid(paper, log) : null) ?? { verdict, reason }
  );
}

/** Doubt from the paper's code, for a document that is not itself invalid. */
function paperDoubt(
  { verdict, reason, purged }: ServiceVerdict,
  paper: PaperState,
): ShownVerdict | null {
  if (paper.state === "cut")
    return {
      verdict: "indeterminate",
      word: "Le code de votre page est incomplet",
      isPaperDoubted: true,
      reason:
        "L’adresse ouverte ne porte pas le code entier d’une page\u00a0: elle a pu être coupée ou mal recopiée. Scannez à nouveau le code imprimé, bien à plat\u00a0: sans lui, rien ne dit que votre papier vienne du service.",
    };
  if (paper.state !== "other") return null;
  const made = `Elle a été imprimée le ${formatLongDay(`${paper.madeOn}T12:00:00Z`)}, d’un état du document qui n’est plus le dernier\u00a0: une signature a pu s’y ajouter depuis.`;
  const now =
    verdict === "valid"
      ? "Le document signé, lui, est valide\u00a0: comparez-les, lui seul fait foi."
      : reason;
  return {
    verdict: "indeterminate",
    word: "Votre page est d’une autre version",
    reason: purged ? made : `${made} ${now}`,
  };
}

function lessThanValid(paper: PaperState, log: LogCheck | null): ShownVerdict | null {
  if (paper.state === "revoked")
    return {
      verdict: "indeterminate",
      word: "Ce code ne prouve rien",
      isPaperDoubted: true,
      reason:
        "La clé qui a signé le code de votre page a été révoquée\u00a0: rien ne prouve que cette page ait été faite avant, ni par le service. Comparez-la mot à mot avec le document signé, qui seul fait foi.",
    };
  if (paper.state === "checking")
    return {
      verdict: "indeterminate",
      word: "Contrôle en cours",
      reason: "Le code de votre page est en train d’être vérifié.",
    };
  if (paper.state === "away")
    return {
      verdict: "indeterminate",
      reason:
        "Ce qui contrôle le code de votre page n’a pas pu être chargé. Rechargez la page pour recommencer.",
    };
  if (log?.state === "elsewhere")
    return {
      verdict: "indeterminate",
      word: "Cette adresse n’est pas celle du journal",
      reason: `Le journal public de ce document est celui de ${log.log}, et vous lisez cette page à une autre adresse. Ouvrez-la à la première avant de vous y fier.`,
    };
  return null;
}

export type Band = Pick<ShownVerdict, "verdict" | "reason" | "word"> & {
  readonly seal: "valid" | "waiting" | "unsure" | "failed" | "gone";
};

/** An undecided verdict says what is awaited, or what became of it. */
export function bandOf(proof: Proof, { verdict, reason, word }: ShownVerdict): Band {
  const seal = sealState(proof, verdict);
  const undecided = { verdict, reason, seal: seal === "waiting" ? "unsure" : seal } as const;
  if (verdict !== "indeterminate" || word !== undefined)
    return word === undefined ? undecided : { ...undecided, word };
  if (proof.purged)
    return {
      verdict,
      word: "Document supprimé par son propriétaire",
      reason: describePurge(proof),
      seal: "gone",
    };
  return isAwaited(proof)
    ? { verdict, word: "Signature en cours", reason, seal: "waiting" }
    : undecided;
}

function isAwaited({ completed, cancelled, declined, expired, signers }: Proof): boolean {
  return !completed && !cancelled && !declined && !expired && signers.some(({ signed }) => !signed);
}

export function describePurge({ purged_at, completed }: Proof): string {
  const when = purged_at ? ` le ${formatLongDay(purged_at)}` : "";
  const before = completed
    ? ""
    : " Il n’avait jamais été complété\u00a0: il manquait au moins une signature.";
  return `Le propriétaire a supprimé ce document${when}.${before} La preuve d’intégrité reste consultable\u202f; le fichier n’est plus disponible ici.`;
}
