import {
  type Asn1,
  child,
  children,
  equalBytes,
  magnitude,
  octets,
  oidOf,
  parseDer,
  smallInteger,
  timeOf,
} from "../asn1/der-reader.ts";
import {
  booleanValue,
  generalizedTime,
  integer,
  nullValue,
  octetString,
  oid,
  sequence,
  tlv,
  unsignedInteger,
  utf8String,
} from "../asn1/der-writer.ts";
import { DIGEST_NAMES, OID } from "../asn1/oids.ts";
import {
  checkSigningCertificate,
  createSignedData,
  findSigningCertificate,
  parseSignedData,
} from "../cms/signed-data.ts";
import { digest } from "../cryptography.ts";
import { PadesError } from "../pades-error.ts";
import type { Signer } from "../ports.ts";
import type { parseCertificate } from "../x509/certificate.ts";
import { verifyWithKey } from "../x509/verify-with-key.ts";

const LENGTHS = { "SHA-256": 32, "SHA-384": 48, "SHA-512": 64 } as const;

/** PKIFailureInfo bits. Source: RFC 3161 §2.4.2. */
const FAILURE = {
  badAlg: 0,
  badRequest: 2,
  badDataFormat: 5,
  unacceptedPolicy: 15,
  unacceptedExtension: 16,
  systemFailure: 25,
} as const;
export type TimestampFailure = keyof typeof FAILURE;

/**
 * A request for a token with the authority's certificate. `nonce`: 8 to 20 random bytes.
 * Source: RFC 3161 §2.4.1.
 */
export function createTimestampRequest(imprintSha256: Uint8Array, nonce: Uint8Array): Uint8Array {
  return sequence(
    integer(1),
    sequence(sequence(oid(OID.sha256), nullValue()), octetString(imprintSha256)),
    unsignedInteger(nonce),
    booleanValue(true),
  );
}

/**
 * Parses a request; gives the failure's name for one that is not acceptable.
 * Errors: `asn1_malformed`.
 * Source: RFC 3161 §2.4.1.
 */
export function parseTimestampRequest(der: Uint8Array): TimestampRequest | TimestampFailure {
  const members = children(parseDer(der));
  const version = child(members, 0, 0x02);
  if (version.content.length !== 1 || version.content[0] !== 1) return "badRequest";
  const imprint = children(child(members, 1, 0x30));
  const digest = DIGEST_NAMES[oidOf(child(children(child(imprint, 0, 0x30)), 0))];
  const value = octets(child(imprint, 1, 0x04));
  if (digest !== "SHA-256" && digest !== "SHA-384" && digest !== "SHA-512") return "badAlg";
  if (value.length !== LENGTHS[digest]) return "badDataFormat";
  const rest = members.slice(2);
  const policy = rest.find((member) => member.tag === 0x06);
  const nonce = rest.find((member) => member.tag === 0x02);
  const wanted = rest.find((member) => member.tag === 0x01);
  // RFC 3161 §2.4.1: an unknown extension must be refused.
  if (rest.some((member) => member.tag === 0xa0)) return "unacceptedExtension";
  return {
    hashAlgorithm: digest,
    imprint: value,
    policyOid: policy ? oidOf(policy) : null,
    nonce: nonce?.content ?? null,
    certificateRequested: wanted !== undefined && wanted.content[0] !== 0,
  };
}

/** A TimeStampResp that grants this token. Source: RFC 3161 §2.4.2. */
export function grantTimestamp(token: Uint8Array): Uint8Array {
  return sequence(sequence(integer(0)), token);
}

/** A TimeStampResp that refuses. Source: RFC 3161 §2.4.2. */
export function refuseTimestamp(failure: TimestampFailure, text: string): Uint8Array {
  const bit = FAILURE[failure];
  const bytes = new Uint8Array((bit >> 3) + 1);
  bytes[bit >> 3] = 0x80 >> (bit & 7);
  const failInfo = tlv(0x03, Uint8Array.of(7 - (bit & 7), ...bytes));
  return sequence(sequence(integer(2), sequence(utf8String(text)), failInfo));
}

/** Answers a TimeStampReq; a malformed one is refused, never thrown. Source: RFC 3161 §2.4.2. */
export async function answerTimestampRequest(
  requestDer: Uint8Array,
  options: TimestampTokenOptions,
): Promise<Uint8Array> {
  let request: TimestampRequest | TimestampFailure;
  try {
    request = parseTimestampRequest(requestDer);
  } catch (error) {
    if (!(error instanceof PadesError)) throw error;
    return refuseTimestamp("badDataFormat", "The request is not a DER TimeStampReq");
  }
  if (typeof request === "string") return refuseTimestamp(request, "The request cannot be taken");
  if (request.policyOid !== null && request.policyOid !== options.policyOid) {
    return refuseTimestamp("unacceptedPolicy", "The policy is not offered here");
  }
  return grantTimestamp(await createTimestampToken(request, options));
}

/**
 * The token of a granted TimeStampResp.
 * Errors: `timestamp_invalid` for a refusal.
 * Source: RFC 3161 §2.4.2.
 */
export function parseTimestampResponse(der: Uint8Array): Uint8Array {
  const members = children(parseDer(der));
  const status = child(children(child(members, 0, 0x30)), 0, 0x02).content;
  const granted = status.length === 1 && (status[0] === 0 || status[0] === 1);
  const token = members[1];
  if (!granted || !token)
    throw new PadesError("timestamp_invalid", "The authority refused the request", {
      clause: "RFC 3161 §2.4.2",
    });
  return token.bytes;
}

/** Source: RFC 3161 §2.4.1. */
export type TimestampRequest = {
  readonly hashAlgorithm: "SHA-256" | "SHA-384" | "SHA-512";
  readonly imprint: Uint8Array;
  readonly policyOid: string | null;
  /** The content of the DER INTEGER, echoed unchanged. */
  readonly nonce: Uint8Array | null;
  readonly certificateRequested: boolean;
};

export type TimestampTokenOptions = {
  readonly signer: Signer;
  readonly policyOid: string;
  readonly serialNumber: Uint8Array;
  readonly now: Date;
  readonly accuracyS?: number;
  /** Some validators find no path without it; the chain by default. */
  readonly includeChain?: "certificate" | "chain";
};

export type TimestampFacts = {
  readonly time: Date;
  readonly policyOid: string;
  readonly serialNumber: Uint8Array;
  readonly hashAlgorithm: string;
  readonly imprint: Uint8Array;
  readonly nonce: Uint8Array | null;
  readonly authorityName: string;
  readonly certificateDer: Uint8Array;
  readonly certificates: readonly Uint8Array[];
};

const DIGEST_BYTES: Readonly<Record<string, number>> = {
  "SHA-1": 20,
  "SHA-256": 32,
  "SHA-384": 48,
  "SHA-512": 64,
};
/** Collisions can be made. Source: ETSI TS 119 312 §5.2. */
const WEAK_DIGEST = "SHA-1";
const DIGEST_OIDS = {
  "SHA-256": OID.sha256,
  "SHA-384": OID.sha384,
  "SHA-512": OID.sha512,
} as const;

/**
 * Makes a token (DER ContentInfo) over the request's imprint.
 * Source: RFC 3161 §2.4.2; EN 319 422 §5.
 */
export async function createTimestampToken(
  request: Pick<TimestampRequest, "hashAlgorithm" | "imprint" | "nonce" | "certificateRequested">,
  options: TimestampTokenOptions,
): Promise<Uint8Array> {
  const { signer } = options;
  const info = sequence(
    integer(1),
    oid(options.policyOid),
    sequence(
      sequence(oid(DIGEST_OIDS[request.hashAlgorithm]), nullValue()),
      octetString(request.imprint),
    ),
    unsignedInteger(options.serialNumber),
    generalizedTime(options.now),
    sequence(integer(options.accuracyS ?? 1)),
    ...(request.nonce ? [tlv(0x02, request.nonce)] : []),
  );
  const carried =
    options.includeChain === "certificate" ? signer.certificates.slice(0, 1) : signer.certificates;
  return createSignedData({
    signer,
    contentType: OID.tstInfo,
    content: info,
    contentDigestSha256: await digest("SHA-256", info),
    certificates: request.certificateRequested ? carried : [],
  });
}

/**
 * Verifies a token, except its certificate's chain. `imprint` may depend on the digest algorithm.
 * Errors: `timestamp_invalid`; if nothing else is wrong, `timestamp_weak` for an
 * untrusted algorithm, `timestamp_uncertified` for a missing certificate.
 * Source: RFC 3161 §2.2, §2.3, §2.4.2; ETSI TS 119 312 §5.2.
 */
export async function verifyTimestampToken(
  token: Uint8Array,
  expected: {
    imprint: Uint8Array | ((digestName: string) => Promise<Uint8Array>);
    nonce?: Uint8Array;
    policyOid?: string;
    certificates?: readonly Uint8Array[];
  },
): Promise<TimestampFacts> {
  const signed = parseSignedData(token, "allowed");
  if (signed.contentType !== OID.tstInfo || !signed.content || signed.signerCount !== 1)
    throw invalid("a TSTInfo with one signer", "RFC 3161 §2.4.2");
  const facts = parseTstInfo(signed.content);
  const expectedBytes = DIGEST_BYTES[facts.hashAlgorithm];
  if (expectedBytes === undefined) throw weak("an imprint of a known digest");
  if (expectedBytes !== facts.imprint.length)
    throw invalid("a digest of its length", "RFC 3161 §2.4.2");
  const imprint =
    typeof expected.imprint === "function"
      ? await expected.imprint(facts.hashAlgorithm)
      : expected.imprint;
  if (!equalBytes(facts.imprint, imprint))
    throw invalid("the imprint that was sent", "RFC 3161 §2.2");
  if (expected.nonce && !(facts.nonce && equalBytes(facts.nonce, stripZeros(expected.nonce))))
    throw invalid("the nonce that was sent", "RFC 3161 §2.2");
  if (expected.policyOid && facts.policyOid !== expected.policyOid)
    throw invalid("the policy asked for", "RFC 3161 §2.4.2");
  const certificate = await findSigningCertificate(signed, [
    ...signed.certificates,
    ...(expected.certificates ?? []),
  ]);
  if (!certificate)
    throw new PadesError(
      "timestamp_uncertified",
      "Expected the authority's certificate with the time-stamp token",
      {
        clause: "RFC 3161 §2.4.1",
      },
    );
  await checkTokenSignature(signed, certificate);
  if (facts.hashAlgorithm === WEAK_DIGEST)
    throw weak("an imprint by a digest that is still trusted");
  return {
    ...facts,
    authorityName: certificate.subject.commonName,
    certificateDer: certificate.der,
    certificates: signed.certificates,
  };
}

async function checkTokenSignature(
  signed: ReturnType<typeof parseSignedData>,
  certificate: ReturnType<typeof parseCertificate>,
): Promise<void> {
  const { extendedKeyUsage: usages, extendedKeyUsageCritical: critical } = certificate;
  if (usages.length !== 1 || usages[0] !== OID.ekuTimeStamping || !critical)
    throw invalid("a certificate for time-stamping only", "RFC 3161 §2.3");
  if ((await checkSigningCertificate(signed, certificate)) !== "match")
    throw invalid("the certificate named by the signature", "RFC 5816 §2.2.1");
  const digestName = DIGEST_NAMES[signed.digestOid];
  const digestValue = signed.signedAttributes.get(OID.messageDigest)?.[0];
  const contentType = signed.signedAttributes.get(OID.contentType)?.[0];
  if (
    !signed.signedAttributesDer ||
    !digestValue ||
    !contentType ||
    signed.duplicateAttribute ||
    !signed.content
  )
    throw invalid("signed attributes", "RFC 5652 §5.3");
  if (!digestName) throw weak("a known digest");
  const found = await digest(digestName, signed.content);
  if (oidOf(contentType) !== OID.tstInfo || !equalBytes(found, octets(digestValue)))
    throw invalid("the digest of the content", "RFC 5652 §5.4");
  const verdict = await verifyWithKey({
    data: signed.signedAttributesDer,
    signature: signed.signature,
    algorithm: signed.signatureAlgorithm,
    subjectPublicKey: certificate.subjectPublicKey,
    digestOid: signed.digestOid,
  });
  if (verdict === "invalid") throw invalid("the authority's signature", "RFC 5652 §5.6");
  if (verdict === "unsupported" || digestName === WEAK_DIGEST)
    throw weak("a signature by algorithms that are still trusted");
}

/** Source: RFC 3161 §2.4.2. */
function parseTstInfo(
  der: Uint8Array,
): Omit<TimestampFacts, "authorityName" | "certificateDer" | "certificates"> {
  const members = children(parseDer(der));
  const imprint = children(child(members, 2, 0x30));
  const nonce = members.slice(5).find((member) => member.tag === 0x02);
  return {
    policyOid: oidOf(child(members, 1, 0x06)),
    hashAlgorithm: DIGEST_NAMES[oidOf(child(children(child(imprint, 0)), 0))] ?? "unknown",
    imprint: octets(child(imprint, 1, 0x04)),
    serialNumber: magnitude(child(members, 3, 0x02)),
    time: timeOf(child(members, 4, 0x18)),
    nonce: nonce ? magnitude(nonce) : null,
  };
}

function stripZeros(bytes: Uint8Array): Uint8Array {
  const start = bytes.findIndex((byte) => byte !== 0);
  return start < 0 ? bytes.subarray(-1) : bytes.subarray(start);
}

function weak(expected: string): PadesError {
  return new PadesError("timestamp_weak", `Expected ${expected} in the time-stamp token`, {
    clause: "ETSI TS 119 312 §5.2",
  });
}

function invalid(expected: string, clause: string): PadesError {
  return new PadesError("timestamp_invalid", `Expected ${expected} in the time-stamp token`, {
    clause,
  });
}

/**
 * Whether every byte of a token that `verifyTimestampToken` accepts is fixed: nothing stands behind
 * it or outside a signature.
 * Source: RFC 5652 §5.1, §5.3 (versions, tags); RFC 3161 §2.4.2 (one signer); RFC 4055 §2.1
 * (parameters of RSA).
 */
export function isStrictToken(der: Uint8Array): boolean {
  try {
    const [type, explicitData] = tagged(parseDer(der), 0x30, [0x06, 0xa0]);
    const [signedData] = tagged(explicitData, 0xa0, [0x30]);
    const [version, digests, encapsulated, certificates, signers] = tagged(
      signedData,
      0x30,
      [0x02, 0x31, 0x30, 0xa0, 0x31],
    );
    const [, content] = tagged(encapsulated, 0x30, [0x06, 0xa0]);
    tagged(content, 0xa0, [0x04]);
    const [signer] = tagged(signers, 0x31, [0x30]);
    const [signerVersion, id, digest, attributes, algorithm] = tagged(signer, 0x30, [
      0x02,
      [0x30, 0x80],
      0x30,
      0xa0,
      0x30,
      0x04,
    ]);
    const [announced] = tagged(digests, 0x31, [0x30]);
    return (
      oidOf(type as Asn1) === OID.signedData &&
      smallInteger(version as Asn1) === 3 &&
      smallInteger(signerVersion as Asn1) === (id?.tag === 0x30 ? 1 : 3) &&
      nameOf(announced) === nameOf(digest) &&
      [announced, digest, algorithm].every(hasPlainParameters) &&
      children(certificates as Asn1).every(({ tag }) => tag === 0x30) &&
      children(attributes as Asn1).every(({ tag }) => tag === 0x30)
    );
  } catch (error) {
    if (error instanceof PadesError) return false;
    throw error;
  }
}

function tagged(
  element: Asn1 | undefined,
  tag: number,
  members: readonly (number | readonly number[])[],
): readonly Asn1[] {
  const found = element?.tag === tag ? children(element) : [];
  const isAsExpected =
    found.length === members.length &&
    members.every((expected, index) => {
      const met = found[index]?.tag ?? -1;
      return typeof expected === "number" ? met === expected : expected.includes(met);
    });
  if (!isAsExpected)
    throw new PadesError("asn1_malformed", "Expected the members of a time-stamp token");
  return found;
}

const nameOf = (algorithm: Asn1 | undefined): string =>
  oidOf(child(algorithm === undefined ? [] : children(algorithm), 0));

function hasPlainParameters(algorithm: Asn1 | undefined): boolean {
  const [type, parameters, ...more] = algorithm === undefined ? [] : children(algorithm);
  if (type === undefined || more.length > 0) return false;
  const isNull = parameters?.tag === 0x05 && parameters.content.length === 0;
  return parameters === undefined || isNull || oidOf(type) === OID.rsaPss;
}
