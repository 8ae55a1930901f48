import type { AuditOutcome } from "./audit-fault.ts";

const COLUMNS = ["Contrôle", "Examinés", "Défauts", "Durée"] as const;
const COUNT = new Intl.NumberFormat("fr-FR");
const SECONDS = new Intl.NumberFormat("fr-FR", { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** Gives what the checks found, as a table in French, then each fault that was kept. */
export function describeAudit(outcomes: readonly AuditOutcome[]): readonly string[] {
  const rows: readonly (readonly string[])[] = [
    COLUMNS,
    ...outcomes.map(({ check, checked, faultCount, seconds }) => [
      check,
      COUNT.format(checked),
      COUNT.format(faultCount),
      `${SECONDS.format(seconds)}\u00a0s`,
    ]),
  ];
  const widths = COLUMNS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const table = rows.map((row) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join("  "),
  );
  const faulty = outcomes.filter(({ faultCount }) => faultCount > 0);
  if (faulty.length === 0) return [...table, "", "Rien n’a été modifié, déplacé ni retiré."];
  return [...table, ...faulty.flatMap(faultsOf)];
}

function faultsOf({ check, faultCount, faults }: AuditOutcome): readonly string[] {
  const left = faultCount - faults.length;
  return [
    "",
    `${check}\u00a0:`,
    ...faults.map(({ subject, what }) => `- ${subject}\u00a0: ${what}.`),
    ...(left > 0 ? [`- et ${COUNT.format(left)} autres.`] : []),
  ];
}
