import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { ValidationReport } from "../src/validate/types.ts";
import type { Attacks } from "./attack-stage.ts";
import { ATTACK_CLASSES } from "./attacks.ts";
import { HONEST_STRICT, STRICT_ATTACKS } from "./attacks-strict.ts";
import { HONEST } from "./honest.ts";

/** `why`: a sub-indication, or what a validator holds against the file in a word of ours. */
export type Standing = {
  readonly verdict: "passed" | "indeterminate" | "failed";
  readonly why: string;
};
export type AttackRow = {
  readonly group: string;
  readonly name: string;
  readonly ours: Standing;
  readonly dss: Standing;
  readonly pyHanko: Standing;
};
/** The day on which the others were asked, and who they are. */
export type Asked = { readonly day: string; readonly dss: string; readonly pyHanko: string };

const HONEST_FILES = "Honest files";
/** Every attack and, beside them, every honest file, in groups of one idea each. */
export const TABLE_GROUPS: Readonly<Record<string, Attacks>> = {
  ...ATTACK_CLASSES,
  "Two readings of one file": STRICT_ATTACKS,
  [HONEST_FILES]: { ...HONEST, ...HONEST_STRICT },
};
const TABLE = fileURLToPath(new URL("../../../docs/reference/attacks.md", import.meta.url));
const HEADS = new Set(["| file", "| ---"]);
const VERDICTS = {
  TOTAL_PASSED: "passed",
  INDETERMINATE: "indeterminate",
  TOTAL_FAILED: "failed",
} as const;

/** The other way about. */
export function standingOf(cell: string): Standing {
  const [verdict, why = ""] = cell.split(": ");
  return { verdict: verdict as Standing["verdict"], why };
}

/** What we say of a file, as the table has it. */
export function ourStanding({ indication, problems, signatures }: ValidationReport): Standing {
  const worst = signatures.find((one) => one.indication === indication);
  const why =
    indication === "TOTAL_PASSED"
      ? ""
      : (problems[0] ?? (worst ? (worst.subIndication ?? "") : "no signature"));
  return { verdict: VERDICTS[indication], why };
}

export function cellOf({ verdict, why }: Standing): string {
  return why === "" ? verdict : `${verdict}: ${why}`;
}

/** The cells of a row. */
export type Written = { readonly ours: string; readonly dss: string; readonly pyHanko: string };

/** Gives the verdicts on each file by its name, as the table in `docs/reference` has them. */
export function writtenVerdicts(): ReadonlyMap<string, Written> {
  const lines = existsSync(TABLE) ? readFileSync(TABLE, "utf8").split("\n") : [];
  const rows = lines
    .map((line) => line.split(" | "))
    .filter(([name = "", ...cells]) => cells.length === 3 && !HEADS.has(name));
  return new Map(
    rows.map(([name = "", ours = "", dss = "", pyHanko = ""]) => [
      name.slice(2),
      { ours, dss, pyHanko: pyHanko.replace(/ \|$/, "") },
    ]),
  );
}

const passes = (rows: readonly AttackRow[], who: "ours" | "dss" | "pyHanko"): number =>
  rows.filter((row) => row[who].verdict === "passed").length;

/**
 * Gives the reference table, Markdown.
 * Errors: where others pass what we refuse, and `DIFFERENCES` does not say why.
 */
export function renderAttacks(
  rows: readonly AttackRow[],
  asked: Asked,
  differences: Readonly<Record<string, string>>,
): string {
  const groups = Object.keys(TABLE_GROUPS).map((group) =>
    renderGroup(group, rows, differences[group]),
  );
  const attacks = rows.filter(({ group }) => group !== HONEST_FILES);
  const noted = attacks.filter(({ dss }) => dss.verdict === "passed" && dss.why !== "").length;
  return `# Attacks on signed files, and what three validators say

Written by \`npm run attacks\`, which asks DSS and pyHanko; the tests compare our verdict on each file with it. Asked on ${asked.day}: DSS ${asked.dss},
pyHanko ${asked.pyHanko}. Each file is judged as a whole, by the worst of its signatures. That no revocation data is carried, of which most of these files have none, is held
against none of them. DSS notes later changes beside its verdict, and leaves it to the reader: "changes noted". A file is "not read"
by a validator that gives an error of its own, and gets "no answer" where it does not end within a minute.

Of ${attacks.length} attacks we pass ${passes(attacks, "ours")}, DSS ${passes(attacks, "dss")} (${noted} with changes noted) and pyHanko ${passes(attacks, "pyHanko")}. An attack is what its maker could use, not always what shows something false: where it
does nothing in the reader that a validator speaks for, passing it is no fault of that validator.

${groups.join("\n")}`;
}

function renderGroup(
  group: string,
  all: readonly AttackRow[],
  difference: string | undefined,
): string {
  const rows = all.filter((row) => row.group === group);
  const differs = rows.some(({ ours, dss, pyHanko }) =>
    [dss, pyHanko].some(({ verdict }) => (verdict === "passed") !== (ours.verdict === "passed")),
  );
  if (differs && difference === undefined)
    throw new Error(`nothing says why we differ from others: ${group}`);
  const count = `${rows.length} files; passed by us ${passes(rows, "ours")}, by DSS ${passes(rows, "dss")}, by pyHanko ${passes(rows, "pyHanko")}.`;
  const lines = rows.map(
    ({ name, ours, dss, pyHanko }) =>
      `| ${[name, ...[ours, dss, pyHanko].map(cellOf)].join(" | ")} |`,
  );
  return `## ${group}

${differs ? `${count} ${difference}` : count}

| file | ours | DSS | pyHanko |
| --- | --- | --- | --- |
${lines.join("\n")}
`;
}
