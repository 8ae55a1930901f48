import { startFault } from "../../server/src/start-fault.ts";

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
