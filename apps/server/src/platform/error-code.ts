/** Gives a system's or TLS error's code, the cause's first: libraries wrap errors. */
export function errorCode(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  // Some libraries overwrite the code; the message begins with it (`connect ECONNREFUSED …`).
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
 * An outage of database, file system or network. `storage_full` lasts until somebody makes room;
 * `service_unavailable` may pass.
 * Source: PostgreSQL 18, appendix A; errno(3); Node's network errors.
 */
const CAUSES: Readonly<Record<string, "service_unavailable" | "storage_full">> = {
  ENOSPC: "storage_full",
  EDQUOT: "storage_full",
  "53100": "storage_full",
  EROFS: "service_unavailable",
  EACCES: "service_unavailable",
  EPERM: "service_unavailable",
  EIO: "service_unavailable",
  ESTALE: "service_unavailable",
  EMFILE: "service_unavailable",
  ENFILE: "service_unavailable",
  ECONNREFUSED: "service_unavailable",
  ECONNRESET: "service_unavailable",
  EPIPE: "service_unavailable",
  "57P01": "service_unavailable",
  "57P02": "service_unavailable",
  "57P03": "service_unavailable",
  // A pooler has no connection to it.
  "08P01": "service_unavailable",
  "08006": "service_unavailable",
  "08001": "service_unavailable",
  "08003": "service_unavailable",
  // No free connection, or no memory.
  "53200": "service_unavailable",
  "53300": "service_unavailable",
  "40001": "service_unavailable",
  "40P01": "service_unavailable",
  // A statement or a lock took too long.
  "57014": "service_unavailable",
  "55P03": "service_unavailable",
  "25006": "service_unavailable",
  "58030": "service_unavailable",
};
const POOL_MESSAGES =
  /timeout exceeded when trying to connect|timeout expired|Connection terminated|Query read timeout|is not queryable/;

export type Outage = "stored_file_lost" | "service_unavailable" | "storage_full";

export function outageOf(error: unknown): Outage | null {
  if (!(error instanceof Error)) return null;
  if ("outage" in error) return error.outage as Outage;
  if (isMissingSocket(error) || POOL_MESSAGES.test(error.message)) return "service_unavailable";
  return CAUSES[sqlState(error)] ?? outageOf(error.cause);
}

export function isStorageFull(error: unknown): boolean {
  return outageOf(error) === "storage_full";
}

function isMissingSocket(error: Error): boolean {
  return sqlState(error) === "ENOENT" && "syscall" in error && error.syscall === "connect";
}

const FEATURE_NOT_SUPPORTED = "0A000";

export const STALE_TRIES = 100;

/**
 * Another process migrated. The code is ambiguous and the message translated, so the routine in
 * `plancache.c` identifies it.
 */
export function isStalePlan(error: unknown): boolean {
  if (typeof error !== "object" || error === null || !("code" in error) || !("routine" in error))
    return false;
  return error.code === FEATURE_NOT_SUPPORTED && error.routine === "RevalidateCachedQuery";
}

export function sqlState(error: unknown): string {
  return typeof error === "object" &&
    error !== null &&
    "code" in error &&
    typeof error.code === "string"
    ? error.code
    : "";
}
