import type { Platform } from "../../platform/platform.ts";
import { type ChainPlace, type ChainVerdict, verifyChain, verifyChainFrom } from "./verify-chain.ts";

/** The whole of a chain is recomputed this often at least, as long as somebody reads it. */
const MAX_AGE_MS = 5 * 60_000;
const MAX_KEPT = 10_000;

type Kept = { readonly place: ChainPlace; readonly at: Date };
/** How far this process has recomputed chains, and when it did so from their first event. Hashes alone: nothing here needs to be erased. */
const kept = new Map<string, Kept>();

/**
 * Says whether a journal holds, as `verifyChain` does, without recomputing within a few minutes what was recomputed: only its last event, and those
 * that came since, are read again. Other pages of it, its filters and every live change ask. `afresh` recomputes it all.
 */
export async function verifyKept(
  { db, clock }: Pick<Platform, "db" | "clock">,
  envelopeId: string,
  how: "afresh" | "kept",
): Promise<ChainVerdict> {
  const now = clock();
  const known = how === "afresh" ? undefined : kept.get(envelopeId);
  const isKnown = known !== undefined && now.getTime() - known.at.getTime() < MAX_AGE_MS && known.at <= now;
  const { verdict, beforeLast } = await verifyChainFrom(db, envelopeId, isKnown ? known.place : undefined);
  kept.delete(envelopeId);
  if (verdict.ok) keep(envelopeId, { place: beforeLast, at: isKnown ? known.at : now });
  // Where it breaks first is for the whole to say.
  return verdict.ok || !isKnown ? verdict : verifyChain(db, envelopeId);
}

function keep(envelopeId: string, item: Kept): void {
  const [oldest] = kept.keys();
  if (kept.size >= MAX_KEPT && oldest !== undefined) kept.delete(oldest);
  kept.set(envelopeId, item);
}
