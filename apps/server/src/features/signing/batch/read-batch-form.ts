import { type BatchSignRequest, batchSignRequest, failure, problem, type Result, success } from "@paraphe/contracts";

const JSON_FIELDS = ["placement", "signature", "overrides"] as const;

/**
 * Reads the fields of `POST batch-sign/`: some of them are JSON.
 * Errors: `validation`, each message under its field.
 */
export function readBatchForm(fields: Readonly<Record<string, string>>): Result<BatchSignRequest> {
  const values: Record<string, unknown> = { ...fields };
  for (const name of JSON_FIELDS) {
    const text = fields[name];
    if (text === undefined) continue;
    const value = parseJson(text);
    if (value === undefined) return failure(problem("validation", { errors: { [name]: ["JSON invalide"] } }));
    values[name] = value;
  }
  const read = batchSignRequest.safeParse(values);
  if (read.success) return success(read.data);
  const errors: Record<string, string[]> = {};
  for (const issue of read.error.issues) {
    const path = issue.path.length === 0 && issue.code === "unrecognized_keys" ? (issue.keys[0] ?? "") : issue.path.join(".");
    errors[path] = [...(errors[path] ?? []), issue.message];
  }
  return failure(problem("validation", { errors }));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
