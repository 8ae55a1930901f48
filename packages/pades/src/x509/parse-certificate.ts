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
import { toHex } from "../asn1/hex.ts";
import { OID } from "../asn1/oids.ts";
import { parseName } from "./distinguished-name.ts";
import type { AlgorithmIdentifier, Certificate } from "./types.ts";

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
 * Extensions that restrict a path even if not critical, and are not processed here.
 * Source: RFC 5280 §6.1.4 (g), (i), (j).
 */
const RESTRICTING: ReadonlySet<string> = new Set([
  OID.nameConstraints,
  OID.policyConstraints,
  OID.inhibitAnyPolicy,
]);
/** Critical extensions that path building processes; any other critical one is refused. */
const PROCESSED: ReadonlySet<string> = new Set([
  OID.keyUsage,
  OID.basicConstraints,
  OID.extendedKeyUsage,
  OID.subjectAltName,
  OID.certificatePolicies,
  OID.qcStatements,
]);
const CACHE = new WeakMap<Uint8Array, Certificate>();
/** Authorities' certificates recur in every file. */
const KEPT = 64;
/** Comparing more bytes costs more than parsing them. */
const LARGEST_BYTES = 4_096;
/** By their last bytes, part of the signature; then compared whole. */
const REMEMBERED = new Map<string, Certificate>();
const NAME_BYTES = 32;

/**
 * Parses a certificate, cached by its bytes. `der` is a copy.
 * Errors: PadesError `asn1_malformed`.
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
  const name = toHex(der.subarray(-NAME_BYTES));
  const known = REMEMBERED.get(name);
  const isSame = known !== undefined && equalBytes(known.der, der);
  // A view would retain the whole file.
  const certificate = isSame ? known : read(der.slice());
  // The least recently used goes first.
  REMEMBERED.delete(name);
  REMEMBERED.set(name, certificate);
  CACHE.set(certificate.der, certificate);
  const oldest = REMEMBERED.size > KEPT ? REMEMBERED.keys().next().value : undefined;
  if (oldest !== undefined) REMEMBERED.delete(oldest);
  return certificate;
}

/** Parses an AlgorithmIdentifier. Source: RFC 5280 §4.1.1.2. */
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
