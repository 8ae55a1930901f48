import type { LogEntry } from "@paraphe/contracts";
import { leafHash } from "@paraphe/proof/parts";
import canonicalize from "canonicalize";

/** Gives the hash of an entry's leaf: of its canonical JSON (RFC 8785), as RFC 9162 §2.1.1 hashes a leaf. */
export function leafOf(entry: LogEntry): Uint8Array {
  const text = canonicalize(entry);
  if (text === undefined) throw new Error("An entry of the log has no canonical form");
  return leafHash(new TextEncoder().encode(text));
}
