import type { Platform } from "../../../platform/platform.ts";
import type { SealingDeps } from "../seal/deps.ts";
import type { IssuedSigner } from "../../trust/public.ts";
import { createRequestPause, type RequestPause } from "./request-pause.ts";

/** What the batches of one process share. */
export type BatchDeps = {
  readonly platform: Platform;
  readonly sealing: SealingDeps;
  /** The one-time signer of each batch at work here: its key lives in memory alone (signatures §2). */
  readonly signers: Map<string, Promise<IssuedSigner>>;
  /** Who waits for an answer goes first. */
  readonly pause: RequestPause;
  /** Batches that were cancelled here: their groups at work begin no other file. */
  readonly cancelled: Set<string>;
  /** The process ends: what runs is finished, nothing more is begun. */
  readonly stop: { asked: boolean };
};

/** Gives what the batches of one process share. Made once, in `compose.ts`. */
export function createBatches(platform: Platform, sealing: SealingDeps): BatchDeps {
  return { platform, sealing, signers: new Map(), pause: createRequestPause(), cancelled: new Set(), stop: { asked: false } };
}
