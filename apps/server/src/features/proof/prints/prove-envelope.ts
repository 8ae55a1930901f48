import { verifyUrlOf } from "./present-print.ts";
import type { PrintDeps } from "./print-deps.ts";
import { type SealedProof, sealProof } from "./seal-proof.ts";
import { listPrintRows } from "./store.ts";

/** An envelope as its owner proves it: `preuve.json`, made anew, and where its newest print is verified; null when none was made. */
export type EnvelopeProof = { readonly verifyUrl: string | null; readonly proof: SealedProof };

/** Gives the proof of an owner's envelope, behind its newest print where there is one. */
export async function proveEnvelope(
  deps: PrintDeps,
  of: { readonly envelopeId: string; readonly ownerId: string },
): Promise<EnvelopeProof> {
  const { rows } = await listPrintRows(deps.platform.db, { ...of, page: 1, pageSize: 1 });
  const [print] = rows;
  if (print === undefined) return { verifyUrl: null, proof: await sealProof(deps, { print: null, envelopeId: of.envelopeId, sig: null }) };
  return { verifyUrl: verifyUrlOf(deps.platform, print), proof: await sealProof(deps, { print, sig: null }) };
}
