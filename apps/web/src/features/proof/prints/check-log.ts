import type { Proof } from "@paraphe/contracts";
import { fromHex } from "@paraphe/kernel/bytes";
import { canonicalBytes } from "@paraphe/kernel/canonical-json";
import { verifyPublishedCheckpoint } from "../../../lib/verify-published-checkpoint.ts";

/**
 * What this browser found of an inclusion proof. `stampedAt` and `authority` are those of the checkpoint's time-stamp; `revocation`: whether it is known that its seal was not
 * revoked by then. `elsewhere`: it holds, in the
 * log of another address (`log`) than the one that the page is read at.
 */
export type LogCheck =
  | {
      readonly state: "holds";
      readonly stampedAt: string;
      readonly authority: string;
      readonly revocation: "checked" | "unknown";
    }
  | { readonly state: "elsewhere"; readonly log: string }
  | { readonly state: "broken" };

/**
 * Checks that the envelope's head stands in the transparency log: the path from its leaf to the root, and the checkpoint that bears this root, sealed and
 * time-stamped by the authorities that the service publishes.
 * `origin` is the service's own, which the checkpoint must name. Source: RFC 9162 §2.1.3.2.
 */
export async function checkLog(
  { leaf_index, size, path, entry, checkpoint }: NonNullable<Proof["inclusion"]>,
  origin: string,
): Promise<LogCheck> {
  const { leafHash, verifyInclusion } = await import("@paraphe/proof");
  const isIncluded = verifyInclusion({
    leafHash: leafHash(canonicalBytes(entry)),
    leafIndex: leaf_index,
    size,
    path: path.map(fromHex),
    root: fromHex(checkpoint.root),
  });
  if (!isIncluded || size !== checkpoint.size) return { state: "broken" };
  const verdict = await verifyPublishedCheckpoint(checkpoint);
  if (!verdict.ok) return { state: "broken" };
  const { log, timestamp } = verdict.facts;
  if (log !== origin) return { state: "elsewhere", log };
  return {
    state: "holds",
    stampedAt: timestamp.time.toISOString(),
    authority: timestamp.authorityName,
    revocation: verdict.revocation,
  };
}
