import { ApiError } from "./api-error.ts";

/**
 * Gives the error of a refused answer.
 * Shape: `detail` first, then `error` (specification §8); `errors`, or the field map that `register/` carries at the top level.
 */
export async function readApiError(response: Response): Promise<ApiError> {
  const body = await readJson(response);
  const retryAfter = Number(response.headers.get("retry-after"));
  return new ApiError({
    status: response.status,
    code: text(body["code"]),
    sentence: text(body["detail"]) ?? text(body["error"]),
    errors: fieldMap(body["errors"]) ?? fieldMap(body),
    body,
    retryAfterS: Number.isFinite(retryAfter) && retryAfter > 0 ? retryAfter : undefined,
  });
}

async function readJson(response: Response): Promise<Record<string, unknown>> {
  try {
    const body: unknown = await response.json();
    return isRecord(body) ? body : {};
  } catch (cause) {
    // An answer that is not JSON (a proxy's page, an empty body) has no sentence of ours: the caller's default is shown.
    if (cause instanceof SyntaxError || cause instanceof TypeError) return {};
    throw cause;
  }
}

function fieldMap(value: unknown): Record<string, string[]> | undefined {
  if (!isRecord(value)) return undefined;
  const entries = Object.entries(value).filter(
    (entry): entry is [string, string[]] => Array.isArray(entry[1]) && entry[1].every((message) => typeof message === "string"),
  );
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
