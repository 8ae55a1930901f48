import {
  type Asn1,
  child,
  children,
  derOf,
  equalBytes,
  magnitude,
  octets,
  oidOf,
  parseDer,
  readElement,
  smallInteger,
} from "../asn1/der-reader.ts";
import {
  concatBytes,
  explicit,
  integer,
  octetString,
  oid,
  sequence,
  setOf,
  tlv,
  unsignedInteger,
} from "../asn1/der-writer.ts";
import { DIGEST_NAMES, OID } from "../asn1/oids.ts";
import { digest } from "../cryptography.ts";
import { PadesError } from "../pades-error.ts";
import type { Signer } from "../ports.ts";
import { keyIdentifier, parseAlgorithm, parseCertificate } from "../x509/certificate.ts";
import { signatureAlgorithmOf, type AlgorithmIdentifier, type Certificate } from "../x509/types.ts";

export const attribute = (type: string, value: Uint8Array): Uint8Array =>
  sequence(oid(type), setOf(value));

const DIGEST_ALGORITHM = sequence(oid(OID.sha256));

type SignedDataRequest = {
  readonly signer: Signer;
  readonly contentType: string;
  /** Absent for a detached signature. */
  readonly content?: Uint8Array;
  readonly contentDigestSha256: Uint8Array;
  readonly certificates: readonly Uint8Array[];
  readonly unsignedAttributes?: (signature: Uint8Array) => Promise<readonly Uint8Array[]>;
  /** Besides contentType, messageDigest and signingCertificateV2. */
  readonly signedAttributes?: readonly Uint8Array[];
};

/**
 * Makes a CMS SignedData (DER ContentInfo) with one signer, SHA-256, without signing-time.
 * Source: RFC 5652 §5; RFC 5035 §3; EN 319 122-1 §5.1, §5.2.2.3; EN 319 142-1 §6.3.
 */
export async function createSignedData(request: SignedDataRequest): Promise<Uint8Array> {
  const { signer } = request;
  const certificate = signer.certificates[0];
  if (!certificate) throw new TypeError("Expected a signer with a certificate");
  const parsed = parseCertificate(certificate);
  const attributes = setOf(
    attribute(OID.contentType, oid(request.contentType)),
    attribute(OID.messageDigest, octetString(request.contentDigestSha256)),
    attribute(OID.signingCertificateV2, await signingCertificate(certificate)),
    ...(request.signedAttributes ?? []),
  );
  const signature = await signer.sign(attributes);
  const unsigned = request.unsignedAttributes ? await request.unsignedAttributes(signature) : [];
  const signerInfo = sequence(
    integer(1),
    sequence(parsed.issuerDer, unsignedInteger(parsed.serialNumber)),
    digestAlgorithm(signer),
    // RFC 5652 §5.4: signed as a SET OF, carried as [0] IMPLICIT.
    concatBytes([Uint8Array.of(0xa0), attributes.subarray(1)]),
    signatureAlgorithmOf(signer.algorithm),
    octetString(signature),
    ...(unsigned.length > 0
      ? [concatBytes([Uint8Array.of(0xa1), setOf(...unsigned).subarray(1)])]
      : []),
  );
  const content = request.content ? [explicit(0, octetString(request.content))] : [];
  const signedData = sequence(
    // RFC 5652 §5.1: version 3 when the content is not id-data.
    integer(request.contentType === OID.data ? 1 : 3),
    setOf(digestAlgorithm(signer)),
    sequence(oid(request.contentType), ...content),
    concatBytes([Uint8Array.of(0xa0), setOf(...request.certificates).subarray(1)]),
    setOf(signerInfo),
  );
  return sequence(oid(OID.signedData), explicit(0, signedData));
}

function digestAlgorithm(signer: Signer): Uint8Array {
  if (signer.algorithm === "ecdsa-p384-sha384")
    throw new TypeError("Expected a signer whose signatures use SHA-256");
  return DIGEST_ALGORITHM;
}

/** Source: RFC 5035 §3 (SHA-256 is the default, so left out). */
async function signingCertificate(certificate: Uint8Array): Promise<Uint8Array> {
  const hash = await digest("SHA-256", certificate);
  const { issuerDer, serialNumber } = parseCertificate(certificate);
  const issuerSerial = sequence(sequence(tlv(0xa4, issuerDer)), unsignedInteger(serialNumber));
  return sequence(sequence(sequence(octetString(hash), issuerSerial)));
}

export type SignedData = {
  readonly contentType: string;
  readonly content: Uint8Array | null;
  readonly certificates: readonly Uint8Array[];
  readonly signerCount: number;
  readonly issuerDer: Uint8Array | null;
  readonly serialNumber: Uint8Array | null;
  readonly subjectKeyIdentifier: Uint8Array | null;
  readonly digestOid: string;
  readonly signedAttributesDer: Uint8Array | null;
  readonly signedAttributes: ReadonlyMap<string, readonly Asn1[]>;
  /**
   * A type occurs twice, or a single-valued one has several values (RFC 5652 §5.3, §11.1, §11.2;
   * RFC 5035 §5.4).
   */
  readonly duplicateAttribute: boolean;
  readonly unsignedAttributes: ReadonlyMap<string, readonly Asn1[]>;
  readonly signatureAlgorithm: AlgorithmIdentifier;
  readonly signature: Uint8Array;
};

/**
 * Parses a CMS SignedData, DER or BER. `padding: "allowed"` ignores the zeros of `/Contents`.
 * Errors: `asn1_malformed`.
 * Source: RFC 5652 §5.1, §5.3.
 */
export function parseSignedData(
  der: Uint8Array,
  padding: "allowed" | "refused" = "refused",
): SignedData {
  const outer = padding === "allowed" ? readElement(der) : parseDer(der);
  const contentInfo = children(child([outer], 0, 0x30));
  if (oidOf(child(contentInfo, 0)) !== OID.signedData)
    throw new PadesError("asn1_malformed", "Expected a CMS SignedData");
  const members = children(child(children(child(contentInfo, 1, 0xa0)), 0, 0x30));
  requireVersion(child(members, 0, 0x02));
  const encapsulated = children(child(members, 2, 0x30));
  const certificates = members.find((member, index) => index > 2 && member.tag === 0xa0);
  const signers = children(child(members, members.length - 1, 0x31));
  const signer = readSignerInfo(children(child(signers, 0, 0x30)));
  // RFC 5652 §5.1: digestAlgorithms lists every signer's digest.
  const announced = children(child(members, 1, 0x31)).map((item) =>
    oidOf(child(children(item), 0)),
  );
  if (!announced.includes(signer.digestOid))
    throw new PadesError("asn1_malformed", "Expected the signer's digest to be announced");
  const content = encapsulated[1] ? octets(readElement(encapsulated[1].content)) : null;
  return {
    contentType: oidOf(child(encapsulated, 0)),
    content,
    certificates: certificates
      ? children(certificates)
          .filter((item) => item.tag === 0x30)
          .map((item) => item.bytes)
      : [],
    signerCount: signers.length,
    ...signer,
  };
}

type SignerInfo = Omit<SignedData, "contentType" | "content" | "certificates" | "signerCount">;

/** Source: RFC 5652 §5.1, §5.3: versions 1, 3, 4 and 5. */
function requireVersion(version: Asn1): void {
  if (![1, 3, 4, 5].includes(smallInteger(version)))
    throw new PadesError("asn1_malformed", "Expected a known CMS version");
}

function readSignerInfo(members: readonly Asn1[]): SignerInfo {
  requireVersion(child(members, 0, 0x02));
  const id = child(members, 1);
  const byIssuer = id.tag === 0x30 ? children(id) : null;
  const signed = members.find((member) => member.tag === 0xa0 && member !== id);
  const unsigned = members.find((member) => member.tag === 0xa1);
  const at = signed ? 4 : 3;
  const signedAttributesDer = signed
    ? tlv(0x31, concatBytes(children(signed).map((item) => derOf(item))))
    : null;
  const attributes = readAttributes(signedAttributesDer && readElement(signedAttributesDer));
  return {
    issuerDer: byIssuer ? child(byIssuer, 0, 0x30).bytes : null,
    serialNumber: byIssuer ? magnitude(child(byIssuer, 1, 0x02)) : null,
    subjectKeyIdentifier: byIssuer ? null : id.content,
    digestOid: oidOf(child(children(child(members, 2, 0x30)), 0)),
    signedAttributesDer,
    signedAttributes: attributes.map,
    duplicateAttribute: attributes.duplicate,
    unsignedAttributes: readAttributes(unsigned).map,
    signatureAlgorithm: parseAlgorithm(child(members, at, 0x30)),
    signature: octets(child(members, at + 1, members[at + 1]?.tag === 0x24 ? 0x24 : 0x04)),
  };
}

const SINGLE_VALUED: ReadonlySet<string> = new Set([
  OID.contentType,
  OID.messageDigest,
  OID.signingTime,
  OID.signingCertificate,
  OID.signingCertificateV2,
]);

function readAttributes(set: Asn1 | null | undefined): {
  map: ReadonlyMap<string, readonly Asn1[]>;
  duplicate: boolean;
} {
  const map = new Map<string, readonly Asn1[]>();
  let duplicate = false;
  for (const item of set ? children(set) : []) {
    const members = children(item);
    const type = oidOf(child(members, 0));
    const values = children(child(members, 1, 0x31));
    if (map.has(type) || (SINGLE_VALUED.has(type) && values.length !== 1)) duplicate = true;
    map.set(type, [...(map.get(type) ?? []), ...values]);
  }
  return { map, duplicate };
}

/**
 * No signature covers what follows the value: it must be zeros.
 * Errors: `asn1_malformed`.
 * Source: ISO 32000-2 §12.8.1.
 */
export function isPaddedWithZeros(contents: Uint8Array): boolean {
  for (let at = readElement(contents).bytes.length; at < contents.length; at += 1)
    if (contents[at] !== 0) return false;
  return true;
}

/** The certificate that a SignerInfo names. Source: RFC 5652 §5.3 (sid). */
export async function findSigningCertificate(
  signed: SignedData,
  candidates: readonly Uint8Array[],
): Promise<Certificate | null> {
  for (const der of candidates) {
    const certificate = parseCertificate(der);
    if (signed.issuerDer && signed.serialNumber) {
      if (
        equalBytes(certificate.issuerDer, signed.issuerDer) &&
        equalBytes(certificate.serialNumber, signed.serialNumber)
      )
        return certificate;
    } else if (
      signed.subjectKeyIdentifier &&
      equalBytes(await identifierOf(certificate), signed.subjectKeyIdentifier)
    ) {
      return certificate;
    }
  }
  return null;
}

/** The subjectKeyIdentifier, else SHA-1 of the key. Source: RFC 5652 §5.3; RFC 5280 §4.2.1.2. */
async function identifierOf({
  subjectKeyIdentifier,
  subjectPublicKey,
}: Certificate): Promise<Uint8Array> {
  return subjectKeyIdentifier ?? keyIdentifier(subjectPublicKey);
}

/**
 * The signed ESS references prevent a swapped certificate; where both exist, both must match.
 * Source: RFC 5035 §3, §4; RFC 2634 §5.4 (SHA-1, older time-stamp authorities).
 */
export async function checkSigningCertificate(
  signed: SignedData,
  certificate: Certificate,
): Promise<"match" | "mismatch" | "absent"> {
  const references = [OID.signingCertificateV2, OID.signingCertificate].flatMap((id) => {
    const value = signed.signedAttributes.get(id)?.[0];
    return value ? [names(certificate, value, id)] : [];
  });
  if (references.length === 0) return "absent";
  return (await Promise.all(references)).every(Boolean) ? "match" : "mismatch";
}

/**
 * A reference without issuer and serial number is accepted.
 * Source: RFC 5035 §4 (issuerSerial), RFC 5280 §4.2.1.6 (directoryName is [4]).
 */
export function namesOtherIssuer(
  signed: SignedData,
  { issuerDer, serialNumber }: Certificate,
): boolean {
  return [OID.signingCertificateV2, OID.signingCertificate].some((id) => {
    const value = signed.signedAttributes.get(id)?.[0];
    const reference = value
      ? children(child(children(child(children(value), 0, 0x30)), 0, 0x30))
      : [];
    const beside = reference[reference.findIndex(({ tag }) => tag === 0x04) + 1];
    if (!beside) return false;
    const [issuer, serial] = beside.tag === 0x30 ? children(beside) : [];
    if (issuer?.tag !== 0x30 || serial?.tag !== 0x02) return true;
    const isNamed = children(issuer).some(
      ({ tag, content }) => tag === 0xa4 && equalBytes(content, issuerDer),
    );
    return !isNamed || !equalBytes(magnitude(serial), serialNumber);
  });
}

/** Version 1 always uses SHA-1. Source: RFC 5035 §4, §5.4.1; ETSI TS 119 312 §5.2. */
export function hasWeakReference(signed: SignedData): boolean {
  const value = signed.signedAttributes.get(OID.signingCertificateV2)?.[0];
  if (!value) return true;
  const algorithm = children(child(children(child(children(value), 0, 0x30)), 0, 0x30))[0];
  return algorithm?.tag === 0x30 && DIGEST_NAMES[oidOf(child(children(algorithm), 0))] === "SHA-1";
}

/** Source: RFC 5035 §3, RFC 2634 §5.4. */
async function names(certificate: Certificate, value: Asn1, id: string): Promise<boolean> {
  const reference = children(child(children(child(children(value), 0, 0x30)), 0, 0x30));
  const named = id === OID.signingCertificate ? null : reference[0];
  const algorithm =
    named?.tag === 0x30 ? oidOf(child(children(named), 0)) : named ? OID.sha256 : OID.sha1;
  const hash = child(reference, named?.tag === 0x30 ? 1 : 0, 0x04);
  const digestName = DIGEST_NAMES[algorithm];
  return (
    digestName !== undefined && equalBytes(await digest(digestName, certificate.der), octets(hash))
  );
}
