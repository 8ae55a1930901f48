import { PROBLEMS } from "@paraphe/contracts";

/** By status, then code. */
export function renderProblemList(): string {
  const rows = Object.entries(PROBLEMS)
    .sort(
      ([one, { status }], [other, { status: otherStatus }]) =>
        status - otherStatus || one.localeCompare(other, "en"),
    )
    .map(([code, { status, sentence }]) => `| ${status} | \`${code}\` | ${sentence} |`);
  return ["| status | code | sentence |", "| --- | --- | --- |", ...rows].join("\n");
}
