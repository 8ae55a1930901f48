import type { Checkpoint, LogAuthorities } from "@paraphe/contracts";
import type { TrustedCheckpointVerdict } from "@paraphe/proof";
import { api } from "./api/api.ts";

const AUTHORITIES = "/api/signature/transparency/authorities/";

/**
 * Verifies the checkpoint, then its seal and time-stamp against the published authorities. Errors:
 * `ApiError` when the authorities do not load.
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
