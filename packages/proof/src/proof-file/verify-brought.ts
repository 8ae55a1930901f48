import { checkAlone } from "./check-alone.ts";
import { checkStatement } from "./check-statement.ts";
import { conclude } from "./conclude.ts";
import type { ProofReport, ProofRequest, StatedSignature } from "./types.ts";
import { vouchedFor } from "./unvouched.ts";
import { LIMITS, verifyProof } from "./verify-proof.ts";

/** What somebody holds: a proof or none, files, and the address that a page's QR code gave, or none. */
export type BroughtThings = Omit<ProofRequest, "proof"> & { readonly proof: Uint8Array | null; readonly address: string | null };

/** `stated`: the signatures of files that came without a proof, as these state them. */
export type BroughtReport = ProofReport & { readonly stated: readonly StatedSignature[] };

/**
 * Checks whatever of a proof, its files and a printed page's address is at hand, by themselves.
 * Shape: without a proof nothing is valid; the files' own signatures are then checked, and the files compared with what the paper says.
 */
export async function verifyBrought({ proof, address, ...request }: BroughtThings): Promise<BroughtReport> {
  const report = proof === null ? await withoutProof(request) : { ...(await verifyProof({ ...request, proof })), stated: [] };
  if (address === null) return report;
  // A proof that does not hold vouches for no key.
  const content = report.verdict === "invalid" ? null : report.proof;
  const paper = await checkStatement(address, { content, files: request.files });
  // Computed of the other checks already; of the code's statement too, for its key is one that the proof names.
  const checks = vouchedFor([...report.checks, ...paper]);
  return { ...report, ...conclude(checks), checks };
}

async function withoutProof({ files, roots, now }: Omit<ProofRequest, "proof">): Promise<BroughtReport> {
  const sentence = "Le fichier preuve.json n’a pas été donné\u00a0: rien ne dit ici qui a signé, ni comment.";
  const alone = await checkAlone(files, { roots, now });
  const checks = [{ name: "form", state: "not_checked", subject: null, sentence } as const, ...alone.checks];
  return { ...conclude(checks), checks, roots: alone.roots, limits: LIMITS, proof: null, stated: alone.signatures };
}
