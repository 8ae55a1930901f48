import type { Proof } from "@paraphe/contracts";
import { notValidatedSentence } from "@paraphe/contracts/proof/not-validated";

export type SignatureVerdict = {
  readonly verdict: Proof["verdict"];
  readonly reason: string;
  readonly consequence: string;
};

/** A new sub-indication does not compile without its sentence. */
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
export type SignatureFindings = {
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

/** Source: EN 319 102-1 §5.1.3, table 6. */
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

/** Source: EN 319 102-1 §5.1.3. */
export function signatureVerdict(signature: SignatureFindings): SignatureVerdict {
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
}: SignatureFindings): readonly [string, string] {
  // To people, a partly covered file is a changed document.
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

export type CheckedSignature = {
  readonly indication: "TOTAL_PASSED" | "INDETERMINATE" | "TOTAL_FAILED";
  readonly isIntact: boolean;
  readonly said: SignatureVerdict;
  /** Warnings change no verdict. */
  readonly warnings: readonly string[];
  readonly level: Proof["level"];
  /** Made for this envelope; uploads may have others'. */
  readonly isOurs: boolean;
};

export type CheckedFile = {
  /** Stored under its name, and its hash agrees. */
  readonly isStored: boolean;
  readonly isMissing?: boolean;
  readonly isNamed: boolean;
  readonly problems: readonly string[];
  readonly signatures: readonly CheckedSignature[];
  readonly expectedCount: number;
};

export type Verdict = Pick<Proof, "verdict" | "reason" | "integrity" | "level">;

const PROBLEMS: Readonly<Record<string, string>> = {
  trailing_bytes: "Des données ont été ajoutées derrière la fin du document.",
  unlisted_signature:
    "Ce fichier montre une signature que rien ne permet de vérifier\u00a0: elle n’est la valeur d’aucun champ.",
  stray_signature:
    "Ce fichier porte une signature faite par ce service que l’historique de l’enveloppe ne nomme pas.",
  broken_xref:
    "La structure de ce fichier est abîmée\u00a0: tous les lecteurs ne l’affichent peut-être pas de la même façon.",
};

const LEVELS = ["B-B", "B-T", "B-LT", "B-LTA"] as const;

export function envelopeVerdict(all: readonly CheckedFile[], missing: number): Verdict {
  // Files not validated count neither for nor against.
  const files = all.filter((file) => unreadSaid(file) === null);
  const verdict = filesVerdict(files, missing);
  const unjudged = all.map(unreadSaid).find((said) => said !== null);
  if (unjudged === undefined || verdict.verdict === "invalid") return verdict;
  return { verdict: "indeterminate", integrity: false, level: null, reason: unjudged };
}

const ALTERED =
  "Le fichier conservé n’est pas celui qui a été signé. Ne vous fiez pas à ce document.";
const MISSING =
  "Le fichier conservé est introuvable\u00a0: rien ne peut plus être vérifié ici. Demandez l’exemplaire signé à son expéditeur.";

function filesVerdict(files: readonly CheckedFile[], missing: number): Verdict {
  const ours = files.flatMap((file) => file.signatures.filter((signature) => signature.isOurs));
  const level = lowestLevel(ours);
  const isIntact = files.every(
    (file) =>
      file.isStored &&
      file.problems.length === 0 &&
      file.signatures.every((signature) => signature.isIntact),
  );
  const isComplete = files.every(
    (file) => file.signatures.filter((signature) => signature.isOurs).length === file.expectedCount,
  );
  const failed = ours.some((signature) => signature.indication === "TOTAL_FAILED");
  const notThere = notTheFile(files);
  if (notThere !== null)
    return { verdict: "invalid", integrity: false, level: null, reason: notThere };
  if (!isIntact || !isComplete || failed) {
    const reason = problemSaid(files) ?? firstSaid(files, "invalid") ?? INVALID;
    return { verdict: "invalid", integrity: isIntact && isComplete, level, reason };
  }
  const undecided = (reason: string): Verdict => ({
    verdict: "indeterminate",
    integrity: true,
    level,
    reason,
  });
  if (ours.length === 0) return undecided("Personne n’a encore signé ce document.");
  if (ours.some((signature) => signature.indication !== "TOTAL_PASSED"))
    return undecided(firstSaid(files, "indeterminate") ?? UNDECIDED);
  if (missing > 0) return undecided(waitingReason(missing));
  return { verdict: "valid", integrity: true, level, reason: validReason(files) };
}

const INVALID =
  "Une signature n’est pas valide, ou le document a été modifié après elle. Ne vous fiez pas à ce document.";
const UNDECIDED =
  "Le document n’a pas été modifié, mais une signature ne peut pas être vérifiée jusqu’au bout pour l’instant.";

function notTheFile(files: readonly CheckedFile[]): string | null {
  if (files.some(({ isStored }) => !isStored))
    return files.every(({ isStored, isMissing }) => isStored || isMissing === true)
      ? MISSING
      : ALTERED;
  if (files.some((file) => !file.isNamed)) return ANOTHER;
  return null;
}

const ANOTHER =
  "Le fichier conservé n’est pas celui que l’historique de l’enveloppe nomme. Ne vous fiez pas à ce document.";

function waitingReason(missing: number): string {
  const waiting =
    missing === 1
      ? "une signature est encore attendue"
      : `${missing} signatures sont encore attendues`;
  return `Les signatures apposées sont valides, mais ${waiting}.`;
}

/** Signatures of unknown authorities in the upload never count as valid. */
function validReason(files: readonly CheckedFile[]): string {
  const unknown = files
    .flatMap((file) => file.signatures)
    .filter((one) => !one.isOurs && one.indication !== "TOTAL_PASSED").length;
  if (unknown === 0)
    return "Toutes les signatures sont valides et le document n’a pas été modifié depuis.";
  const others =
    unknown === 1
      ? "une signature d’une autre origine, dont l’auteur ne peut pas être vérifié ici"
      : `${unknown} signatures d’une autre origine, dont les auteurs ne peuvent pas être vérifiés ici`;
  return `Les signatures recueillies par ce service sont valides et le document n’a pas été modifié depuis. Il portait déjà ${others}.`;
}

function unreadSaid({ isStored, isNamed, problems }: CheckedFile): string | null {
  return isStored && isNamed ? notValidatedSentence(problems) : null;
}

/** Comes first: the file's signatures would only report a bad format. */
function problemSaid(files: readonly CheckedFile[]): string | null {
  const said = files
    .flatMap(({ problems }) => problems)
    .flatMap((problem) => PROBLEMS[problem] ?? []);
  return said[0] === undefined ? null : `${said[0]} ${DISTRUST}`;
}

function firstSaid(files: readonly CheckedFile[], verdict: Proof["verdict"]): string | null {
  const said = files
    .flatMap((file) => file.signatures)
    .toSorted((left, right) => Number(right.isOurs) - Number(left.isOurs))
    .find((signature) => signature.said.verdict === verdict)?.said;
  return said ? `${said.reason} ${said.consequence}` : null;
}

function lowestLevel(signatures: readonly CheckedSignature[]): Proof["level"] {
  const ranks = signatures.map(({ level }) => (level === null ? -1 : LEVELS.indexOf(level)));
  return ranks.length === 0 ? null : (LEVELS[Math.min(...ranks)] ?? null);
}

const REWRITTEN =
  "L’historique de cette enveloppe a été modifié après coup\u00a0: il ne prouve plus qui a signé, ni comment. Ne vous fiez pas à ce document.";
const UNSOUND_LOG =
  "Ce que le journal de transparence dit de cette enveloppe ne tient pas\u00a0: il a été modifié après coup. Ne vous fiez pas à ce document.";
const LATE =
  "Cette enveloppe est terminée depuis longtemps, et le journal de transparence ne la couvrait pas à temps\u00a0: il l’aurait dû. Demandez-en la raison à l’organisation qui exploite ce service.";

/**
 * `faults`: contradictions, in French; `closed`: erased values; `isLogSound`, `isLate`: set where
 * the public log was read.
 */
export type JournalFindings = {
  readonly chain: { readonly intact: boolean };
  readonly faults: readonly string[];
  readonly closed: readonly string[];
  readonly isLogSound?: boolean;
  readonly isLate?: boolean;
};

/** What is changed or contradicted is never valid. */
export function withJournal<T extends Pick<Verdict, "verdict" | "reason">>(
  verdict: T,
  journal: JournalFindings,
): T {
  if (verdict.verdict === "invalid") return verdict;
  if (!journal.chain.intact) return { ...verdict, verdict: "invalid", reason: REWRITTEN };
  const [fault] = journal.faults;
  if (fault !== undefined)
    return { ...verdict, verdict: "invalid", reason: `${fault} Ne vous fiez pas à ce document.` };
  if (journal.isLogSound === false) return { ...verdict, verdict: "invalid", reason: UNSOUND_LOG };
  if (verdict.verdict !== "valid") return verdict;
  if (journal.closed.length > 0)
    return {
      ...verdict,
      verdict: "indeterminate",
      reason: `Les signatures sont valides, mais l’historique ne montre plus de quoi vérifier\u00a0: ${journal.closed.join(", ")}.`,
    };
  return journal.isLate === true ? { ...verdict, verdict: "indeterminate", reason: LATE } : verdict;
}

/** A new warning does not compile without its sentence. */
type SignatureWarning = "issuer_serial_differs" | "signing_time_attribute";

/** Source: EN 319 102-1 §5.2.3.4, EN 319 142-1 §6.3, table 1. */
const SENTENCES: Readonly<Record<SignatureWarning, string>> = {
  issuer_serial_differs:
    "Une signature désigne son certificat par la bonne empreinte, mais avec un émetteur ou un numéro de série qui ne sont pas les siens.",
  signing_time_attribute:
    "Une signature porte une date à un endroit que le format PAdES n’admet pas\u00a0: aucun niveau PAdES ne lui est reconnu.",
};

export const warningsOfSignature = (warnings: readonly SignatureWarning[]): readonly string[] =>
  warnings.map((warning) => SENTENCES[warning]);

export function warningsOfFiles(files: readonly CheckedFile[]): string[] {
  return [
    ...new Set(files.flatMap(({ signatures }) => signatures).flatMap(({ warnings }) => warnings)),
  ];
}
