import type { Inclusion } from "@paraphe/contracts";
import { brokenAt, namedFiles } from "./check-journal.ts";
import { isIncluded } from "./check-log.ts";
import { readProofFile } from "./reader-trust.ts";

/**
 * What a `preuve.json` shows by itself to stand in the transparency log. `none`: it is no proof;
 * `uncovered`: no checkpoint covered its journal yet; `broken`: its journal
 * or its path does not hold. `files`: SHA-256 of the files that the covered events name. Whose
 * checkpoint it is stays to be checked.
 */
export type LoggedProof =
  | { readonly state: "none" | "uncovered" | "broken" }
  | { readonly state: "covered"; readonly inclusion: Inclusion; readonly files: readonly string[] };

/**
 * Reads a proof for the log's sake: its journal recomputed, its head followed to the root of its
 * checkpoint. Reads no PDF, and loads no library that does.
 */
export function readLoggedProof(bytes: Uint8Array): LoggedProof {
  const content = readProofFile(bytes)?.file.proof;
  if (content === undefined) return { state: "none" };
  const { inclusion, journal, files } = content;
  if (inclusion === null) return { state: "uncovered" };
  if (brokenAt(content) >= 0 || !isIncluded(content, inclusion)) return { state: "broken" };
  const named = namedFiles(
    journal.events.filter(({ sequence }) => sequence <= inclusion.entry.sequence),
  );
  const hashes = files
    .filter(({ document, sha256 }) => named.has(`${document}:${sha256}`))
    .map(({ sha256 }) => sha256);
  return { state: "covered", inclusion, files: hashes };
}
