import type { Checkpoint, LogAuthorities } from "@paraphe/contracts";
import type { TrustedCheckpointVerdict } from "@paraphe/proof";
import { api } from "./api.ts";

const AUTHORITIES = "/api/signature/transparency/authorities/";

/**
 * Checks, in this browser, a checkpoint by itself, then that its seal and its time-stamp lead to the authorities that the service publishes. Nothing is asked for one that
 * does not hold by itself.
 * Errors: `ApiError` when these cannot be had.
 */
export async function verifyPublishedCheckpoint(
  checkpoint: Checkpoint,
): Promise<TrustedCheckpointVerdict> {
  const { logEvidence, verifyCheckpoint, verifyTrustedCheckpoint } = await import("@paraphe/proof");
  const alone = await verifyCheckpoint(checkpoint);
  if (!alone.ok) return alone;
  const evidence = logEvidence(await api.get<LogAuthorities>(AUTHORITIES));
  return verifyTrustedCheckpoint(checkpoint, { evidence, now: new Date() });
}
