import {
  createOcspCertId,
  createOcspResponse,
  issueCertificate,
  type Signer,
} from "@paraphe/pades/parts";
import type { Transaction } from "../../platform/database/database.ts";
import type { Platform } from "../../platform/platform.ts";
import { OCSP_VALIDITY_MS } from "./gather-long-term.ts";
import type { Authorities } from "./authority.ts";
import { keySigner, makeKey } from "./key-signer.ts";
import { addressesOf, serialHex } from "./make-authority.ts";
import { SIGNER_POLICY_OID } from "./policies.ts";
import { insertCertificates } from "./store.ts";

/** `email`: the address that answered; null when none did, and then the certificate bears the name alone. */
export type SignerPerson = {
  readonly fullName: string;
  readonly email: string | null;
  readonly now: Date;
};

/**
 * A one-time signer: its key lives in `signer` alone and dies with it.
 * `record` writes the certificate down, in the transaction that commits the signature: an OCSP answer is `good` only for what was recorded.
 */
export type IssuedSigner = {
  readonly signer: Signer;
  readonly certificateDer: Uint8Array;
  readonly serialNumber: string;
  record(trx: Transaction): Promise<void>;
  /**
   * An OCSP answer of that moment that says `good` (DER), to be kept with the signature: the certificate will have ended when it is read.
   * Only for the transaction that recorded the certificate: nobody can have revoked it yet.
   */
  attest(now: Date): Promise<Uint8Array>;
};

/** A time-stamping authority's clock may run behind ours: its token must still fall inside the certificate's life. */
const BACKDATE_MS = 5 * 60_000;
const VALIDITY_MS = 24 * 3_600_000;
/** X.520 upper bound of a common name, in characters. Source: RFC 5280, appendix A.1, ub-common-name. */
const MAX_COMMON_NAME = 64;

/** Makes a P-256 key in memory and certifies it for this person (EN 319 412-2). */
export async function issueSigner(
  authorities: Authorities,
  platform: Pick<Platform, "random" | "settings">,
  person: SignerPerson,
): Promise<IssuedSigner> {
  const { organization, country } = platform.settings.pki;
  const key = makeKey("P-256");
  const serial = platform.random(16);
  // As `positiveSerialNumber` will write it, so that the row and the certificate agree.
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  const notBefore = new Date(person.now.getTime() - BACKDATE_MS);
  const notAfter = new Date(person.now.getTime() + VALIDITY_MS);
  const certificateDer = await issueCertificate(authorities.ca.signer, {
    profile: "signer",
    subject: {
      commonName: [...person.fullName].slice(0, MAX_COMMON_NAME).join(""),
      organization,
      country,
    },
    ...(person.email === null ? {} : { email: person.email }),
    subjectPublicKey: key.subjectPublicKey,
    serialNumber: serial,
    notBefore,
    notAfter,
    policyOid: SIGNER_POLICY_OID,
    addresses: addressesOf(authorities.ca.id, platform.settings),
  });
  const serialNumber = serialHex(serial);
  return {
    signer: keySigner(key.privateKey, [certificateDer, authorities.ca.certificateDer]),
    certificateDer,
    serialNumber,
    record: (trx) =>
      insertCertificates(trx, [
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
