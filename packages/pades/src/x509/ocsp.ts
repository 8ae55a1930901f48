import {
  type Asn1,
  bitStringBytes,
  child,
  children,
  magnitude,
  octets,
  oidOf,
  parseDer,
  readElement,
  smallInteger,
  timeOf,
  toHex,
} from "../asn1/der-reader.ts";
import {
  bitString,
  enumerated,
  explicit,
  generalizedTime,
  implicit,
  nullValue,
  octetString,
  oid,
  sequence,
  unsignedInteger,
  integer,
  time,
} from "../asn1/der-writer.ts";
import { OID } from "../asn1/oids.ts";
import { PadesError } from "../pades-error.ts";
import type { Signer } from "../ports.ts";
import {
  signatureAlgorithmOf,
  type AlgorithmIdentifier,
  type OcspAnswer,
  type OcspCertId,
  type OcspRequest,
  type CrlRequest,
  type Issuer,
  type RevocationReason,
} from "./types.ts";
import { keyIdentifier, parseAlgorithm, parseCertificate } from "./certificate.ts";
import { digest } from "../cryptography.ts";

/** Makes a version 2 CRL (DER); times lose their fractions. Source: RFC 5280 §5.1, §5.2. */
export async function createCrl(issuer: Issuer, request: CrlRequest): Promise<Uint8Array> {
  const certificate = parseCertificate(issuer.certificates[0] ?? new Uint8Array());
  const algorithm = signatureAlgorithmOf(issuer.algorithm);
  const entries = request.revoked.map(({ serialNumber, revokedAt, reason }) =>
    sequence(
      unsignedInteger(serialNumber),
      time(revokedAt),
      // RFC 5280 §5.3.1: absence means `unspecified`.
      ...(reason ? [sequence(sequence(oid(OID.crlReason), octetString(enumerated(reason))))] : []),
    ),
  );
  const extensions = sequence(
    sequence(
      oid(OID.authorityKeyIdentifier),
      octetString(sequence(implicit(0, await keyIdentifier(certificate.subjectPublicKey)))),
    ),
    sequence(oid(OID.crlNumber), octetString(integer(request.number))),
  );
  const tbs = sequence(
    integer(1),
    algorithm,
    certificate.subjectDer,
    time(request.thisUpdate),
    time(request.nextUpdate),
    // RFC 5280 §5.1.2.6: an empty list must be absent.
    ...(entries.length > 0 ? [sequence(...entries)] : []),
    explicit(0, extensions),
  );
  return sequence(tbs, algorithm, bitString(await issuer.sign(tbs)));
}

export type Crl = {
  readonly tbs: Uint8Array;
  readonly issuerDer: Uint8Array;
  readonly thisUpdate: Date;
  readonly nextUpdate: Date | null;
  readonly signatureAlgorithm: AlgorithmIdentifier;
  readonly signature: Uint8Array;
  /** Serial numbers, hexadecimal. */
  readonly revoked: ReadonlyMap<
    string,
    { readonly at: Date; readonly reason: RevocationReason | null }
  >;
  /** Otherwise it cannot say "good" (RFC 5280 §5.2.4, §5.2.5). */
  readonly complete: boolean;
};

/** Parses a CRL. Errors: `asn1_malformed`. Source: RFC 5280 §5.1. */
export function parseCrl(der: Uint8Array): Crl {
  const outer = children(parseDer(der));
  const tbs = child(outer, 0, 0x30);
  const members = children(tbs);
  let at = members[0]?.tag === 0x02 ? 2 : 1;
  const issuer = child(members, at, 0x30);
  const thisUpdate = timeOf(child(members, at + 1));
  at += 2;
  const next = members[at];
  const hasNext = next?.tag === 0x17 || next?.tag === 0x18;
  if (hasNext) at += 1;
  const list = members[at]?.tag === 0x30 ? children(child(members, at)) : [];
  const extensions = members.find((member) => member.tag === 0xa0);
  const ids = extensions
    ? children(readElement(extensions.content)).map((item) => oidOf(child(children(item), 0)))
    : [];
  return {
    tbs: tbs.bytes,
    issuerDer: issuer.bytes,
    thisUpdate,
    nextUpdate: hasNext && next ? timeOf(next) : null,
    signatureAlgorithm: parseAlgorithm(child(outer, 1, 0x30)),
    signature: bitStringBytes(child(outer, 2, 0x03)),
    revoked: new Map(list.map((entry) => readEntry(children(entry)))),
    complete: !ids.includes(OID.deltaCrlIndicator) && !ids.includes(OID.issuingDistributionPoint),
  };
}

function readEntry(
  members: ReturnType<typeof children>,
): [string, { at: Date; reason: RevocationReason | null }] {
  const serial = toHex(magnitude(child(members, 0, 0x02)));
  const extensions = members[2] ? children(members[2]) : [];
  const reason = extensions
    .map(children)
    .find((item) => oidOf(child(item, 0)) === OID.crlReason)
    ?.at(-1);
  return [
    serial,
    {
      at: timeOf(child(members, 1)),
      reason: reason ? (smallInteger(readElement(octets(reason))) as RevocationReason) : null,
    },
  ];
}

/** Parses an OCSP request. Errors: `asn1_malformed`. Source: RFC 6960 §4.1.1. */
export function parseOcspRequest(der: Uint8Array): OcspRequest {
  const tbs = children(child(children(parseDer(der)), 0, 0x30));
  const list = tbs.find((member) => member.tag === 0x30);
  if (!list)
    throw new PadesError("asn1_malformed", "Expected a requestList", { clause: "RFC 6960 §4.1.1" });
  const extensions = tbs.find((member) => member.tag === 0xa2);
  return {
    certIds: children(list).map((request) => parseCertId(child(children(request), 0, 0x30))),
    nonce: extensions ? nonceOf(extensions) : null,
  };
}

/** A request about one certificate. `nonce`: 1 to 32 random bytes (RFC 9654 §2.1), or none. */
export async function createOcspRequest(
  certificate: Uint8Array,
  issuer: Uint8Array,
  nonce?: Uint8Array,
): Promise<Uint8Array> {
  const id = await createOcspCertId(certificate, issuer);
  const extensions = nonce ? [explicit(2, sequence(nonceExtension(nonce)))] : [];
  return sequence(sequence(sequence(sequence(id.der)), ...extensions));
}

/**
 * A CertID: two digests of the issuer, and the serial number. Every responder knows SHA-1, which
 * here proves nothing (RFC 5019 §2.1.1); newer clients use SHA-256.
 */
export async function createOcspCertId(
  certificate: Uint8Array,
  issuer: Uint8Array,
  hash: "SHA-1" | "SHA-256" = "SHA-1",
): Promise<OcspCertId> {
  const issuerParsed = parseCertificate(issuer);
  const hashAlgorithm = hash === "SHA-1" ? OID.sha1 : OID.sha256;
  const issuerNameHash = await digest(hash, issuerParsed.subjectDer);
  const issuerKeyHash = await keyIdentifier(issuerParsed.subjectPublicKey, hash);
  const { serialNumber } = parseCertificate(certificate);
  const der = sequence(
    sequence(oid(hashAlgorithm), nullValue()),
    octetString(issuerNameHash),
    octetString(issuerKeyHash),
    unsignedInteger(serialNumber),
  );
  return { hashAlgorithm, issuerNameHash, issuerKeyHash, serialNumber, der };
}

/**
 * Makes a successful response with the responder's certificate.
 * Shape: openssl refuses fractions of seconds. `nonce` echoes the request's (RFC 9654 §2.1).
 * Source: RFC 6960 §4.2.1.
 */
export async function createOcspResponse(
  responder: Signer,
  response: { answers: readonly OcspAnswer[]; producedAt: Date; nonce?: Uint8Array | null },
): Promise<Uint8Array> {
  const certificate = responder.certificates[0] ?? new Uint8Array();
  const key = await keyIdentifier(parseCertificate(certificate).subjectPublicKey);
  const algorithm = signatureAlgorithmOf(responder.algorithm);
  const data = sequence(
    explicit(2, octetString(key)),
    generalizedTime(response.producedAt),
    sequence(...response.answers.map(singleResponse)),
    ...(response.nonce ? [explicit(1, sequence(nonceExtension(response.nonce)))] : []),
  );
  const basic = sequence(
    data,
    algorithm,
    bitString(await responder.sign(data)),
    explicit(0, sequence(certificate)),
  );
  return sequence(enumerated(0), explicit(0, sequence(oid(OID.ocspBasic), octetString(basic))));
}

/**
 * Unsigned: 1 malformedRequest, 2 internalError, 3 tryLater, 6 unauthorized.
 * Source: RFC 6960 §4.2.1.
 */
export function createOcspRefusal(status: 1 | 2 | 3 | 6): Uint8Array {
  return sequence(enumerated(status));
}

const nonceExtension = (nonce: Uint8Array): Uint8Array =>
  sequence(oid(OID.ocspNonce), octetString(octetString(nonce)));

function singleResponse(answer: OcspAnswer): Uint8Array {
  const status =
    answer.status === "good"
      ? implicit(0, new Uint8Array())
      : answer.status === "unknown"
        ? implicit(2, new Uint8Array())
        : explicit(
            1,
            generalizedTime(answer.revokedAt),
            ...(answer.reason ? [explicit(0, enumerated(answer.reason))] : []),
          );
  return sequence(
    answer.certId.der,
    status,
    generalizedTime(answer.thisUpdate),
    explicit(0, generalizedTime(answer.nextUpdate)),
  );
}

function parseCertId(element: Asn1): OcspCertId {
  const members = children(element);
  return {
    hashAlgorithm: oidOf(child(children(child(members, 0, 0x30)), 0)),
    issuerNameHash: octets(child(members, 1, 0x04)),
    issuerKeyHash: octets(child(members, 2, 0x04)),
    serialNumber: magnitude(child(members, 3, 0x02)),
    der: element.bytes,
  };
}

function nonceOf(extensions: Asn1): Uint8Array | null {
  const nonce = children(readElement(extensions.content))
    .map(children)
    .find((item) => oidOf(child(item, 0)) === OID.ocspNonce)
    ?.at(-1);
  if (!nonce) return null;
  const value = octets(nonce);
  // Tolerance: clients before RFC 6960 omit the inner OCTET STRING (old openssl, Windows).
  return value[0] === 0x04 && value[1] === value.length - 2 ? value.subarray(2) : value;
}

export type OcspResponse = {
  readonly tbs: Uint8Array;
  readonly producedAt: Date;
  readonly responder: { readonly nameDer: Uint8Array } | { readonly keyHash: Uint8Array };
  readonly answers: readonly {
    readonly certId: OcspCertId;
    readonly status: "good" | "revoked" | "unknown";
    readonly revokedAt: Date | null;
    readonly thisUpdate: Date;
    readonly nextUpdate: Date | null;
  }[];
  readonly signatureAlgorithm: AlgorithmIdentifier;
  readonly signature: Uint8Array;
  readonly certificates: readonly Uint8Array[];
};

/**
 * Parses a response; null for a refusal.
 * Errors: `asn1_malformed`.
 * Source: RFC 6960 §4.2.1.
 */
export function parseOcspResponse(der: Uint8Array): OcspResponse | null {
  const outer = children(parseDer(der));
  if (smallInteger(child(outer, 0, 0x0a)) !== 0) return null;
  const wrapped = children(readElement(child(outer, 1, 0xa0).content));
  return parseBasicOcspResponse(octets(child(wrapped, 1, 0x04)));
}

function parseBasicOcspResponse(der: Uint8Array): OcspResponse {
  const basic = children(parseDer(der));
  const data = child(basic, 0, 0x30);
  const members = children(data).filter((member) => member.tag !== 0xa0);
  const responder = child(members, 0);
  const inner = readElement(responder.content);
  const certificates = basic[3]
    ? children(readElement(basic[3].content)).map((item) => item.bytes)
    : [];
  return {
    tbs: data.bytes,
    producedAt: timeOf(child(members, 1, 0x18)),
    responder: responder.tag === 0xa1 ? { nameDer: inner.bytes } : { keyHash: octets(inner) },
    answers: children(child(members, 2, 0x30)).map(parseSingle),
    signatureAlgorithm: parseAlgorithm(child(basic, 1, 0x30)),
    signature: bitStringBytes(child(basic, 2, 0x03)),
    certificates,
  };
}

function parseSingle(element: Asn1): OcspResponse["answers"][number] {
  const members = children(element);
  const status = child(members, 1);
  const next = members.find((member, index) => index > 2 && member.tag === 0xa0);
  const kind = status.tag & 0x1f;
  return {
    certId: parseCertId(child(members, 0, 0x30)),
    status: kind === 0 ? "good" : kind === 1 ? "revoked" : "unknown",
    revokedAt: kind === 1 ? timeOf(child(children(status), 0)) : null,
    thisUpdate: timeOf(child(members, 2, 0x18)),
    nextUpdate: next ? timeOf(readElement(next.content)) : null,
  };
}
