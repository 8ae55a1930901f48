import { ApiError } from "../../../lib/api-error.ts";

/** The envelopes that stand in the way of an erasure: how many, and the titles of the first. */
export type OpenEnvelopeFacts = { readonly sentence: string; readonly count: number; readonly titles: readonly string[] };

/** Gives what a refused erasure says of the envelopes that wait for signatures; undefined when it was refused for another reason. */
export function readOpenEnvelopes(error: unknown): OpenEnvelopeFacts | undefined {
  if (!(error instanceof ApiError) || error.code !== "open_envelopes") return undefined;
  const body = (error.details.body ?? {}) as { open_count?: unknown; open_envelopes?: unknown };
  const named = Array.isArray(body.open_envelopes) ? (body.open_envelopes as { title?: unknown }[]) : [];
  const titles = named.map(({ title }) => title).filter((title) => typeof title === "string");
  return {
    sentence: error.details.sentence ?? "Des enveloppes attendent encore des signatures.",
    count: typeof body.open_count === "number" ? body.open_count : titles.length,
    titles,
  };
}
