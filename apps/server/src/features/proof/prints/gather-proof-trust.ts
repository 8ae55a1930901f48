import type { ProofContent } from "@paraphe/contracts";
import type { Trust } from "../../trust/public.ts";
import type { CertificateCard } from "./present-certificate.ts";
import type { RecordedSignature } from "./store.ts";

/**
 * Gives what an offline checker leans on: every certificate between a signer and a root, and what is said of their revocation at this moment, with what the proof's own `card`
 * was read from.
 * `withheld`: without the signers' own, whose address stands in them (RFC 5280 §4.2.1.6); the files bear them, for whoever has one.
 */
export async function gatherProofTrust(
  trust: Trust,
  recorded: readonly RecordedSignature[],
  { withheld, card }: { readonly withheld: boolean; readonly card: CertificateCard },
): Promise<Pick<ProofContent, "certificates" | "revocation">> {
  const { trustAnchors, certificates = [], crls = [] } = await trust.currentEvidence();
  const signers = new Map(recorded.map((row) => [base64(row.certificateDer), row.certificateDer]));
  const others = [...signers.values(), ...trust.seal.certificates.slice(0, 1)].filter(
    (der) => card.of === null || Buffer.compare(der, card.of) !== 0,
  );
  const answers = [card.ocsp, ...(await Promise.all(others.map((der) => trust.ocsp(der))))];
  const { ca, root, tsa } = trust.certificates;
  const roots = trustAnchors.signers.map(base64);
  return {
    certificates: {
      signers: withheld ? [] : [...signers.values()].map(base64),
      issuer: base64(ca),
      root: base64(root),
      timestamp_authority: base64(tsa),
      roots,
      issuers: certificates.map(base64),
      timestamp_anchors: trustAnchors.timestamps.map(base64).filter((der) => !roots.includes(der)),
    },
    revocation: {
      crls: [...new Set([...crls, ...(card.crl === null ? [] : [card.crl])].map(base64))],
      ocsps: answers.flatMap((answer) => (answer === null ? [] : [base64(answer)])),
    },
  };
}

function base64(der: Uint8Array): string {
  return Buffer.from(der).toString("base64");
}
