import { type DestinationStream, pino } from "pino";

export type LogLevel = "info" | "warn" | "error";

/**
 * `fields`: ids, codes, counts, durations; never a title, e-mail, code, token, file name or
 * document text (security §4).
 */
export type Log = {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
};

const BLANKED = [
  "title",
  "email",
  "password",
  "token",
  "code",
  "otp",
  "file_name",
  "full_name",
  "phone_number",
  "address",
  "cookie",
  "authorization",
];

/**
 * Writes to stderr, as people read stdout. JSON escapes line breaks: no field forges a line
 * (security §1, line 62).
 */
export function createLog(
  destination: DestinationStream = pino.destination({ dest: 2, sync: true }),
  level: LogLevel = "info",
): Log {
  const logger = pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: BLANKED.flatMap((name) => [name, `*.${name}`]), censor: "[…]" },
      serializers: { error: describeError },
    },
    destination,
  );
  return {
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
  };
}

/** PostgreSQL's `detail` and `parameters` have rows' values. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error))
    return {
      message:
        typeof error === "string" ? error : `no error: {${Object.keys(Object(error)).join()}}`,
    };
  const { code } = error as { code?: unknown };
  return {
    name: error.name,
    message: error.message,
    ...(typeof code === "string" ? { error_code: code } : {}),
    stack: error.stack,
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  };
}
