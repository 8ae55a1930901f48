import { type Problem, problem } from "@paraphe/contracts";
import { sqlState } from "../database/in-transaction.ts";
import { outageOf } from "../outage-of.ts";
import { validationProblem } from "./validation-problem.ts";

/** What Fastify and its plugins throw at a bad request. */
const FRAMEWORK_PROBLEMS: Readonly<Record<string, Problem>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: problem("unsupported_media_type"),
  FST_ERR_CTP_BODY_TOO_LARGE: problem("request_too_large"),
  FST_INVALID_MULTIPART_CONTENT_TYPE: problem("unsupported_media_type"),
  FST_REQ_FILE_TOO_LARGE: problem("file_too_large"),
  FST_FILES_LIMIT: problem("envelope_too_large"),
};

/** Gives the problem that stands for a thrown error; `unexpected` is true when it is a bug or an outage to be logged. */
export function errorProblem(error: unknown): { problem: Problem; unexpected: boolean } {
  const known = knownProblem(error);
  if (known) return { problem: known, unexpected: false };
  return { problem: problem(outageOf(error) ?? "internal"), unexpected: true };
}

function knownProblem(error: unknown): Problem | null {
  if (typeof error !== "object" || error === null) return null;
  // Node's word for a sender who left in the middle of a body.
  if ("message" in error && error.message === "aborted" && sqlState(error) === "ECONNRESET") return problem("body_too_slow");
  // An address whose id is none names nothing: 404, as an id that is unknown or not yours (contract §2).
  if ("validationContext" in error && error.validationContext === "params") return problem("not_found");
  if ("validation" in error && Array.isArray(error.validation)) return validationProblem(error.validation.map(issueOf));
  const named = FRAMEWORK_PROBLEMS[sqlState(error)];
  if (named) return named;
  const status = "statusCode" in error ? Number(error.statusCode) : 0;
  if (status === 408) return problem("body_too_slow");
  if (status === 413) return problem("request_too_large");
  if (status === 415) return problem("unsupported_media_type");
  if (status === 429) return problem("too_many_requests");
  if (status === 503) return problem("service_unavailable");
  return status >= 400 && status < 500 ? problem("malformed_request") : null;
}

/** Fastify's view of a Zod issue, back to the issue: `/recipients/0/email`. */
function issueOf(entry: { keyword: string; instancePath: string; message?: string; params?: { keys?: string[] } }) {
  return {
    code: entry.keyword,
    path: entry.instancePath.split("/").filter(Boolean),
    message: entry.message ?? "Valeur invalide",
    keys: entry.params?.keys ?? [],
  };
}
