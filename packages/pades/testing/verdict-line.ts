import type { ValidationReport } from "../src/validate/types.ts";

const VERDICTS = {
  TOTAL_PASSED: "passed",
  INDETERMINATE: "indeterminate",
  TOTAL_FAILED: "failed",
} as const;

/** Gives the verdict on a file in one line: `failed: HASH_FAILURE`. */
export function verdictLine({ indication, problems, signatures }: ValidationReport): string {
  const judged = signatures.find((one) => one.indication === indication);
  const why = problems[0] ?? (judged ? (judged.subIndication ?? "") : "no signature");
  const verdict = VERDICTS[indication];
  return indication === "TOTAL_PASSED" || why === "" ? verdict : `${verdict}: ${why}`;
}
