import { parseCertificate } from "@paraphe/pades/parts";
import type { Trust } from "./create-trust.ts";
import type { IssuedSigner } from "./issue-signer.ts";
import { serialHex } from "./serial-hex.ts";

/**
 * Gives the organisation's seal as a signer of files: its key in the token where there is one that answers, else the service's own.
 * Source: signatures §2.
 */
export async function organisationSeal(trust: Trust): Promise<IssuedSigner> {
  return (await trust.hsmSigner()) ?? serviceSeal(trust);
}

async function serviceSeal(trust: Trust): Promise<IssuedSigner> {
  // Another process may have replaced the seal since this one last looked: whoever asks for evidence has the living one.
  await trust.evidence();
  const signer = trust.seal;
  const [certificateDer] = signer.certificates;
  if (certificateDer === undefined) throw new Error("The service's seal has no certificate");
  return {
    signer,
    certificateDer,
    serialNumber: serialHex(parseCertificate(certificateDer).serialNumber),
    // It was recorded when it was made.
    record: async () => {},
    attest: async () => {
      const answer = await trust.ocsp(certificateDer);
      if (answer === null) throw new Error("Nobody answers for the issuer of the service's seal");
      return answer;
    },
  };
}
