export type LogLevel = "info" | "warn" | "error";

/**
 * `fields`: ids, codes, counts and durations; never a title, e-mail, code, token, file name or
 * document text (security §4).
 */
export type Log = {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
};
