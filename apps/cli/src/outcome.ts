import { terminalLine } from "./terminal-line.ts";

/**
 * Exit codes of every command: 0 done; 1 refused, or something is wrong; 2 not all could be checked; and those of sysexits.h: 64 misused (EX_USAGE), 75 another
 * time (EX_TEMPFAIL), 78 a setting is refused (EX_CONFIG).
 */
export type ExitCode = 0 | 1 | 2 | 64 | 75 | 78;
export type Outcome = { readonly code: ExitCode; readonly lines: readonly string[] };

export const done = (...lines: readonly string[]): Outcome => ({ code: 0, lines });
export const misused = (usage: readonly string[]): Outcome => ({ code: 64, lines: usage });

/** Writes what a command says and leaves its exit code. What a report found is an answer whatever its code; a refusal and a misuse go to the error output. */
export function writeOutcome({ lines, code }: Outcome, { isReport }: { readonly isReport: boolean }): void {
  const stream = code === 0 || (isReport && code < 64) ? process.stdout : process.stderr;
  for (const line of lines) stream.write(`${terminalLine(line)}\n`);
  process.exitCode = code;
}
