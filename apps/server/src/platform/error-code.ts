import {
  AlteredFileError,
  MissingFileError,
  StorageFullError,
  StoreAwayError,
} from "./files/file-store.ts";
import { SandboxAwayError } from "./pdf-sandbox/pdf-sandbox.ts";

/** The code of a system or TLS error, its cause's before its own: a library often wraps what the system said. */
export function errorCode(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  // A library may have overwritten the code of the system, which its sentence still begins with (`connect ECONNREFUSED …`).
  const inWords = /\bE(?:CONN|TIMEDOUT|HOST|NET|PIPE|AI_|NOTFOUND|ADDR)[A-Z_]*/.exec(
    error.message,
  )?.[0];
  return (
    errorCode(error.cause) ??
    inWords ??
    ownCode(error) ??
    (error.name === "TimeoutError" ? "ETIMEDOUT" : null)
  );
}

function ownCode(error: Error): string | null {
  const code: unknown = "code" in error ? error.code : null;
  return typeof code === "string" && /^[A-Z][A-Z0-9_]{2,40}$/.test(code) ? code : null;
}

/**
 * What the database, the file system and the network say when they cannot, and what it is to whoever asked. `storage_full`: nothing can be kept until
 * somebody makes room; `service_unavailable`: another try may do.
 * Source: PostgreSQL 18, appendix A; errno(3); Node's network errors.
 */
const CAUSES: Readonly<Record<string, "service_unavailable" | "storage_full">> = {
  ENOSPC: "storage_full",
  EDQUOT: "storage_full",
  // disk_full: of the database's own disk.
  "53100": "storage_full",
  // The store takes no writes, or does not answer.
  EROFS: "service_unavailable",
  EACCES: "service_unavailable",
  EPERM: "service_unavailable",
  EIO: "service_unavailable",
  ESTALE: "service_unavailable",
  EMFILE: "service_unavailable",
  ENFILE: "service_unavailable",
  // The database is away, starts or stops.
  ECONNREFUSED: "service_unavailable",
  ECONNRESET: "service_unavailable",
  EPIPE: "service_unavailable",
  "57P01": "service_unavailable",
  "57P02": "service_unavailable",
  "57P03": "service_unavailable",
  // A pooler in between has no connection to it.
  "08P01": "service_unavailable",
  "08006": "service_unavailable",
  "08001": "service_unavailable",
  "08003": "service_unavailable",
  // It has no room for another connection, or no memory.
  "53200": "service_unavailable",
  "53300": "service_unavailable",
  // It ended one of several transactions that met.
  "40001": "service_unavailable",
  "40P01": "service_unavailable",
  // It ended a statement that took too long, or waited too long for another's lock.
  "57014": "service_unavailable",
  "55P03": "service_unavailable",
  // It takes no writes: it follows another one since a moment ago.
  "25006": "service_unavailable",
  // Its own disk fails.
  "58030": "service_unavailable",
};
const POOL_MESSAGES =
  /timeout exceeded when trying to connect|timeout expired|Connection terminated|Query read timeout|is not queryable/;

/** Gives what an error, or what caused it, says of the service; null for a bug. */
export function outageOf(
  error: unknown,
): "stored_file_lost" | "service_unavailable" | "storage_full" | null {
  if (!(error instanceof Error)) return null;
  if (error instanceof MissingFileError || error instanceof AlteredFileError)
    return "stored_file_lost";
  if (error instanceof StorageFullError) return "storage_full";
  const isAway = error instanceof StoreAwayError || error instanceof SandboxAwayError;
  if (isAway || isMissingSocket(error) || POOL_MESSAGES.test(error.message))
    return "service_unavailable";
  return CAUSES[sqlState(error)] ?? outageOf(error.cause);
}

/** Says whether an error is that there is no room left, in the store or in the database. */
export function isStorageFull(error: unknown): boolean {
  return outageOf(error) === "storage_full";
}

function isMissingSocket(error: Error): boolean {
  return sqlState(error) === "ENOENT" && "syscall" in error && error.syscall === "connect";
}

const FEATURE_NOT_SUPPORTED = "0A000";

/**
 * Tells whether a prepared statement was refused because another process's migration changed a table that it reads.
 * The code alone says too little, and the message comes in the server's language: the routine that raises it is in `plancache.c`.
 */
export function isStalePlan(error: unknown): boolean {
  if (typeof error !== "object" || error === null || !("code" in error) || !("routine" in error))
    return false;
  return error.code === FEATURE_NOT_SUPPORTED && error.routine === "RevalidateCachedQuery";
}

/** Gives the SQLSTATE of a PostgreSQL error, or an empty text. */
export function sqlState(error: unknown): string {
  return typeof error === "object" &&
    error !== null &&
    "code" in error &&
    typeof error.code === "string"
    ? error.code
    : "";
}
