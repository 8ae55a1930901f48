import { verifyUrlOf } from "./present-print.ts";
import type { PrintDeps } from "./print-deps.ts";
import { type SealedProof, sealProof } from "./seal-proof.ts";
import { listPrintRows } from "./store.ts";

/** The newest print of an envelope, as its owner holds it: where it is verified, and `preuve.json`, made anew. */
export type LatestProof = { readonly verifyUrl: string; readonly proof: SealedProof };

/** Gives the proof behind the newest print of an owner's envelope; null when none was made. */
export async function latestProof(
  deps: PrintDeps,
  of: { readonly envelopeId: string; readonly ownerId: string },
): Promise<LatestProof | null> {
  const { rows } = await listPrintRows(deps.platform.db, { ...of, page: 1, pageSize: 1 });
  const [print] = rows;
  if (print === undefined) return null;
  return { verifyUrl: verifyUrlOf(deps.platform, print), proof: await sealProof(deps, { print, sig: null }) };
}
