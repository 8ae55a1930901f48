import { formatCount } from "@paraphe/kernel/french-numbers";
import { startFault } from "../../server/src/start-fault.ts";

/** C0, C1, separators and marks that hide or turn text (Unicode §23.1 to §23.3, UAX #9 §2). */
const UNSHOWN =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]|\p{Surrogate}/gu;

/** Shows them as `\u001b`: printed text may be others'. Source: ECMA-48 §5. */
export function terminalLine(text: string): string {
  return text.replace(
    UNSHOWN,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/**
 * 0 done; 1 refused or faults; 2 incomplete; sysexits.h: 64 EX_USAGE, 75 EX_TEMPFAIL, 78 EX_CONFIG.
 */
type ExitCode = 0 | 1 | 2 | 64 | 75 | 78;
export type Outcome = { readonly code: ExitCode; readonly lines: readonly string[] };

export const done = (...lines: readonly string[]): Outcome => ({ code: 0, lines });
export const misused = (usage: readonly string[], fault?: string): Outcome => ({
  code: 64,
  lines: fault === undefined ? usage : [fault, "", ...usage],
});

export function writeOutcome(
  { lines, code }: Outcome,
  { isReport }: { readonly isReport: boolean },
): void {
  const stream = code === 0 || (isReport && code < 64) ? process.stdout : process.stderr;
  for (const line of lines) stream.write(`${terminalLine(line)}\n`);
  process.exitCode = code;
}

/** A fault that the operator can mend: one French line. `code`: 1, or 75 to retry (EX_TEMPFAIL). */
export class CommandFault extends Error {
  override readonly name = "CommandFault";
  readonly code: 1 | 75;
  constructor(line: string, options: ErrorOptions & { readonly code?: 1 | 75 } = {}) {
    super(line, options);
    this.code = options.code ?? 1;
  }
}

/** Gives one line for a known fault, the stack for a bug. */
export function faultOf(error: unknown): { readonly line: string; readonly code: number } {
  if (error instanceof CommandFault) return { line: error.message, code: error.code };
  const fault = startFault(error);
  if (fault !== null) return { line: fault.line, code: fault.exitCode };
  return { line: String(error instanceof Error ? error.stack : error), code: 1 };
}

type Checked = {
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
