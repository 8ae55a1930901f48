import {
  createOcspCertId,
  createOcspRefusal,
  createOcspResponse,
  type OcspAnswer,
  type OcspCertId,
  type OcspRequest,
  type OcspStatus,
  PadesError,
  parseCertificate,
  parseOcspRequest,
  type RevocationReason,
  type Signer,
} from "@paraphe/pades/parts";
import type { Platform } from "../../platform/platform.ts";
import { type Authorities, type Authority, issuerOf } from "./authority.ts";
import { serialHex } from "./serial-hex.ts";
import { findCertificate } from "./store.ts";

const MALFORMED = 1;
const UNAUTHORIZED = 6;
const MAX_CERTIFICATES = 20;
/** How long an answer may be cached. */
export const OCSP_VALIDITY_MS = 3_600_000;
/** How a client may name an issuer: by SHA-1, the common ground of RFC 5019 §2.1.1, or by SHA-256. */
const NAMED_BY = ["SHA-1", "SHA-256"] as const;

/**
 * Answers an OCSP request about certificates of our own issuers, whatever the bytes.
 * Shape: the responder certified by a signing authority answers for it, retired or not; a root answers for itself.
 * Source: RFC 6960 §2.3 (refusals), §4.2; RFC 9654 (nonce).
 */
export async function answerOcsp(
  authorities: Authorities,
  platform: Pick<Platform, "db" | "clock">,
  requestDer: Uint8Array,
): Promise<Uint8Array> {
  const request = readRequest(requestDer);
  if (request === null || request.certIds.length === 0 || request.certIds.length > MAX_CERTIFICATES) return createOcspRefusal(MALFORMED);
  const issuer = await askedIssuer(authorities, request.certIds);
  const now = platform.clock();
  const responder = issuer === null ? null : responderOf(authorities, issuer, now);
  if (issuer === null || responder === null) return createOcspRefusal(UNAUTHORIZED);
  const nextUpdate = new Date(now.getTime() + OCSP_VALIDITY_MS);
  const answers: OcspAnswer[] = [];
  for (const certId of request.certIds) {
    answers.push({ ...(await statusOf(platform, issuer, certId)), certId, thisUpdate: now, nextUpdate });
  }
  return createOcspResponse(responder, { answers, producedAt: now, nonce: request.nonce });
}

/** Gives an OCSP answer about one certificate of ours, for whoever keeps evidence; null when nobody can answer for its issuer. */
export async function ocspOf(
  authorities: Authorities,
  platform: Pick<Platform, "db" | "clock">,
  certificateDer: Uint8Array,
): Promise<Uint8Array | null> {
  const now = platform.clock();
  const issuer = issuerOf(authorities, certificateDer);
  const responder = issuer === null ? null : responderOf(authorities, issuer, now);
  if (issuer === null || responder === null) return null;
  const certId = await createOcspCertId(certificateDer, issuer.certificateDer);
  const status = await statusOf(platform, issuer, certId);
  return createOcspResponse(responder, {
    answers: [{ ...status, certId, thisUpdate: now, nextUpdate: new Date(now.getTime() + OCSP_VALIDITY_MS) }],
    producedAt: now,
  });
}

/**
 * Gives who answers for an issuer: the responder it certified, the living one before a retired one, or itself.
 * A responder of another issuer's would be refused by whoever checks. Source: RFC 6960 §4.2.2.2.
 */
function responderOf(authorities: Authorities, issuer: Authority, now: Date): Signer | null {
  const certified = authorities.all.filter(
    ({ purpose, issuerId, signer, certificateDer }) =>
      purpose === "ocsp" && issuerId === issuer.id && signer !== null && parseCertificate(certificateDer).notAfter > now,
  );
  return (certified.find(({ retiredAt }) => retiredAt === null) ?? certified.at(-1) ?? issuer).signer;
}

function readRequest(der: Uint8Array): OcspRequest | null {
  try {
    return parseOcspRequest(der);
  } catch (error) {
    if (error instanceof PadesError) return null;
    throw error;
  }
}

/** All certificates of one request must be of one issuer of ours: one signature answers for all. */
async function askedIssuer(authorities: Authorities, certIds: readonly OcspCertId[]): Promise<Authority | null> {
  for (const issuer of authorities.all.filter(({ purpose }) => purpose === "ca" || purpose === "root")) {
    const own = await Promise.all(NAMED_BY.map((hash) => createOcspCertId(issuer.certificateDer, issuer.certificateDer, hash)));
    if (certIds.every((certId) => own.some((name) => isIssuedBy(certId, name)))) return issuer;
  }
  return null;
}

function isIssuedBy(certId: OcspCertId, issuer: OcspCertId): boolean {
  return (
    certId.hashAlgorithm === issuer.hashAlgorithm &&
    Buffer.compare(certId.issuerNameHash, issuer.issuerNameHash) === 0 &&
    Buffer.compare(certId.issuerKeyHash, issuer.issuerKeyHash) === 0
  );
}

async function statusOf(platform: Pick<Platform, "db">, issuer: Authority, certId: OcspCertId): Promise<OcspStatus> {
  const known = await findCertificate(platform.db, { issuerId: issuer.id, serialNumber: serialHex(certId.serialNumber) });
  if (known === null) return { status: "unknown" };
  if (known.revokedAt === null) return { status: "good" };
  return { status: "revoked", revokedAt: known.revokedAt, ...(known.reason === null ? {} : { reason: known.reason as RevocationReason }) };
}
