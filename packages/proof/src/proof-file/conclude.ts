import type { ProofCheck, ProofReport } from "./types.ts";

/** Gives what checks come to: one that fails decides, and nothing is valid of which a part was not checked. */
export function conclude(checks: readonly ProofCheck[]): Pick<ProofReport, "verdict" | "summary"> {
  const has = (state: ProofCheck["state"]) => checks.some((check) => check.state === state);
  if (has("failed")) return { verdict: "invalid", summary: "Quelque chose ne tient pas. Ne vous fiez pas à ces fichiers." };
  if (has("not_checked")) return { verdict: "indeterminate", summary: "Rien ne se contredit, mais tout n’a pas pu être vérifié ici." };
  return { verdict: "valid", summary: "Tout a été vérifié, et tout tient." };
}
