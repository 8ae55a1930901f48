import { failure, problem, type Result, success } from "@paraphe/contracts";

/** Fields of a multipart form that hold JSON. */
const JSON_FIELDS = new Set([
  "recipients",
  "fields",
  "remove_documents",
  "order",
  "accept_normalised",
  "document_names",
  "reminders",
  "proof_only",
]);
/** Fields that an empty text clears: a form has no `null`. */
const CLEARABLE = new Set(["message", "deadline_at"]);

/**
 * Gives the body that a multipart form stands for: its JSON fields read, empty ones that may be cleared null.
 * Errors: `validation` for a field that is not JSON.
 */
export function readEnvelopeForm(
  fields: Readonly<Record<string, string>>,
): Result<Record<string, unknown>> {
  const body: Record<string, unknown> = {};
  for (const [name, text] of Object.entries(fields)) {
    if (!JSON_FIELDS.has(name)) {
      body[name] = CLEARABLE.has(name) && text.trim() === "" ? null : text;
      continue;
    }
    const value = parseJson(text);
    if (value === undefined)
      return failure(problem("validation", { errors: { [name]: ["Valeur illisible"] } }));
    body[name] = value;
  }
  return success(body);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text, (key, value: unknown) => {
      if (key === "__proto__") throw new SyntaxError("A key that would reach a prototype");
      return value;
    });
  } catch {
    return undefined;
  }
}
