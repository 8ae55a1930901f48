import type { Inclusion } from "@paraphe/contracts";
import { brokenAt, namedFiles, isIncluded } from "./check-journal.ts";
import { readProofFile } from "./reader-trust.ts";

/**
 * `uncovered`: no checkpoint yet; `broken`: invalid journal or path. `files`: SHA-256, in covered
 * events. The checkpoint's issuer is not checked.
 */
export type LoggedProof =
  | { readonly state: "none" | "uncovered" | "broken" }
  | { readonly state: "covered"; readonly inclusion: Inclusion; readonly files: readonly string[] };

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
