import {
  createOcspCertId,
  createOcspResponse,
  issueCertificate,
  type Signer,
} from "@paraphe/pades/parts";
import type { Write } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import { knownIdentity } from "../organisations/public.ts";
import { OCSP_VALIDITY_MS } from "./gather-long-term.ts";
import {
  type Authorities,
  SIGNER_POLICY_OID,
  VOUCHED_POLICY_OID,
  addressesOf,
  keySigner,
  makeKey,
  serialHex,
} from "./make-authority.ts";
import { insertCertificates } from "./store.ts";

export type SignerPerson = {
  readonly fullName: string;
  readonly email: string | null;
  readonly isVouched?: boolean;
  readonly now: Date;
};

/**
 * Only `signer` has the key. `recording` (null: nothing to record) belongs in the signature's
 * transaction: OCSP says `good` only of recorded certificates.
 */
export type IssuedSigner = {
  readonly signer: Signer;
  readonly certificateDer: Uint8Array;
  readonly serialNumber: string;
  readonly recording: Write | null;
  /**
   * Gives OCSP `good` (DER), stored with the signature, whose certificate expires soon. Called only
   * before `recording` is committed, while nothing can be revoked.
   */
  attest(now: Date): Promise<Uint8Array>;
};

/** A time-stamping clock may be behind ours. */
const BACKDATE_MS = 5 * 60_000;
const VALIDITY_MS = 24 * 3_600_000;
/** RFC 5280, appendix A.1, ub-common-name. */
const MAX_COMMON_NAME = 64;

/** The certificate names the organisation too. Source: EN 319 412-2; P-256. */
export async function issueSigner(
  authorities: Authorities,
  platform: Pick<Platform, "random" | "settings" | "db" | "clock">,
  person: SignerPerson,
): Promise<IssuedSigner> {
  const { country } = platform.settings.pki;
  const host = await knownIdentity(platform);
  const key = makeKey("P-256");
  const serial = platform.random(16);
  // Makes it positive as `positiveSerialNumber` would, so that row and certificate agree.
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  const notBefore = new Date(person.now.getTime() - BACKDATE_MS);
  const notAfter = new Date(person.now.getTime() + VALIDITY_MS);
  const certificateDer = await issueCertificate(authorities.ca.signer, {
    profile: "signer",
    subject: {
      commonName: [...person.fullName].slice(0, MAX_COMMON_NAME).join(""),
      organization: host?.name ?? platform.settings.pki.organization,
      country,
    },
    ...(person.email === null ? {} : { email: person.email }),
    subjectPublicKey: key.subjectPublicKey,
    serialNumber: serial,
    notBefore,
    notAfter,
    policyOid: person.isVouched === true ? VOUCHED_POLICY_OID : SIGNER_POLICY_OID,
    addresses: addressesOf(authorities.ca.id, platform.settings),
  });
  const serialNumber = serialHex(serial);
  return {
    signer: keySigner(key.privateKey, [certificateDer, authorities.ca.certificateDer]),
    certificateDer,
    serialNumber,
    recording: insertCertificates([
      {
        serialNumber,
        issuerId: authorities.ca.id,
        subject: person.fullName,
        notBefore,
        notAfter,
        certificateDer,
      },
    ]),
    attest: async (now) => {
      const certId = await createOcspCertId(certificateDer, authorities.ca.certificateDer);
      const nextUpdate = new Date(now.getTime() + OCSP_VALIDITY_MS);
      return createOcspResponse(authorities.ocsp.signer, {
        answers: [{ certId, status: "good", thisUpdate: now, nextUpdate }],
        producedAt: now,
      });
    },
  };
}
