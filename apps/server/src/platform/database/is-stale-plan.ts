const FEATURE_NOT_SUPPORTED = "0A000";

/**
 * Tells whether a prepared statement was refused because a table it reads was changed since, by another process's migration.
 * The code alone says too little, and the message comes in the server's language: the routine that raises it is in `plancache.c`.
 */
export function isStalePlan(error: unknown): boolean {
  if (typeof error !== "object" || error === null || !("code" in error) || !("routine" in error))
    return false;
  return error.code === FEATURE_NOT_SUPPORTED && error.routine === "RevalidateCachedQuery";
}
