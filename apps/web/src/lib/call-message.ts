import { ApiError } from "./api-error.ts";

/** The server's sentence, else the call's French default (specification §8). */
export function callMessage(error: unknown, fallback: string): string {
  return serverSentence(error) ?? fallback;
}

export function serverSentence(error: unknown): string | undefined {
  return error instanceof ApiError ? error.details.sentence : undefined;
}
