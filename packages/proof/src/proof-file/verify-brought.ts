import { checkStatement } from "./check-statement.ts";
import { conclude } from "./conclude.ts";
import type { ProofReport, ProofRequest } from "./types.ts";
import { vouchedFor } from "./unvouched.ts";
import { LIMITS, verifyProof } from "./verify-proof.ts";

/** What somebody holds: a proof or none, files, and the address that a page's QR code gave, or none. */
export type BroughtThings = Omit<ProofRequest, "proof"> & { readonly proof: Uint8Array | null; readonly address: string | null };

/**
 * Checks whatever of a proof, its files and a printed page's address is at hand, by themselves.
 * Shape: without a proof nothing is valid; the files are then compared with what the paper says alone.
 */
export async function verifyBrought({ proof, address, ...request }: BroughtThings): Promise<ProofReport> {
  const report = proof === null ? null : await verifyProof({ ...request, proof });
  if (address === null) return report ?? missing();
  // A proof that does not hold vouches for no key.
  const content = report === null || report.verdict === "invalid" ? null : report.proof;
  const paper = await checkStatement(address, { content, files: request.files });
  // Computed of the proof's checks already; of the code's statement too, for its key is one that the proof names.
  const checks = vouchedFor([...(report?.checks ?? missing().checks), ...paper]);
  return { ...(report ?? missing()), ...conclude(checks), checks };
}

function missing(): ProofReport {
  const sentence = "Le fichier preuve.json n’a pas été donné\u00a0: rien ne dit ici qui a signé, ni comment.";
  const checks = [{ name: "form", state: "not_checked", subject: null, sentence }] as const;
  return { ...conclude(checks), checks, roots: [], limits: LIMITS, proof: null };
}
