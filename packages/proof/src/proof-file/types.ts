import type { ProofContent } from "@paraphe/contracts/proof-file";
import type { Evidence } from "@paraphe/pades";
import type { JournalFacts } from "../journal.ts";

/**
 * What is checked of `preuve.json` and of the files beside it, in the order in which it is told.
 */
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

/** `not_checked`: nothing speaks against it, and nothing for it. */
export type CheckState = "ok" | "failed" | "not_checked";

/**
 * `subject`: the name of the file that it is about; null when it is about the proof. `sentence`:
 * French.
 */
export type ProofCheck = {
  readonly name: ProofCheckName;
  readonly state: CheckState;
  readonly subject: string | null;
  readonly sentence: string;
};

/**
 * A root that everything rests on. `fingerprint`: SHA-256 of the certificate, upper-case
 * hexadecimal by pairs, as the service publishes it.
 */
export type RootFacts = { readonly name: string; readonly fingerprint: string };

/**
 * `valid`: everything was checked, and holds; `invalid`: something does not; `indeterminate`:
 * something could not be checked.
 * `proof` is null for what is no `preuve.json`; `limits`: what no check without the service can
 * say, in French.
 */
export type ProofReport = {
  readonly verdict: "valid" | "indeterminate" | "invalid";
  readonly summary: string;
  readonly checks: readonly ProofCheck[];
  readonly roots: readonly RootFacts[];
  readonly limits: readonly string[];
  readonly proof: ProofContent | null;
};

/**
 * A signature as the file states it, without a proof: nobody vouches for its name and its time,
 * null where the file has none.
 */
export type StatedSignature = {
  readonly file: string;
  readonly name: string | null;
  readonly at: Date | null;
};

/** A file that is held against the proof. `name`: what whoever brings it calls it. */
export type BroughtFile = { readonly name: string; readonly bytes: Uint8Array };

/**
 * What a proof is held against. `roots`: certificates (DER) that the reader trusts by themselves,
 * those that the proof names for times alone for no more; `sealKeys`: keys of the service's seal
 * that they
 * trust, by their RFC 7638 thumbprints: such a seal's word is taken on its roots. With none of
 * either, the roots that the proof names are followed, and
 * nothing is said to be valid. `now`: the moment of the check.
 */
export type ProofRequest = {
  readonly proof: Uint8Array;
  readonly files: readonly BroughtFile[];
  readonly roots: readonly Uint8Array[];
  readonly sealKeys?: readonly string[];
  readonly now: Date;
};

/** What each check is given. `evidence`, `vouched`: as in `ReaderTrust`. */
export type CheckContext = {
  readonly content: ProofContent;
  /** What the journal says, which is held against everything else. */
  readonly facts: JournalFacts;
  readonly evidence: Evidence;
  readonly vouched: Evidence;
  readonly now: Date;
  /** When the proof was made, as it says. */
  readonly madeAt: Date;
  /**
   * When the proof, and so each file that it names, is proven to have been there; null without a
   * time-stamp that holds.
   */
  readonly provenAt: Date | null;
};
