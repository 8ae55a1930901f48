import { PadesError } from "../pades-error.ts";

/** Gives the value that a refusal of the core stands for; anything else is a bug, and is thrown on. */
export function unlessBug<T>(error: unknown, value: T): T {
  if (error instanceof PadesError) return value;
  throw error;
}
