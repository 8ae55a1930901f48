import type { Proof } from "@paraphe/contracts";

/** What one signature's validation comes to, in three words, with the reason and what follows from it. */
export type SignatureVerdict = {
  readonly verdict: Proof["verdict"];
  readonly reason: string;
  readonly consequence: string;
};

/** The sub-indications that a validation gives: a new one does not fit where its report is handed over. */
export type FailureReason =
  | "FORMAT_FAILURE"
  | "HASH_FAILURE"
  | "SIG_CRYPTO_FAILURE"
  | "SIGNED_DATA_NOT_FOUND"
  | "REVOKED"
  | "REVOKED_NO_POE"
  | "EXPIRED"
  | "NOT_YET_VALID"
  | "OUT_OF_BOUNDS_NO_POE"
  | "OUT_OF_BOUNDS_NOT_REVOKED"
  | "NO_POE"
  | "TIMESTAMP_ORDER_FAILURE"
  | "NO_SIGNING_CERTIFICATE_FOUND"
  | "NO_CERTIFICATE_CHAIN_FOUND"
  | "CERTIFICATE_CHAIN_GENERAL_FAILURE"
  | "CHAIN_CONSTRAINTS_FAILURE"
  | "SIG_CONSTRAINTS_FAILURE"
  | "CRYPTO_CONSTRAINTS_FAILURE"
  | "TRY_LATER";
/** The part of a signature's report that its verdict is read from. */
export type JudgedReport = {
  readonly indication: "TOTAL_PASSED" | "INDETERMINATE" | "TOTAL_FAILED";
  readonly subIndication: FailureReason | null;
  readonly laterChanges: "none" | "form_filling" | "signing" | "lta" | "unsigned_filling" | "other";
  readonly coverage: "whole_file" | "whole_revision" | "partial";
};

const DISTRUST = "Ne vous fiez pas à ce document.";
const ASK_SIGNER = "Demandez au signataire de confirmer sa signature.";
const LATER = "Recommencez la vérification plus tard.";
const KEEP =
  "Le document n’a pas été modifié, mais cette signature ne suffit pas seule comme preuve.";

/** Why a signature is not passed, by the names of EN 319 102-1 §5.1.3, table 6. */
const REASONS: Readonly<Record<FailureReason, readonly [reason: string, consequence: string]>> = {
  FORMAT_FAILURE: ["La signature n’a pas la forme attendue.", DISTRUST],
  HASH_FAILURE: ["Le document a été modifié après cette signature.", DISTRUST],
  SIG_CRYPTO_FAILURE: ["La signature ne correspond pas à la clé du signataire.", DISTRUST],
  SIGNED_DATA_NOT_FOUND: ["Le contenu signé est introuvable dans le fichier.", DISTRUST],
  REVOKED: ["Le certificat du signataire était révoqué au moment de la signature.", DISTRUST],
  REVOKED_NO_POE: [
    "Le certificat du signataire a été révoqué, et rien ne prouve que la signature soit antérieure.",
    ASK_SIGNER,
  ],
  EXPIRED: ["Le certificat du signataire avait expiré au moment de la signature.", ASK_SIGNER],
  NOT_YET_VALID: [
    "Le certificat du signataire n’était pas encore valable au moment de la signature.",
    ASK_SIGNER,
  ],
  OUT_OF_BOUNDS_NO_POE: [
    "Le certificat du signataire a expiré, et rien ne prouve que la signature soit antérieure.",
    ASK_SIGNER,
  ],
  OUT_OF_BOUNDS_NOT_REVOKED: [
    "Le certificat du signataire a expiré depuis, sans avoir été révoqué.",
    KEEP,
  ],
  NO_POE: [
    "L’horodatage vient d’une autorité qui n’est pas reconnue ici : la date de la signature n’est pas prouvée.",
    KEEP,
  ],
  TIMESTAMP_ORDER_FAILURE: [
    "Un horodatage est postérieur à ce qui le suit, ou à l’heure de cette vérification.",
    ASK_SIGNER,
  ],
  NO_SIGNING_CERTIFICATE_FOUND: [
    "Le certificat du signataire est absent du fichier, ou n’est pas celui que la signature désigne.",
    ASK_SIGNER,
  ],
  NO_CERTIFICATE_CHAIN_FOUND: [
    "L’autorité qui a délivré le certificat du signataire n’est pas reconnue ici.",
    ASK_SIGNER,
  ],
  CERTIFICATE_CHAIN_GENERAL_FAILURE: [
    "Le certificat d’une autorité intermédiaire n’est plus digne de confiance.",
    ASK_SIGNER,
  ],
  CHAIN_CONSTRAINTS_FAILURE: [
    "Le certificat employé n’est pas prévu pour signer des documents.",
    ASK_SIGNER,
  ],
  SIG_CONSTRAINTS_FAILURE: ["Il manque à la signature un élément que la norme exige.", ASK_SIGNER],
  CRYPTO_CONSTRAINTS_FAILURE: [
    "La signature emploie un procédé cryptographique trop faible ou inconnu.",
    ASK_SIGNER,
  ],
  TRY_LATER: ["L’état du certificat du signataire n’a pas pu être obtenu.", LATER],
};

/** Gives the plain verdict on one signature: a pure reading of its report. Source: EN 319 102-1 §5.1.3. */
export function signatureVerdict(signature: JudgedReport): SignatureVerdict {
  if (signature.indication === "TOTAL_PASSED") {
    return {
      verdict: "valid",
      reason: "La signature est valide, et rien de ce qu’elle couvre n’a changé depuis.",
      consequence: "Vous pouvez vous y fier.",
    };
  }
  const isFailed = signature.indication === "TOTAL_FAILED";
  const [reason, consequence] = reasonOf(signature);
  return {
    verdict: isFailed ? "invalid" : "indeterminate",
    reason,
    consequence: isFailed ? DISTRUST : consequence,
  };
}

function reasonOf({
  subIndication,
  laterChanges,
  coverage,
}: JudgedReport): readonly [string, string] {
  // A forbidden change is a failure of form for the standard; people are told what happened.
  if (subIndication === "FORMAT_FAILURE" && coverage === "partial")
    return ["La signature ne couvre pas tout le document.", DISTRUST];
  if (subIndication === "FORMAT_FAILURE" && laterChanges === "other")
    return [
      "Le document a été modifié après cette signature d’une façon qu’elle n’autorise pas.",
      DISTRUST,
    ];
  if (subIndication === "FORMAT_FAILURE" && laterChanges === "unsigned_filling")
    return [
      "Des champs ont été remplis après la dernière signature, ou par quelqu’un d’autre que leur signataire.",
      DISTRUST,
    ];
  return subIndication === null
    ? ["La signature n’a pas pu être vérifiée jusqu’au bout.", LATER]
    : REASONS[subIndication];
}
