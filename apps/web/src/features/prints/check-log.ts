import type { Proof } from "@paraphe/contracts";

/** What this browser found of an inclusion proof; `stampedAt` and `authority` are those of the checkpoint's time-stamp. */
export type LogCheck = { readonly holds: true; readonly stampedAt: string; readonly authority: string } | { readonly holds: false };

/**
 * Checks that the envelope's head stands in the transparency log: the path from its leaf to the root, and the checkpoint that bears this root.
 * `origin` is the service's own, which the checkpoint must name. Source: RFC 9162 §2.1.3.2.
 */
export async function checkLog(
  { leaf_index, size, path, entry, checkpoint }: NonNullable<Proof["inclusion"]>,
  origin: string,
): Promise<LogCheck> {
  const { canonicalJson, leafHash, verifyCheckpoint, verifyInclusion } = await import("@paraphe/proof");
  const isIncluded = verifyInclusion({
    leafHash: leafHash(new TextEncoder().encode(canonicalJson(entry))),
    leafIndex: leaf_index,
    size,
    path: path.map(bytesOf),
    root: bytesOf(checkpoint.root),
  });
  const verdict = await verifyCheckpoint(checkpoint);
  if (!isIncluded || size !== checkpoint.size || !verdict.ok || verdict.facts.log !== origin) return { holds: false };
  const { time, authorityName } = verdict.facts.timestamp;
  return { holds: true, stampedAt: time.toISOString(), authority: authorityName };
}

function bytesOf(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
