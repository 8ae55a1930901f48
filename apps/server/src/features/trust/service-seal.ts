import { timingSafeEqual } from "node:crypto";
import { toBase64Url } from "@paraphe/kernel/bytes";
import { parseCertificate } from "@paraphe/pades/parts";
import type { Platform } from "../../platform/platform.ts";
import type { Trust } from "./create-trust.ts";
import type { IssuedSigner } from "./issue-signer.ts";
import { serialHex } from "./make-authority.ts";

/** The token's if it answers, else the service's. Source: signatures §2. */
export async function organisationSeal(trust: Trust): Promise<IssuedSigner> {
  return (await trust.hsmSigner()) ?? serviceSeal(trust);
}

async function serviceSeal(trust: Trust): Promise<IssuedSigner> {
  // Another process may have replaced it.
  await trust.evidence();
  const signer = trust.seal;
  const [certificateDer] = signer.certificates;
  if (certificateDer === undefined) throw new Error("The service's seal has no certificate");
  return {
    signer,
    certificateDer,
    serialNumber: serialHex(parseCertificate(certificateDer).serialNumber),
    recording: null,
    attest: async () => {
      const answer = await trust.ocsp(certificateDer);
      if (answer === null) throw new Error("Nobody answers for the issuer of the service's seal");
      return answer;
    },
  };
}

/** Bound by `sig` (security line 56). */
type PrintIdentity = {
  readonly id: string;
  readonly envelopeId: string;
  readonly qrType: string;
  readonly keyId: string;
};

/** In the signed data: paper outlives keys. */
export const PRINT_KEY_ID = "1";

/** HMAC-SHA-256, base64url, 43 characters. */
export function signPrint(platform: Pick<Platform, "secrets">, print: PrintIdentity): string {
  return toBase64Url(macOf(platform, print));
}

export function verifyPrintSignature(
  platform: Pick<Platform, "secrets">,
  print: PrintIdentity,
  sig: string,
): boolean {
  const given = Buffer.from(sig, "base64url");
  const expected = macOf(platform, print);
  // base64url's last character varies without changing a byte.
  return (
    given.length === expected.length &&
    timingSafeEqual(given, expected) &&
    given.toString("base64url") === sig
  );
}

function macOf(platform: Pick<Platform, "secrets">, print: PrintIdentity): Uint8Array {
  return platform.secrets.hmac(
    `print-signature:${print.keyId}`,
    Buffer.from(JSON.stringify([print.id, print.envelopeId, print.qrType, print.keyId])),
  );
}
