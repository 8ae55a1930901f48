import { formatCount } from "@paraphe/kernel/french-numbers";

/** `faultCount`: all faults, of which `faults` has the first. */
export type Checked = {
  readonly name: string;
  readonly checked: number;
  readonly faultCount: number;
  readonly faults: readonly { readonly subject: string; readonly what: string }[];
  readonly seconds: number;
};

const SECONDS = new Intl.NumberFormat("fr-FR", {
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});

/** A French table, one check per line. */
export function tableOf(heading: string, checks: readonly Checked[]): readonly string[] {
  const rows: readonly (readonly string[])[] = [
    [heading, "Examinés", "Défauts", "Durée"],
    ...checks.map(({ name, checked, faultCount, seconds }) => [
      name,
      formatCount(checked),
      formatCount(faultCount),
      `${SECONDS.format(seconds)}\u00a0s`,
    ]),
  ];
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("  "),
  );
}

/** The faults of each check, and how many more. */
export function faultsOf(checks: readonly Checked[]): readonly string[] {
  return checks
    .filter(({ faultCount }) => faultCount > 0)
    .flatMap(({ name, faultCount, faults }) => [
      "",
      `${name}\u00a0:`,
      ...faults.map(({ subject, what }) => `- ${subject}\u00a0: ${what}.`),
      ...(faultCount > faults.length
        ? [`- et ${formatCount(faultCount - faults.length)} autres.`]
        : []),
    ]);
}
