import { failure, type Problem, problem, type Result, success } from "@paraphe/contracts";
import * as z from "zod/mini";

type Issue = {
  readonly code?: string | undefined;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly keys?: readonly string[];
};

/** The sentences of rules whose schema names none, in French. */
z.config({
  customError(issue) {
    if (issue.code === "invalid_type" && issue.input === undefined) return "Champ requis";
    if (issue.code === "invalid_type") return "Valeur invalide";
    if (issue.code === "unrecognized_keys") return "Champ inconnu";
    if (issue.code === "too_small")
      return issue.origin === "string" ? `${issue.minimum} caractères au minimum` : `Au moins ${issue.minimum}`;
    if (issue.code === "too_big") return issue.origin === "string" ? `${issue.maximum} caractères au maximum` : `Au plus ${issue.maximum}`;
    return "Valeur invalide";
  },
});

/** Gives the problem `validation` of these issues: field (`recipients.0.email`) → messages. A rule on the whole body is under `non_field_errors`. */
export function validationProblem(issues: readonly Issue[]): Problem {
  const errors = new Map<string, string[]>();
  const add = (path: readonly PropertyKey[], message: string) => {
    const field = path.map(String).join(".") || "non_field_errors";
    errors.set(field, [...(errors.get(field) ?? []), message]);
  };
  for (const issue of issues) {
    if (issue.code === "unrecognized_keys") for (const key of issue.keys ?? []) add([...issue.path, key], issue.message);
    else add(issue.path, issue.message);
  }
  return problem("validation", { errors: Object.fromEntries(errors) });
}

/** Parses foreign data; gives the value or the problem `validation`. */
export function parseInput<T extends z.ZodMiniType>(schema: T, input: unknown): Result<z.output<T>> {
  const outcome = z.safeParse(schema, input);
  return outcome.success ? success(outcome.data) : failure(validationProblem(outcome.error.issues as readonly Issue[]));
}
