import { failure, type Problem, problem, type Result, success } from "@paraphe/contracts";
import * as z from "zod/mini";

type Issue = {
  readonly code?: string | undefined;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly keys?: readonly string[];
};

z.config({
  customError(issue) {
    if (issue.code === "invalid_type" && issue.input === undefined) return "Champ requis";
    if (issue.code === "invalid_type") return "Valeur invalide";
    if (issue.code === "unrecognized_keys") return "Champ inconnu";
    if (issue.code === "too_small")
      return issue.origin === "string"
        ? `${issue.minimum} caractères au minimum`
        : `Au moins ${issue.minimum}`;
    if (issue.code === "too_big")
      return issue.origin === "string"
        ? `${issue.maximum} caractères au maximum`
        : `Au plus ${issue.maximum}`;
    return "Valeur invalide";
  },
});

/** Bounds the answer's size. */
export const MAX_FAULTS = 20;

/**
 * Gives `validation` with the first faults: field (`recipients.0.email`) → messages; a rule on the
 * whole body under `non_field_errors`.
 */
export function validationProblem(issues: readonly Issue[]): Problem {
  const errors = new Map<string, string[]>();
  for (const { path, message } of issues
    .slice(0, MAX_FAULTS)
    .flatMap(faultsOf)
    .slice(0, MAX_FAULTS)) {
    const field =
      path.map((key) => String(key).slice(0, MAX_SHOWN_KEY)).join(".") || "non_field_errors";
    errors.set(field, [...(errors.get(field) ?? []), message]);
  }
  return problem("validation", { errors: Object.fromEntries(errors) });
}

const MAX_SHOWN_KEY = 100;

function faultsOf({
  code,
  path,
  keys = [],
  message,
}: Issue): readonly Pick<Issue, "path" | "message">[] {
  if (code !== "unrecognized_keys") return [{ path, message }];
  return keys.slice(0, MAX_FAULTS).map((key) => ({ path: [...path, key], message }));
}

export function parseInput<T extends z.ZodMiniType>(
  schema: T,
  input: unknown,
): Result<z.output<T>> {
  const outcome = z.safeParse(schema, input);
  return outcome.success
    ? success(outcome.data)
    : failure(validationProblem(outcome.error.issues as readonly Issue[]));
}
