import { PROBLEMS, type ProblemCode } from "@paraphe/contracts";
import { PadesError } from "@paraphe/pades/parts";
import { SandboxAwayError, SandboxBusyError, SandboxLimitError } from "../../platform/pdf-sandbox/pdf-sandbox.ts";

/** Gives the problem that an error of the sandbox stands for: a file that breaks its limits is too complex, a refusal of the core keeps its word, a sandbox with too much to do, or that somebody else ended, is `service_unavailable`. Null for a bug or an outage. */
export function sandboxRefusal(error: unknown): ProblemCode | null {
  if (error instanceof SandboxLimitError) return "pdf_too_complex";
  if (error instanceof SandboxBusyError || error instanceof SandboxAwayError) return "service_unavailable";
  return error instanceof PadesError && Object.hasOwn(PROBLEMS, error.code) ? (error.code as ProblemCode) : null;
}
