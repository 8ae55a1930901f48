import { PadesError } from "../pades-error.ts";

/** How many bytes may still be read or made for one file; repeated reading counts each time. */
export type WorkBudget = { left: number };

const LEAST_BYTES = 128 * 1024 * 1024;
/** A sound file is read at most three times before the parser. */
const TIMES = 8;

/** What one reading of a file may cost. */
export function workBudget(bytes: Uint8Array): WorkBudget {
  return { left: Math.max(LEAST_BYTES, bytes.length * TIMES) };
}

/** Spends from the budget. Errors: PadesError `pdf_too_complex` once it is spent. */
export function spend(budget: WorkBudget, amount: number): void {
  budget.left -= amount;
  if (!(budget.left >= 0))
    throw new PadesError(
      "pdf_too_complex",
      "Expected a file that is read in a bearable number of steps",
    );
}
