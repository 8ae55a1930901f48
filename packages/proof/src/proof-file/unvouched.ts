import type { ProofCheck } from "./types.ts";

/** Checks that lean on certificates which the proof brings itself: whoever forges a proof forges its root with it. The others are computed from bytes alone. */
const LEANING: ReadonlySet<ProofCheck["name"]> = new Set([
  "seal",
  "stamp",
  "seal_chain",
  "completion",
  "signatures",
  "checkpoint",
  "statement",
  "paper",
]);

/** Gives checks as they are worth to this reader: while nobody vouches for the root, what leans on it is right for nobody. */
export function vouchedFor(checks: readonly ProofCheck[]): readonly ProofCheck[] {
  if (checks.some(({ name, state }) => name === "root" && state === "ok")) return checks;
  return checks.map((check) =>
    check.state === "ok" && LEANING.has(check.name) ? { ...check, state: "not_checked", sentence: supposed(check) } : check,
  );
}

function supposed({ sentence }: ProofCheck): string {
  return `Si la racine est bien celle du service\u00a0: ${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`;
}
