import {
  type Asn1,
  bitStringBytes,
  child,
  children,
  equalBytes,
  magnitude,
  octets,
  oidOf,
  parseDer,
  readElement,
  smallInteger,
  textOf,
  timeOf,
} from "../asn1/der-reader.ts";
import {
  bitString,
  booleanValue,
  explicit,
  implicit,
  integer,
  nullValue,
  octetString,
  oid,
  printableString,
  sequence,
  setOf,
  time,
  unsignedInteger,
  utf8String,
} from "../asn1/der-writer.ts";
import { OID } from "../asn1/oids.ts";
import { latinText } from "../pdf/byte-reader.ts";
import { digest } from "../cryptography.ts";
import {
  signatureAlgorithmOf,
  type AlgorithmIdentifier,
  type Certificate,
  type CertificateProfile,
  type CertificateRequest,
  type DistinguishedName,
  type Issuer,
  type IssuerAddresses,
} from "./types.ts";

const USAGES = [
  "digitalSignature",
  "nonRepudiation",
  "keyEncipherment",
  "dataEncipherment",
  "keyAgreement",
  "keyCertSign",
  "cRLSign",
  "encipherOnly",
  "decipherOnly",
];
/**
 * They restrict a path even if not critical, and are not processed here.
 * Source: RFC 5280 §6.1.4 (g), (i), (j).
 */
const RESTRICTING: ReadonlySet<string> = new Set([
  OID.nameConstraints,
  OID.policyConstraints,
  OID.inhibitAnyPolicy,
]);
const PROCESSED: ReadonlySet<string> = new Set([
  OID.keyUsage,
  OID.basicConstraints,
  OID.extendedKeyUsage,
  OID.subjectAltName,
  OID.certificatePolicies,
  OID.qcStatements,
]);
const CACHE = new WeakMap<Uint8Array, Certificate>();
/** Certificates of authorities recur in every file. */
const KEPT = 64;
/** Comparing more bytes costs more than parsing them. */
const LARGEST_BYTES = 4_096;
/** Found by their last bytes, which are signature; then compared whole. */
const REMEMBERED = new Map<string, Certificate>();
const NAME_BYTES = 32;

/**
 * Parses a certificate, cached by its bytes.
 * Errors: `asn1_malformed`.
 * Source: RFC 5280 §4.1.
 */
export function parseCertificate(der: Uint8Array): Certificate {
  const known = CACHE.get(der);
  if (known) return known;
  const certificate = der.length > LARGEST_BYTES ? read(der) : remembered(der);
  CACHE.set(der, certificate);
  return certificate;
}

function remembered(der: Uint8Array): Certificate {
  const name = latinText(der.subarray(-NAME_BYTES));
  const known = REMEMBERED.get(name);
  const isSame = known !== undefined && equalBytes(known.der, der);
  // A view would retain the whole file.
  const certificate = isSame ? known : read(der.slice());
  REMEMBERED.delete(name);
  REMEMBERED.set(name, certificate);
  CACHE.set(certificate.der, certificate);
  const oldest = REMEMBERED.size > KEPT ? REMEMBERED.keys().next().value : undefined;
  if (oldest !== undefined) REMEMBERED.delete(oldest);
  return certificate;
}

/** Source: RFC 5280 §4.1.1.2. */
export function parseAlgorithm(element: Asn1): AlgorithmIdentifier {
  const members = children(element);
  return { oid: oidOf(child(members, 0, 0x06)), parameters: members[1]?.bytes ?? null };
}

function read(der: Uint8Array): Certificate {
  const outer = children(parseDer(der));
  const tbs = child(outer, 0, 0x30);
  const members = children(tbs);
  const at = members[0]?.tag === 0xa0 ? 1 : 0;
  const issuer = child(members, at + 2, 0x30);
  const validity = children(child(members, at + 3, 0x30));
  const subject = child(members, at + 4, 0x30);
  const extensions = members.find((member) => member.tag === 0xa3);
  return {
    der,
    tbs: tbs.bytes,
    serialNumber: magnitude(child(members, at, 0x02)),
    issuerDer: issuer.bytes,
    subjectDer: subject.bytes,
    subject: parseName(subject.bytes),
    issuer: parseName(issuer.bytes),
    notBefore: timeOf(child(validity, 0)),
    notAfter: timeOf(child(validity, 1)),
    subjectPublicKey: child(members, at + 5, 0x30).bytes,
    signatureAlgorithm: parseAlgorithm(child(outer, 1, 0x30)),
    signature: bitStringBytes(child(outer, 2, 0x03)),
    ...readExtensions(extensions ? children(readElement(extensions.content)) : []),
  };
}

type Extensions = Pick<
  Certificate,
  | "isCa"
  | "pathLength"
  | "keyUsage"
  | "extendedKeyUsage"
  | "extendedKeyUsageCritical"
  | "policyOids"
  | "emails"
  | "ocspUrls"
  | "crlUrls"
  | "ocspNoCheck"
  | "subjectKeyIdentifier"
  | "unprocessed"
>;

function readExtensions(list: readonly Asn1[]): Extensions {
  const found = new Map<string, { critical: boolean; value: Asn1 }>();
  for (const item of list) {
    const members = children(item);
    const value = members.at(-1);
    if (value)
      found.set(oidOf(child(members, 0)), {
        critical: members[1]?.tag === 0x01 && members[1].content[0] !== 0,
        value: readElement(octets(value)),
      });
  }
  const valueOf = (id: string): readonly Asn1[] => {
    const value = found.get(id)?.value;
    return value && (value.tag & 0x20) !== 0 ? children(value) : [];
  };
  const basic = valueOf(OID.basicConstraints);
  const pathLength = basic.find((member) => member.tag === 0x02);
  const usage = found.get(OID.keyUsage)?.value;
  const identifier = found.get(OID.subjectKeyIdentifier)?.value;
  return {
    isCa: basic[0]?.tag === 0x01 && basic[0].content[0] !== 0,
    pathLength: pathLength ? smallInteger(pathLength) : null,
    keyUsage: usage ? usageNames(usage) : null,
    extendedKeyUsage: valueOf(OID.extendedKeyUsage).map(oidOf),
    extendedKeyUsageCritical: found.get(OID.extendedKeyUsage)?.critical ?? false,
    policyOids: valueOf(OID.certificatePolicies).map((policy) => oidOf(child(children(policy), 0))),
    emails: valueOf(OID.subjectAltName)
      .filter((name) => name.tag === 0x81)
      .map(textOf),
    ocspUrls: valueOf(OID.authorityInfoAccess)
      .map(children)
      .filter((access) => oidOf(child(access, 0)) === OID.accessOcsp && access[1]?.tag === 0x86)
      .map((access) => textOf(child(access, 1))),
    crlUrls: valueOf(OID.crlDistributionPoints).flatMap(distributionUrls),
    ocspNoCheck: found.has(OID.ocspNoCheck),
    subjectKeyIdentifier: identifier?.tag === 0x04 ? octets(identifier) : null,
    unprocessed: [...found]
      .filter(([id, { critical }]) => RESTRICTING.has(id) || (critical && !PROCESSED.has(id)))
      .map(([id]) => id),
  };
}

function usageNames(bits: Asn1): ReadonlySet<string> {
  const names = USAGES.filter(
    (_, index) => ((bits.content[1 + (index >> 3)] ?? 0) & (0x80 >> (index & 7))) !== 0,
  );
  return new Set(names);
}

function distributionUrls(point: Asn1): readonly string[] {
  const name = children(point).find((member) => member.tag === 0xa0);
  const full = name ? children(name).find((member) => member.tag === 0xa0) : undefined;
  return full
    ? children(full)
        .filter((member) => member.tag === 0x86)
        .map(textOf)
    : [];
}

/**
 * The last byte of the BIT STRING (bit 0 is the highest) and its unused bits.
 * Source: RFC 5280 §4.2.1.3.
 */
const KEY_USAGE: Readonly<Record<CertificateProfile, Uint8Array>> = {
  root: bitString(Uint8Array.of(0x06), 1),
  ca: bitString(Uint8Array.of(0x06), 1),
  // EN 319 412-2 §4.3.2 type A: contentCommitment alone for natural persons.
  signer: bitString(Uint8Array.of(0x40), 6),
  tsa: bitString(Uint8Array.of(0x80), 7),
  ocsp: bitString(Uint8Array.of(0x80), 7),
  seal: bitString(Uint8Array.of(0xc0), 6),
  tls: bitString(Uint8Array.of(0x80), 7),
};

/**
 * Issues a certificate (DER) of a profile; times lose their fractions.
 * Source: RFC 5280 §4; RFC 3161 §2.3 (critical timeStamping); RFC 6960 §4.2.2.2.1 (ocsp-nocheck);
 * RFC 9336.
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

/** Makes a self-signed root; `signer` is the root's key, without certificates. */
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

/**
 * SHA-1 of a SubjectPublicKeyInfo's key bits (RFC 5280 §4.2.1.2, 1), or another digest (RFC 6960
 * §4.1.1).
 */
export async function keyIdentifier(
  subjectPublicKey: Uint8Array,
  hash: "SHA-1" | "SHA-256" = "SHA-1",
): Promise<Uint8Array> {
  const bits = bitStringBytes(child(children(parseDer(subjectPublicKey)), 1));
  return digest(hash, bits);
}

/** A positive serial number, not zero, at most 20 bytes. Source: RFC 5280 §4.1.2.2. */
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
  // RFC 5280 §4.2.1.1: a self-signed certificate may omit it.
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
  // An address outside ASCII has no rfc822Name form, and few validators know RFC 9598's.
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

const ATTRIBUTES: readonly (readonly [keyof DistinguishedName, string])[] = [
  ["country", OID.country],
  ["organization", OID.organization],
  ["organizationalUnit", OID.organizationalUnit],
  ["surname", OID.surname],
  ["givenName", OID.givenName],
  ["serialNumber", OID.serialNumber],
  ["commonName", OID.commonName],
];

/** Source: RFC 5280 §4.1.2.4. */
export function encodeName(name: DistinguishedName): Uint8Array {
  const parts = ATTRIBUTES.flatMap(([key, id]) => {
    const value = name[key];
    if (value === undefined || value === "") return [];
    // RFC 5280 Appendix A: country and serialNumber are PrintableString.
    const printable =
      key === "country" || (key === "serialNumber" && /^[A-Za-z0-9 '()+,\-./:=?]+$/.test(value));
    return [setOf(sequence(oid(id), printable ? printableString(value) : utf8String(value)))];
  });
  return sequence(...parts);
}

/** The first value of each attribute that this product shows. */
function parseName(der: Uint8Array): DistinguishedName {
  const values: Record<string, string> = {};
  for (const set of children(readElement(der))) {
    for (const attribute of children(set)) {
      const [type, value] = [child(children(attribute), 0), child(children(attribute), 1)];
      const known = ATTRIBUTES.find(([, id]) => id === oidOf(type));
      if (known) values[known[0]] ??= textOf(value);
    }
  }
  return { ...values, commonName: values.commonName ?? "" };
}
