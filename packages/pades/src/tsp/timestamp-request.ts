import { child, children, octets, oidOf, parseDer } from "../asn1/der-reader.ts";
import {
  booleanValue,
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
import { PadesError } from "../pades-error.ts";
import {
  createTimestampToken,
  type TimestampRequest,
  type TimestampTokenOptions,
} from "./timestamp-token.ts";

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
 * A request over a SHA-256 imprint for a token with the authority's certificate. `nonce`: 8 to 20
 * random bytes.
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
 * Parses a request.
 * Errors: PadesError `asn1_malformed`; returns the failure's name for a well-formed request that is
 * not acceptable.
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

/** A TimeStampResp that refuses. `failInfo` is one named bit. Source: RFC 3161 §2.4.2. */
export function refuseTimestamp(failure: TimestampFailure, text: string): Uint8Array {
  const bit = FAILURE[failure];
  const bytes = new Uint8Array((bit >> 3) + 1);
  bytes[bit >> 3] = 0x80 >> (bit & 7);
  const failInfo = tlv(0x03, Uint8Array.of(7 - (bit & 7), ...bytes));
  return sequence(sequence(integer(2), sequence(utf8String(text)), failInfo));
}

/**
 * Answers a TimeStampReq with a TimeStampResp; a malformed request is refused, never thrown.
 * Source: RFC 3161 §2.4.2.
 */
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
 * Errors: PadesError `timestamp_invalid` for a refusal.
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
