import { bitStringBytes, child, children, parseDer } from "../asn1/der-reader.ts";
import {
  bitString,
  booleanValue,
  explicit,
  implicit,
  integer,
  nullValue,
  octetString,
  oid,
  sequence,
  time,
  unsignedInteger,
} from "../asn1/der-writer.ts";
import { OID } from "../asn1/oids.ts";
import { signatureAlgorithmOf } from "./algorithms.ts";
import { encodeName } from "./distinguished-name.ts";
import { parseCertificate } from "./parse-certificate.ts";
import type { CertificateProfile, CertificateRequest, Issuer, IssuerAddresses } from "./types.ts";
import { digest } from "../cryptography/cryptography.ts";

/** KeyUsage as the last byte of its BIT STRING (bit 0 is the highest) and the unused bits after it. Source: RFC 5280 §4.2.1.3. */
const KEY_USAGE: Readonly<Record<CertificateProfile, Uint8Array>> = {
  root: bitString(Uint8Array.of(0x06), 1), // keyCertSign, cRLSign
  ca: bitString(Uint8Array.of(0x06), 1),
  // EN 319 412-2 §4.3.2 type A: contentCommitment alone for natural persons.
  signer: bitString(Uint8Array.of(0x40), 6),
  tsa: bitString(Uint8Array.of(0x80), 7),
  ocsp: bitString(Uint8Array.of(0x80), 7),
  seal: bitString(Uint8Array.of(0xc0), 6),
  tls: bitString(Uint8Array.of(0x80), 7),
};

/**
 * Issues a certificate of a profile, signed by the issuer's key.
 * Shape: gives DER. Times are cut to the second; the serial number is made positive.
 * Source: RFC 5280 §4; RFC 3161 §2.3 (critical timeStamping); RFC 6960 §4.2.2.2.1 (ocsp-nocheck); RFC 9336.
 */
export async function issueCertificate(
  issuer: Issuer,
  request: CertificateRequest,
): Promise<Uint8Array> {
  const issuerCertificate = issuer.certificates[0];
  if (!issuerCertificate) throw new TypeError("Expected an issuer with its certificate first");
  const parsed = parseCertificate(issuerCertificate);
  return build(issuer, request, { name: parsed.subjectDer, publicKey: parsed.subjectPublicKey });
}

/** Makes a self-signed root: `signer` holds the root's own key, and needs no certificate yet. */
export async function createRoot(
  signer: Issuer,
  request: Omit<CertificateRequest, "profile">,
): Promise<Uint8Array> {
  return build(
    signer,
    { ...request, profile: "root" },
    { name: encodeName(request.subject), publicKey: request.subjectPublicKey },
  );
}

/** Gives the key identifier of a SubjectPublicKeyInfo: SHA-1 of its key bits (RFC 5280 §4.2.1.2, 1), or another digest of them (RFC 6960 §4.1.1). */
export async function keyIdentifier(
  subjectPublicKey: Uint8Array,
  hash: "SHA-1" | "SHA-256" = "SHA-1",
): Promise<Uint8Array> {
  const bits = bitStringBytes(child(children(parseDer(subjectPublicKey)), 1));
  return digest(hash, bits);
}

/** Gives serial number bytes as X.509 wants them: positive, not zero, at most 20 bytes. Source: RFC 5280 §4.1.2.2. */
export function positiveSerialNumber(random: Uint8Array): Uint8Array {
  const bytes = random.slice(0, 20);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes;
}

async function build(
  signer: Issuer,
  request: CertificateRequest,
  from: { name: Uint8Array; publicKey: Uint8Array },
): Promise<Uint8Array> {
  const algorithm = signatureAlgorithmOf(signer.algorithm);
  const [subjectKey, authorityKey] = await Promise.all([
    keyIdentifier(request.subjectPublicKey),
    keyIdentifier(from.publicKey),
  ]);
  const tbs = sequence(
    explicit(0, integer(2)),
    unsignedInteger(positiveSerialNumber(request.serialNumber)),
    algorithm,
    from.name,
    sequence(time(request.notBefore), time(request.notAfter)),
    encodeName(request.subject),
    request.subjectPublicKey,
    explicit(3, sequence(...extensions(request, subjectKey, authorityKey))),
  );
  return sequence(tbs, algorithm, bitString(await signer.sign(tbs)));
}

const extension = (id: string, value: Uint8Array): Uint8Array =>
  sequence(oid(id), octetString(value));
const criticalExtension = (id: string, value: Uint8Array): Uint8Array =>
  sequence(oid(id), booleanValue(true), octetString(value));

function extensions(
  request: CertificateRequest,
  subjectKey: Uint8Array,
  authorityKey: Uint8Array,
): Uint8Array[] {
  const { profile } = request;
  const out = [
    extension(OID.subjectKeyIdentifier, octetString(subjectKey)),
    criticalExtension(OID.keyUsage, KEY_USAGE[profile]),
  ];
  // RFC 5280 §4.2.1.1: a self-signed certificate may leave its authority key identifier out.
  if (profile !== "root")
    out.unshift(extension(OID.authorityKeyIdentifier, sequence(implicit(0, authorityKey))));
  out.push(criticalExtension(OID.basicConstraints, basicConstraints(request)));
  if (profile === "tsa")
    out.push(criticalExtension(OID.extendedKeyUsage, sequence(oid(OID.ekuTimeStamping))));
  if (profile === "ocsp") {
    out.push(
      extension(OID.extendedKeyUsage, sequence(oid(OID.ekuOcspSigning))),
      extension(OID.ocspNoCheck, nullValue()),
    );
  }
  if (profile === "signer" || profile === "seal")
    out.push(extension(OID.extendedKeyUsage, sequence(oid(OID.ekuDocumentSigning))));
  if (profile === "tls") {
    out.push(
      extension(OID.extendedKeyUsage, sequence(oid(OID.ekuServerAuth))),
      extension(OID.subjectAltName, sequence(...(request.hosts ?? []).map(hostName))),
    );
  }
  // A mail address outside ASCII has no rfc822Name form (RFC 9598 uses another one that validators rarely know): it is left out.
  if (request.email && /^[\x21-\x7e]+$/.test(request.email)) {
    out.push(
      extension(OID.subjectAltName, sequence(implicit(1, new TextEncoder().encode(request.email)))),
    );
  }
  if (request.policyOid)
    out.push(extension(OID.certificatePolicies, sequence(sequence(oid(request.policyOid)))));
  return [...out, ...addressExtensions(request.addresses)];
}

/** RFC 5280 §4.2.1.6: dNSName, or iPAddress in network byte order. */
function hostName(host: string | Uint8Array): Uint8Array {
  return typeof host === "string" ? implicit(2, new TextEncoder().encode(host)) : implicit(7, host);
}

function basicConstraints({ profile, pathLength }: CertificateRequest): Uint8Array {
  if (profile === "root")
    return sequence(booleanValue(true), ...(pathLength === undefined ? [] : [integer(pathLength)]));
  return profile === "ca" ? sequence(booleanValue(true), integer(0)) : sequence();
}

function addressExtensions(addresses: IssuerAddresses | undefined): Uint8Array[] {
  const uri = (address: string): Uint8Array => implicit(6, new TextEncoder().encode(address));
  const access = [
    ...(addresses?.ocspUrl ? [sequence(oid(OID.accessOcsp), uri(addresses.ocspUrl))] : []),
    ...(addresses?.caIssuersUrl
      ? [sequence(oid(OID.accessCaIssuers), uri(addresses.caIssuersUrl))]
      : []),
  ];
  const out = access.length > 0 ? [extension(OID.authorityInfoAccess, sequence(...access))] : [];
  if (addresses?.crlUrl) {
    out.push(
      extension(
        OID.crlDistributionPoints,
        sequence(sequence(explicit(0, explicit(0, uri(addresses.crlUrl))))),
      ),
    );
  }
  return out;
}
