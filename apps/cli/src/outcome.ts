import { startFault } from "../../server/src/start-fault.ts";

/** Controls (C0, C1), line and paragraph separators, and every mark that hides or turns the words around it (Unicode §23.1 to §23.3, UAX #9 §2). */
const UNSHOWN =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]|\p{Surrogate}/gu;

/**
 * Gives a text as it is safely shown on one line of a terminal: what would move its cursor, colour it, end its line or turn its words is shown by its number,
 * `\u001b`. What a command prints is in part somebody else's words. Source: ECMA-48 §5 (control functions).
 */
export function terminalLine(text: string): string {
  return text.replace(
    UNSHOWN,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/**
 * Exit codes of every command: 0 done; 1 refused, or something is wrong; 2 not all could be checked; and those of sysexits.h: 64 misused (EX_USAGE), 75 another
 * time (EX_TEMPFAIL), 78 a setting is refused (EX_CONFIG).
 */
type ExitCode = 0 | 1 | 2 | 64 | 75 | 78;
export type Outcome = { readonly code: ExitCode; readonly lines: readonly string[] };

export const done = (...lines: readonly string[]): Outcome => ({ code: 0, lines });
export const misused = (usage: readonly string[]): Outcome => ({ code: 64, lines: usage });

/** Writes what a command says and leaves its exit code. What a report found is an answer whatever its code; a refusal and a misuse go to the error output. */
export function writeOutcome(
  { lines, code }: Outcome,
  { isReport }: { readonly isReport: boolean },
): void {
  const stream = code === 0 || (isReport && code < 64) ? process.stdout : process.stderr;
  for (const line of lines) stream.write(`${terminalLine(line)}\n`);
  process.exitCode = code;
}

/** Why a command did nothing, for a reason that a person can mend: one French line. `code`: 1, or 75 for what another time may do (sysexits.h: EX_TEMPFAIL). */
export class CommandFault extends Error {
  override readonly name = "CommandFault";
  readonly code: 1 | 75;
  constructor(line: string, options: ErrorOptions & { readonly code?: 1 | 75 } = {}) {
    super(line, options);
    this.code = options.code ?? 1;
  }
}

/** Gives the line and the exit code of a command that could not do its work: a fault of ours with all that is known of it. */
export function faultOf(error: unknown): { readonly line: string; readonly code: number } {
  if (error instanceof CommandFault) return { line: error.message, code: error.code };
  const fault = startFault(error);
  if (fault !== null) return { line: fault.line, code: fault.exitCode };
  return { line: String(error instanceof Error ? error.stack : error), code: 1 };
}
