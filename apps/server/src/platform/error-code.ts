/** The code of a system or TLS error, its cause's before its own: a library often wraps what the system said. */
export function errorCode(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  // A library may have overwritten the code of the system, which its sentence still begins with (`connect ECONNREFUSED …`).
  const inWords = /\bE(?:CONN|TIMEDOUT|HOST|NET|PIPE|AI_|NOTFOUND|ADDR)[A-Z_]*/.exec(error.message)?.[0];
  return errorCode(error.cause) ?? inWords ?? ownCode(error) ?? (error.name === "TimeoutError" ? "ETIMEDOUT" : null);
}

function ownCode(error: Error): string | null {
  const code: unknown = "code" in error ? error.code : null;
  return typeof code === "string" && /^[A-Z][A-Z0-9_]{2,40}$/.test(code) ? code : null;
}
