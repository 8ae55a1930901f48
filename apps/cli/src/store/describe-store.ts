import type { StoreOutcome } from "./store-outcome.ts";

const COLUMNS = ["Invariant", "Examinés", "Défauts", "Durée"] as const;
const COUNT = new Intl.NumberFormat("fr-FR");
const SECONDS = new Intl.NumberFormat("fr-FR", { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** Gives what was found as a table in French, then each fault that is named; the last line says whether every invariant holds. */
export function describeStore(outcomes: readonly StoreOutcome[]): readonly string[] {
  const rows: readonly (readonly string[])[] = [
    COLUMNS,
    ...outcomes.map(({ invariant, name, checked, faultCount, seconds }) => [
      `${invariant}. ${name}`,
      COUNT.format(checked),
      COUNT.format(faultCount),
      `${SECONDS.format(seconds)}\u00a0s`,
    ]),
  ];
  const widths = COLUMNS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const table = rows.map((row) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join("  "),
  );
  const broken = outcomes.filter(({ faultCount }) => faultCount > 0);
  const count = broken.reduce((sum, { faultCount }) => sum + faultCount, 0);
  const end = count === 0 ? "Tous les invariants tiennent." : `${COUNT.format(count)} défaut${count > 1 ? "s" : ""}.`;
  return [...table, ...broken.flatMap(faultsOf), "", end];
}

function faultsOf({ invariant, name, faultCount, faults }: StoreOutcome): readonly string[] {
  const left = faultCount - faults.length;
  return [
    "",
    `${invariant}. ${name}\u00a0:`,
    ...faults.map(({ subject, what }) => `- ${subject}\u00a0: ${what}.`),
    ...(left > 0 ? [`- et ${COUNT.format(left)} autres.`] : []),
  ];
}
