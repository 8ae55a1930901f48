import type { ProofContent } from "@paraphe/contracts/proof/proof-file";
import type { Evidence } from "@paraphe/pades";
import type { JournalFacts } from "../journal.ts";

export type ProofCheckName =
  | "form"
  | "seal"
  | "content"
  | "seal_key"
  | "stamp"
  | "seal_chain"
  | "root"
  | "completion"
  | "file"
  | "signatures"
  | "link"
  | "cards"
  | "journal"
  | "journal_files"
  | "journal_facts"
  | "personal"
  | "inclusion"
  | "checkpoint"
  | "statement"
  | "paper";

/** `not_checked`: neither confirmed nor contradicted. */
export type CheckState = "ok" | "failed" | "not_checked";

/** `subject`: name of the file; null for the proof. `sentence`: French. */
export type ProofCheck = {
  readonly name: ProofCheckName;
  readonly state: CheckState;
  readonly subject: string | null;
  readonly sentence: string;
};

/** `fingerprint`: SHA-256 in upper-case pairs, as published. */
export type RootFacts = { readonly name: string; readonly fingerprint: string };

/**
 * `valid`: everything was checked; `indeterminate`: something could not be.
 * `limits`: French, what cannot be checked without the service.
 */
export type ProofReport = {
  readonly verdict: "valid" | "indeterminate" | "invalid";
  readonly summary: string;
  readonly checks: readonly ProofCheck[];
  readonly roots: readonly RootFacts[];
  readonly limits: readonly string[];
  readonly proof: ProofContent | null;
};

export type StatedSignature = {
  readonly file: string;
  readonly name: string | null;
  readonly at: Date | null;
};

export type GivenFile = { readonly name: string; readonly bytes: Uint8Array };

/**
 * `roots`: DER, never those named for times alone; `sealKeys`: RFC 7638 thumbprints, which vouch
 * for a proof's roots. With neither, nothing is valid. `now`: moment of the check.
 */
export type ProofRequest = {
  readonly proof: Uint8Array;
  readonly files: readonly GivenFile[];
  readonly roots: readonly Uint8Array[];
  readonly sealKeys?: readonly string[];
  /** `proof` comes from an evidence PDF. */
  readonly isAttached?: boolean;
  readonly now: Date;
};

export const PAGES_UNCHECKED =
  "Les pages du dossier de preuve\u00a0: seul preuve.json, qui y est attaché, est vérifié ici. Un lecteur de PDF dit si le dossier a été modifié depuis son cachet.";

export type CheckContext = {
  readonly content: ProofContent;
  readonly facts: JournalFacts;
  readonly evidence: Evidence;
  readonly trusted: Evidence;
  readonly now: Date;
  readonly madeAt: Date;
  /** Proves that the proof and its files existed; null without a valid time-stamp. */
  readonly provenAt: Date | null;
};

export const CHECK_NAMES: Readonly<Record<ProofCheckName, string>> = {
  form: "Fichier de preuve",
  seal: "Signature du cachet",
  content: "Contenu scellé",
  seal_key: "Clé du cachet",
  stamp: "Horodatage du cachet",
  seal_chain: "Certificat du cachet",
  root: "Racine",
  completion: "Signatures réunies",
  file: "Fichier",
  signatures: "Signatures du fichier",
  link: "Fichier et preuve",
  cards: "Fiches de la preuve",
  journal: "Historique",
  journal_files: "Historique et fichiers",
  journal_facts: "Historique et preuve",
  personal: "Valeurs de l’historique",
  inclusion: "Journal de transparence",
  checkpoint: "Point de contrôle",
  statement: "QR code",
  paper: "Papier et fichier",
};
