import type { Clock } from "../../platform/clock.ts";
import type { Reader } from "../../platform/database/database.ts";
import { updateAnswered, updateOpened } from "./arrival-store.ts";

/**
 * Notes that a message reached its reader. What proves it is what the message held: the token of its link, by its SHA-256, or the
 * code that came back. Nothing is fetched by a mail for this.
 */
export async function recordArrival(
  reader: Reader,
  platform: { readonly clock: Clock },
  proof: { readonly linkSha256: Uint8Array } | { readonly dedupeKey: string },
): Promise<void> {
  const at = platform.clock();
  if ("linkSha256" in proof) await updateOpened(reader, { linkSha256: proof.linkSha256, at });
  else await updateAnswered(reader, { dedupeKey: proof.dedupeKey, at });
}
