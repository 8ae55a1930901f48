import {
  bitStringBytes,
  child,
  children,
  ecdsaDerToRaw,
  equalBytes,
  oidOf,
  parseDer,
  readElement,
} from "../asn1/der-reader.ts";
import { DIGEST_NAMES, OID } from "../asn1/oids.ts";
import { type SignatureToVerify, cryptography } from "../cryptography.ts";
import { latinText } from "../pdf/byte-reader.ts";
import type { SignatureVerdict, SignedBytes } from "./types.ts";

/** Each signature asks about the same certificates, lists and answers. */
const KEPT = 256;
/** Comparing more bytes costs more than verifying them. */
const LARGEST_BYTES = 8_192;

type Remembered = { readonly signed: SignedBytes; readonly verdict: Promise<SignatureVerdict> };

const remembered = new Map<string, Remembered>();

/**
 * The verdict on these very bytes, signature, key and algorithm depends on nothing else. `find`
 * receives a copy: the caller may reuse its buffers.
 */
export function rememberVerdict(
  signed: SignedBytes,
  find: (kept: SignedBytes) => Promise<SignatureVerdict>,
): Promise<SignatureVerdict> {
  if (signed.data.length > LARGEST_BYTES || signed.signature.length > LARGEST_BYTES)
    return find(signed);
  const name = nameOf(signed);
  const known = remembered.get(name);
  if (known && isSame(known.signed, signed)) return known.verdict;
  const kept = copyOf(signed);
  const verdict = find(kept);
  remembered.delete(name);
  remembered.set(name, { signed: kept, verdict });
  const forget = () => {
    if (remembered.get(name)?.verdict === verdict) remembered.delete(name);
  };
  // A failure or "unsupported" may be temporary.
  verdict.then((found) => found === "unsupported" && forget(), forget);
  const oldest = remembered.size > KEPT ? remembered.keys().next().value : undefined;
  if (oldest !== undefined) remembered.delete(oldest);
  return verdict;
}

function nameOf({ signature, subjectPublicKey }: SignedBytes): string {
  return latinText(signature.subarray(0, 64)) + latinText(subjectPublicKey.subarray(-64));
}

function isSame(left: SignedBytes, right: SignedBytes): boolean {
  return (
    left.digestOid === right.digestOid &&
    left.algorithm.oid === right.algorithm.oid &&
    equalBytes(left.algorithm.parameters ?? NONE, right.algorithm.parameters ?? NONE) &&
    equalBytes(left.signature, right.signature) &&
    equalBytes(left.subjectPublicKey, right.subjectPublicKey) &&
    equalBytes(left.data, right.data)
  );
}

const NONE = new Uint8Array(0);

/** Views would retain the whole file. */
function copyOf({
  data,
  signature,
  algorithm,
  subjectPublicKey,
  digestOid,
}: SignedBytes): SignedBytes {
  return {
    data: data.slice(),
    signature: signature.slice(),
    algorithm: { oid: algorithm.oid, parameters: algorithm.parameters?.slice() ?? null },
    subjectPublicKey: subjectPublicKey.slice(),
    ...(digestOid === undefined ? {} : { digestOid }),
  };
}

/** ETSI TS 119 312 §5.2 excludes SHA-1. */
const ACCEPTED_DIGESTS: ReadonlySet<string> = new Set(["SHA-256", "SHA-384", "SHA-512"]);
const CURVES: Readonly<Record<string, readonly [name: string, size: number]>> = {
  [OID.p256]: ["P-256", 32],
  [OID.p384]: ["P-384", 48],
  [OID.p521]: ["P-521", 66],
};
const DIGEST_OF_SIGNATURE: Readonly<Record<string, string>> = {
  [OID.ecdsaWithSha256]: "SHA-256",
  [OID.ecdsaWithSha384]: "SHA-384",
  [OID.ecdsaWithSha512]: "SHA-512",
  [OID.sha256WithRsa]: "SHA-256",
  [OID.sha384WithRsa]: "SHA-384",
  [OID.sha512WithRsa]: "SHA-512",
};

/**
 * `unsupported`: an unknown or too weak algorithm.
 * Source: RFC 5652 §5.6, RFC 5753 §2, RFC 4056 §3.
 */
export function verifyWithKey(signed: SignedBytes): Promise<SignatureVerdict> {
  return rememberVerdict(signed, verify);
}

async function verify(signed: SignedBytes): Promise<SignatureVerdict> {
  const keyParts = children(parseDer(signed.subjectPublicKey));
  const keyAlgorithm = children(child(keyParts, 0));
  const keyOid = oidOf(child(keyAlgorithm, 0));
  if (keyOid === OID.ecPublicKey) return verifyEcdsa(signed, oidOf(child(keyAlgorithm, 1)));
  if (keyOid === OID.rsaEncryption)
    return verifyRsa(signed, rsaBits(bitStringBytes(child(keyParts, 1))));
  if (keyOid === OID.ed25519 && signed.algorithm.oid === OID.ed25519)
    return check(signed, { name: "Ed25519" }, { name: "Ed25519" });
  return "unsupported";
}

async function verifyEcdsa(signed: SignedBytes, curveOid: string): Promise<SignatureVerdict> {
  const curve = CURVES[curveOid];
  const hash = DIGEST_OF_SIGNATURE[signed.algorithm.oid];
  if (!curve || !hash || !ACCEPTED_DIGESTS.has(hash)) return "unsupported";
  const raw = ecdsaDerToRaw(signed.signature, curve[1]);
  if (!raw) return "invalid";
  return check(
    { ...signed, signature: raw },
    { name: "ECDSA", namedCurve: curve[0] },
    { name: "ECDSA", hash },
  );
}

async function verifyRsa(signed: SignedBytes, bits: number): Promise<SignatureVerdict> {
  // ETSI TS 119 312 §6.2.2.1: RSA needs 1 900 bits.
  if (bits < 1_900) return "unsupported";
  if (signed.algorithm.oid === OID.rsaPss) {
    const { hash, saltLength } = pssParameters(signed.algorithm.parameters);
    if (!hash || !ACCEPTED_DIGESTS.has(hash)) return "unsupported";
    return check(signed, { name: "RSA-PSS", hash }, { name: "RSA-PSS", saltLength });
  }
  const hash =
    DIGEST_OF_SIGNATURE[signed.algorithm.oid] ??
    (signed.algorithm.oid === OID.rsaEncryption ? DIGEST_NAMES[signed.digestOid ?? ""] : undefined);
  if (!hash || !ACCEPTED_DIGESTS.has(hash)) return "unsupported";
  return check(signed, { name: "RSASSA-PKCS1-v1_5", hash }, { name: "RSASSA-PKCS1-v1_5" });
}

function check(
  { subjectPublicKey, signature, data }: SignedBytes,
  keyAlgorithm: SignatureToVerify["keyAlgorithm"],
  algorithm: SignatureToVerify["algorithm"],
): SignatureVerdict | Promise<SignatureVerdict> {
  return cryptography().verify({ subjectPublicKey, keyAlgorithm, algorithm, signature, data });
}

function rsaBits(key: Uint8Array): number {
  const modulus = child(children(parseDer(key)), 0, 0x02).content;
  return (modulus[0] === 0 ? modulus.length - 1 : modulus.length) * 8;
}

/** Source: RFC 4055 §3.1. */
function pssParameters(parameters: Uint8Array | null): {
  hash: string | undefined;
  saltLength: number;
} {
  const members = parameters ? children(parseDer(parameters)) : [];
  const hash = members.find((member) => member.tag === 0xa0);
  const salt = members.find((member) => member.tag === 0xa2);
  const hashOid = hash ? oidOf(child(children(readElement(hash.content)), 0)) : OID.sha1;
  return {
    hash: DIGEST_NAMES[hashOid],
    saltLength: salt ? (child(children(salt), 0).content.at(-1) ?? 20) : 20,
  };
}
