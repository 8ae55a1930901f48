import type { Proof } from "@paraphe/contracts";
import { parseCertificate, validateCertificate } from "@paraphe/pades/parts";
import type { PrintDeps } from "./print-deps.ts";

/**
 * Gives the keys by which the statement of a printed page is checked (`packages/proof`), those of revoked seals apart: a statement bears no time but its own word, so that
 * nothing proves that one was signed before the revocation, whatever its reason.
 * Source: EN 319 102-1 §5.2.6.4, REVOKED_NO_POE.
 */
export async function statementKeys({
  platform,
  trust,
}: PrintDeps): Promise<Required<Pick<Proof, "statement_keys" | "revoked_statement_keys">>> {
  const evidence = await trust.currentEvidence();
  const keys: string[] = [];
  const revoked: string[] = [];
  for (const der of await trust.seals()) {
    const key = Buffer.from(parseCertificate(der).subjectPublicKey).toString("base64");
    const { subIndication } = await validateCertificate(der, { evidence, trustedFor: "signers", now: platform.clock(), provenAt: null });
    (subIndication === "REVOKED_NO_POE" ? revoked : keys).push(key);
  }
  return { statement_keys: keys, revoked_statement_keys: revoked };
}
