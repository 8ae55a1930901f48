import type { Inclusion } from "@paraphe/contracts";
import { verifyInclusion, verifyTrustedCheckpoint } from "@paraphe/proof/parts";
import { leafOf } from "../../journal/public.ts";
import type { PrintDeps } from "./print-deps.ts";

/**
 * Says whether an inclusion proves what it says: its entry leads to the checkpoint's root, and the checkpoint is signed by a seal of this service that was not revoked, at a time that
 * an authority known here vouches for.
 * Source: RFC 9162 §2.1.3.2.
 */
export async function isLogSound(deps: PrintDeps, { entry, leaf_index, size, path, checkpoint }: Inclusion): Promise<boolean> {
  const isIncluded =
    size === checkpoint.size &&
    verifyInclusion({ leafHash: leafOf(entry), leafIndex: leaf_index, size, path: path.map(fromHex), root: fromHex(checkpoint.root) });
  return isIncluded && (await isCheckpointOurs(deps, checkpoint));
}

async function isCheckpointOurs({ platform, trust }: PrintDeps, checkpoint: Inclusion["checkpoint"]): Promise<boolean> {
  const verdict = await verifyTrustedCheckpoint(checkpoint, { evidence: await trust.currentEvidence(), now: platform.clock() });
  // The seal says whose log it is. The name in the checkpoint may be a former address of the service.
  if (!verdict.ok) return false;
  return (await trust.seals()).some((der) => Buffer.compare(der, verdict.facts.seal.der) === 0);
}

function fromHex(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, "hex"));
}
