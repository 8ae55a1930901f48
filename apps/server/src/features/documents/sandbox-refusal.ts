import { type Problem, PROBLEMS, type ProblemCode, problem } from "@paraphe/contracts";
import { PadesError } from "@paraphe/pades/parts";
import { SandboxAwayError, SandboxBusyError, SandboxLimitError } from "../../platform/pdf-sandbox/pdf-sandbox.ts";
import { annotationsInWords } from "./domain/annotations-in-words.ts";
import { fileRefusal } from "./file-refusal.ts";

/** Gives the refusal that an error of the sandbox over this file stands for: a file that breaks its limits is too complex, a refusal of the core keeps its word, a sandbox with too much to do, or that somebody else ended, is `service_unavailable`. Null for a bug or an outage. */
export function refusalOver(name: string, error: unknown): Problem | null {
  const refusal = sandboxRefusal(error);
  return refusal === null ? null : fileRefusal(name, refusal);
}

function sandboxRefusal(error: unknown): Problem | null {
  if (error instanceof SandboxLimitError) return problem("pdf_too_complex");
  if (error instanceof SandboxBusyError || error instanceof SandboxAwayError) return problem("service_unavailable");
  if (!(error instanceof PadesError) || !Object.hasOwn(PROBLEMS, error.code)) return null;
  const code = error.code as ProblemCode;
  return error.annotations ? problem(code, { params: { annotations: annotationsInWords(error.annotations) } }) : problem(code);
}
