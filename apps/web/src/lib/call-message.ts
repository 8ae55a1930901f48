import { ApiError } from "./api-error.ts";

/** Gives the sentence of a failed call: the server's own if it wrote one, else the French default of that call (specification §8). */
export function callMessage(error: unknown, fallback: string): string {
  return serverSentence(error) ?? fallback;
}

/** Gives the sentence the server wrote, if the call was refused with one. */
export function serverSentence(error: unknown): string | undefined {
  return error instanceof ApiError ? error.details.sentence : undefined;
}
