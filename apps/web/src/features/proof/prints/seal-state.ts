import type { Proof } from "@paraphe/contracts";
import { revocationWord } from "./revocation-word.ts";

/** The seal is green only when everything is: complete, whole, nothing revoked nor unknown, and a verdict that is shown as valid. */
export function sealState(proof: Proof, shown: Proof["verdict"]): "valid" | "waiting" | "failed" {
  if (shown === "invalid" || (!proof.integrity && !proof.purged && proof.verdict !== "indeterminate")) return "failed";
  return shown === "valid" && proof.completed && !isRevocationDoubtful(proof.certificate) ? "valid" : "waiting";
}

/** An answer that was not given doubts nothing: the one that was speaks. */
function isRevocationDoubtful(certificate: Proof["certificate"]): boolean {
  if (certificate === null) return false;
  const { ocsp_status, crl_status } = certificate.revocation;
  return [revocationWord(ocsp_status, "ocsp"), revocationWord(crl_status, "crl")].some(
    ({ tone, word }) => tone === "bad" || word === "Inconnu",
  );
}
