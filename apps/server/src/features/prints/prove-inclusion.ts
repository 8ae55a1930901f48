import type { Inclusion } from "@paraphe/contracts";
import { validateCertificate } from "@paraphe/pades";
import { verifyCheckpoint, verifyInclusion } from "@paraphe/proof";
import { leafOf } from "../transparency/index.ts";
import type { PrintDeps } from "./print-deps.ts";

/**
 * Says whether an inclusion proves what it says: its entry leads to the checkpoint's root, and the checkpoint is signed by a seal of this service, at a time that
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
  const verdict = await verifyCheckpoint(checkpoint);
  if (!verdict.ok || verdict.facts.log !== platform.settings.publicUrl) return false;
  const { seal, timestamp } = verdict.facts;
  if (!(await trust.seals()).some((der) => Buffer.compare(der, seal.der) === 0)) return false;
  const evidence = await trust.currentEvidence();
  const known = { ...evidence, certificates: [...(evidence.certificates ?? []), ...timestamp.certificates] };
  const { chain, indication } = await validateCertificate(timestamp.certificateDer, {
    evidence: known,
    trustedFor: "timestamps",
    now: platform.clock(),
    provenAt: timestamp.time,
  });
  return chain !== null && indication !== "TOTAL_FAILED";
}

function fromHex(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, "hex"));
}
