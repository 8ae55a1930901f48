import type { Flow } from "./envelope.ts";

/**
 * Gives each recipient's rank, from 1. Where nobody has one, a sequential flow follows the list: the same rank for all would ask everybody at
 * once. One left out beside others that are given is 1.
 */
export function ranksOf(flow: Flow, recipients: readonly { readonly order?: number | undefined }[]): readonly number[] {
  const followsList = flow === "sequential" && recipients.every(({ order }) => order === undefined);
  return recipients.map(({ order }, index) => (followsList ? index + 1 : (order ?? 1)));
}
