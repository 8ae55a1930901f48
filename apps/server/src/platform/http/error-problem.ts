import { type Problem, problem } from "@paraphe/contracts";
import { sqlState } from "../database/in-transaction.ts";
import { AlteredFileError, MissingFileError, StorageFullError, StoreAwayError } from "../files/file-store.ts";
import { SandboxAwayError } from "../pdf-sandbox/pdf-sandbox.ts";
import { validationProblem } from "./validation-problem.ts";

/** What Fastify and its plugins throw at a bad request. */
const FRAMEWORK_PROBLEMS: Readonly<Record<string, Problem>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: problem("unsupported_media_type"),
  FST_ERR_CTP_BODY_TOO_LARGE: problem("request_too_large"),
  FST_INVALID_MULTIPART_CONTENT_TYPE: problem("unsupported_media_type"),
  FST_REQ_FILE_TOO_LARGE: problem("file_too_large"),
  FST_FILES_LIMIT: problem("envelope_too_large"),
};

/** The database is away, starts or stops, or ended one of several transactions that met (40001, 40P01); PostgreSQL 18, appendix A, and Node's network errors. */
const DATABASE_AWAY = new Set([
  "40001",
  "40P01",
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "57P01",
  "57P02",
  "57P03",
  "53300",
  "08006",
  "08001",
  "08003",
  // The server takes no writes: it follows another one since a moment ago.
  "25006",
]);
/** disk_full: of the database's own disk. */
const DATABASE_FULL = "53100";
const POOL_MESSAGES = /timeout exceeded when trying to connect|Connection terminated|Query read timeout|is not queryable/;

/** Gives the problem that stands for a thrown error; `unexpected` is true when it is a bug or an outage to be logged. */
export function errorProblem(error: unknown): { problem: Problem; unexpected: boolean } {
  const known = knownProblem(error);
  if (known) return { problem: known, unexpected: false };
  // Whoever met the outage may have said what it was doing, with the outage as the cause.
  for (let one = error; one !== undefined; one = one instanceof Error ? one.cause : undefined) {
    const outage = outageProblem(one);
    if (outage) return { problem: outage, unexpected: true };
  }
  return { problem: problem("internal"), unexpected: true };
}

function outageProblem(error: unknown): Problem | null {
  if (error instanceof MissingFileError || error instanceof AlteredFileError) return problem("stored_file_lost");
  if (error instanceof StorageFullError || sqlState(error) === DATABASE_FULL) return problem("storage_full");
  const isAway = error instanceof StoreAwayError || error instanceof SandboxAwayError || DATABASE_AWAY.has(sqlState(error));
  if (isAway || isMissingSocket(error) || (error instanceof Error && POOL_MESSAGES.test(error.message)))
    return problem("service_unavailable");
  return null;
}

function knownProblem(error: unknown): Problem | null {
  if (typeof error !== "object" || error === null) return null;
  // An address whose id is none names nothing: 404, as an id that is unknown or not yours (contract §2).
  if ("validationContext" in error && error.validationContext === "params") return problem("not_found");
  if ("validation" in error && Array.isArray(error.validation)) return validationProblem(error.validation.map(issueOf));
  const named = FRAMEWORK_PROBLEMS[sqlState(error)];
  if (named) return named;
  const status = "statusCode" in error ? Number(error.statusCode) : 0;
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

function isMissingSocket(error: unknown): boolean {
  return sqlState(error) === "ENOENT" && error instanceof Error && "syscall" in error && error.syscall === "connect";
}
