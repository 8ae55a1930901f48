import type { Checkpoint } from "@paraphe/contracts";
import type { CheckpointRow } from "./store.ts";

/** Gives a checkpoint as `checkpointSchema` has it. */
export function presentCheckpoint({ size, root, at, keyId, signature, timestampDer }: CheckpointRow): Checkpoint {
  return {
    size,
    root: Buffer.from(root).toString("hex"),
    at: at.toISOString(),
    key_id: keyId,
    signature,
    timestamp: Buffer.from(timestampDer).toString("base64"),
  };
}
