import {
  createCrl,
  createOcspCertId,
  createOcspRefusal,
  createOcspResponse,
  type LongTermData,
  type LongTermNeeds,
  type OcspAnswer,
  type OcspCertId,
  type OcspRequest,
  type OcspStatus,
  PadesError,
  parseCertificate,
  parseOcspRequest,
  parseOcspResponse,
  type RevocationReason,
  type RevocationSource,
  type Signer,
} from "@paraphe/pades/parts";
import type { Reader, Transaction } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import { distinct, RevocationUnaskableError } from "./timestamp-authorities.ts";
import {
  type Authorities,
  type Authority,
  authorityOf,
  issuerOf,
  serialHex,
} from "./make-authority.ts";
import {
  type CrlRow,
  findCertificate,
  type KnownCertificate,
  type CertificateKey,
  type LatestCrl,
  loadRevocation,
  lockCrl,
  insertCrl,
  loadLatestCrl,
  loadRevoked,
} from "./store.ts";

const HOUR_MS = 3_600_000;
/** Renewed early, as caches keep copies. */
const RENEW_AFTER_MS = 12 * HOUR_MS;
const VALIDITY_MS = 7 * 24 * HOUR_MS;
/** A root key kept offline signs its list for a year. */
const ROOT_VALIDITY_MS = 366 * 24 * HOUR_MS;

/**
 * Renews after half a day or a revocation. An issuer without its key gives its last list; null:
 * none.
 * Source: RFC 5280 §5.
 */
export async function publishCrl(
  platform: Pick<Platform, "db" | "clock">,
  issuer: Authority,
): Promise<CrlRow | null> {
  return currentCrl(platform, issuer, await loadLatestCrl(platform.db, issuer.id));
}

/** Gives `latest`, just read, or its successor. */
export async function currentCrl(
  platform: Pick<Platform, "db" | "clock">,
  issuer: Authority,
  latest: LatestCrl | null,
): Promise<CrlRow | null> {
  if (latest !== null && (issuer.signer === null || isCurrent(latest, platform.clock())))
    return latest;
  if (issuer.signer === null) return null;
  return inTransaction(platform.db, async (trx) => {
    await lockCrl(trx, issuer.id);
    const known = await loadLatestCrl(trx, issuer.id);
    return known !== null && known.number !== latest?.number
      ? known
      : renewCrl(trx, platform, issuer);
  });
}

export async function renewCrl(
  trx: Transaction,
  platform: Pick<Platform, "clock">,
  issuer: Authority,
): Promise<CrlRow> {
  if (issuer.signer === null) throw new Error("Expected an issuer with its key");
  const now = platform.clock();
  const number = ((await loadLatestCrl(trx, issuer.id))?.number ?? 0) + 1;
  const nextUpdate = new Date(
    now.getTime() + (issuer.purpose === "root" ? ROOT_VALIDITY_MS : VALIDITY_MS),
  );
  const revoked = await revokedBy(trx, issuer);
  const der = await createCrl(issuer.signer, {
    number: BigInt(number),
    thisUpdate: now,
    nextUpdate,
    revoked,
  });
  const row = { number, thisUpdate: now, nextUpdate, der };
  await insertCrl(trx, issuer.id, row);
  return row;
}

async function revokedBy(reader: Reader, issuer: Authority) {
  return (await loadRevoked(reader, issuer.id)).map((row) => ({
    serialNumber: new Uint8Array(Buffer.from(row.serialNumber, "hex")),
    revokedAt: row.revokedAt,
    ...(row.reason === null ? {} : { reason: row.reason as RevocationReason }),
  }));
}

function isCurrent(crl: LatestCrl, now: Date): boolean {
  const age = now.getTime() - crl.thisUpdate.getTime();
  return age >= 0 && age < RENEW_AFTER_MS && !crl.hasLaterRevocation;
}

const MALFORMED = 1;
const UNAUTHORIZED = 6;
const MAX_CERTIFICATES = 20;
export const OCSP_VALIDITY_MS = 3_600_000;
/** SHA-1 is the common ground of RFC 5019 §2.1.1. */
const NAMED_BY = ["SHA-1", "SHA-256"] as const;

/**
 * Answers any bytes.
 * Shape: a signing authority's responder answers, retired or not; a root itself.
 * Source: RFC 6960 §2.3 (refusals), §4.2; RFC 9654 (nonce).
 */
export async function answerOcsp(
  authorities: Authorities,
  platform: Pick<Platform, "db" | "clock">,
  requestDer: Uint8Array,
): Promise<Uint8Array> {
  const request = readRequest(requestDer);
  if (request === null || request.certIds.length === 0 || request.certIds.length > MAX_CERTIFICATES)
    return createOcspRefusal(MALFORMED);
  const issuer = await askedIssuer(authorities, request.certIds);
  const now = platform.clock();
  const responder = issuer === null ? null : responderOf(authorities, issuer, now);
  if (issuer === null || responder === null) return createOcspRefusal(UNAUTHORIZED);
  const nextUpdate = new Date(now.getTime() + OCSP_VALIDITY_MS);
  const answers: OcspAnswer[] = [];
  for (const certId of request.certIds) {
    answers.push({
      ...(await statusOf((key) => findCertificate(platform.db, key), issuer, certId)),
      certId,
      thisUpdate: now,
      nextUpdate,
    });
  }
  return createOcspResponse(responder, { answers, producedAt: now, nonce: request.nonce });
}

export async function ocspOf(
  authorities: Authorities,
  platform: Pick<Platform, "db" | "clock">,
  certificateDer: Uint8Array,
  find: (key: CertificateKey) => Promise<KnownCertificate | null> = (key) =>
    findCertificate(platform.db, key),
): Promise<Uint8Array | null> {
  const now = platform.clock();
  const issuer = issuerOf(authorities, certificateDer);
  const responder = issuer === null ? null : responderOf(authorities, issuer, now);
  if (issuer === null || responder === null) return null;
  const certId = await createOcspCertId(certificateDer, issuer.certificateDer);
  const status = await statusOf(find, issuer, certId);
  return createOcspResponse(responder, {
    answers: [
      {
        ...status,
        certId,
        thisUpdate: now,
        nextUpdate: new Date(now.getTime() + OCSP_VALIDITY_MS),
      },
    ],
    producedAt: now,
  });
}

/**
 * Prefers a current responder, else the issuer itself: another's answer would be refused (RFC 6960
 * §4.2.2.2).
 */
function responderOf(authorities: Authorities, issuer: Authority, now: Date): Signer | null {
  const certified = authorities.all.filter(
    ({ purpose, issuerId, signer, certificateDer }) =>
      purpose === "ocsp" &&
      issuerId === issuer.id &&
      signer !== null &&
      parseCertificate(certificateDer).notAfter > now,
  );
  return (certified.find(({ retiredAt }) => retiredAt === null) ?? certified.at(-1) ?? issuer)
    .signer;
}

function readRequest(der: Uint8Array): OcspRequest | null {
  try {
    return parseOcspRequest(der);
  } catch (error) {
    if (error instanceof PadesError) return null;
    throw error;
  }
}

/** One signature answers all, so all must have one issuer. */
async function askedIssuer(
  authorities: Authorities,
  certIds: readonly OcspCertId[],
): Promise<Authority | null> {
  for (const issuer of authorities.all.filter(
    ({ purpose }) => purpose === "ca" || purpose === "root",
  )) {
    const own = await Promise.all(
      NAMED_BY.map((hash) => createOcspCertId(issuer.certificateDer, issuer.certificateDer, hash)),
    );
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

async function statusOf(
  find: (key: CertificateKey) => Promise<KnownCertificate | null>,
  issuer: Authority,
  certId: OcspCertId,
): Promise<OcspStatus> {
  const known = await find({
    issuerId: issuer.id,
    serialNumber: serialHex(certId.serialNumber),
  });
  if (known === null) return { status: "unknown" };
  if (known.revokedAt === null) return { status: "good" };
  return {
    status: "revoked",
    revokedAt: known.revokedAt,
    ...(known.reason === null ? {} : { reason: known.reason as RevocationReason }),
  };
}

/** DER obtained at each signature, whose certificate has expired since. */
export type StoredRevocation = Pick<LongTermData, "ocsps" | "crls">;

type Sources = {
  readonly authorities: Authorities;
  readonly platform: Pick<Platform, "db" | "clock">;
  readonly outside: RevocationSource;
};

/**
 * Covers each certificate that needs it: stored with a signature, ours (in one statement), or an
 * external issuer's.
 * Errors: `TimestampUnavailableError` when an external issuer is away, `RevocationUnaskableError`
 * when there is none.
 * Source: EN 319 142-1 §5.4.2.
 */
export async function gatherLongTerm(
  sources: Sources,
  needs: LongTermNeeds,
  kept: StoredRevocation,
): Promise<LongTermData> {
  const { authorities, platform, outside } = sources;
  const ocsps: Uint8Array[] = [...kept.ocsps];
  const crls: Uint8Array[] = [...kept.crls];
  const answered = new Set(kept.ocsps.flatMap(serialsIn));
  const asked = needs.revocations.map((need) => {
    const own = authorityOf(authorities, need.issuer);
    const serialNumber = own && serialHex(parseCertificate(need.certificate).serialNumber);
    return { ...need, own, serialNumber };
  });
  const known = await loadRevocation(platform.db, {
    issuerIds: asked.flatMap(({ own }) => (own?.purpose === "root" ? own.id : [])),
    serialNumbers: asked.flatMap(({ own, serialNumber }) =>
      own?.purpose === "root" || serialNumber === null || answered.has(serialNumber)
        ? []
        : serialNumber,
    ),
  });
  for (const { certificate, own, serialNumber } of asked) {
    if (own?.purpose === "root")
      crls.push(...derOf(await currentCrl(platform, own, known.list(own.id))));
    else if (serialNumber !== null && !answered.has(serialNumber))
      ocsps.push(
        ...presence(
          await ocspOf(authorities, platform, certificate, async (key) => known.certificate(key)),
        ),
      );
  }
  // Asked last, so that they are fresh.
  for (const { certificate, issuer, own } of asked)
    if (own === null) await askOutside(outside, { certificate, issuer }, { ocsps, crls });
  const itself = (der: Uint8Array) => der;
  return {
    certificates: needs.certificates,
    ocsps: distinct(ocsps, itself),
    crls: distinct(crls, itself),
  };
}

async function askOutside(
  outside: RevocationSource,
  { certificate, issuer }: LongTermNeeds["revocations"][number],
  into: { readonly ocsps: Uint8Array[]; readonly crls: Uint8Array[] },
): Promise<void> {
  const ocsp = await outside.ocsp(certificate, issuer);
  const crl = ocsp === null ? await outside.crl(certificate, issuer) : null;
  if (ocsp === null && crl === null)
    throw new RevocationUnaskableError(
      "The time-stamping authority's certificate bears no address that says whether it was revoked",
    );
  into.ocsps.push(...presence(ocsp));
  into.crls.push(...presence(crl));
}

function serialsIn(ocsp: Uint8Array): readonly string[] {
  return parseOcspResponse(ocsp)?.answers.map(({ certId }) => serialHex(certId.serialNumber)) ?? [];
}

function derOf(crl: { readonly der: Uint8Array } | null): readonly Uint8Array[] {
  return crl === null ? [] : [crl.der];
}

function presence(der: Uint8Array | null): readonly Uint8Array[] {
  return der === null ? [] : [der];
}
