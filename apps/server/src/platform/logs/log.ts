/** The lowest level that is written. */
export type LogLevel = "info" | "warn" | "error";

/**
 * Structured log lines. `fields` holds ids, codes, counts and durations only: never a title, e-mail, code, token, file name or document text (security §4).
 */
export type Log = {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
};
