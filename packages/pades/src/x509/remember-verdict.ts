import { equalBytes } from "../asn1/der-reader.ts";
import { latinText } from "../pdf/latin-text.ts";
import type { SignatureVerdict, SignedBytes } from "./types.ts";

/** Certificates, lists and answers are asked about again for every signature of a file, and authorities' for every file. */
const KEPT = 256;
/** Beyond this, keeping the bytes costs more than checking them again. */
const LARGEST_BYTES = 8_192;

type Remembered = { readonly signed: SignedBytes; readonly verdict: Promise<SignatureVerdict> };

const remembered = new Map<string, Remembered>();

/**
 * Gives the verdict on these very bytes, signature, key and algorithm, found once: it depends on nothing else.
 * `find` is given a copy of what is remembered: a caller that uses its buffers again while the answer is sought changes neither.
 */
export function rememberVerdict(signed: SignedBytes, find: (kept: SignedBytes) => Promise<SignatureVerdict>): Promise<SignatureVerdict> {
  if (signed.data.length > LARGEST_BYTES || signed.signature.length > LARGEST_BYTES) return find(signed);
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
  // A failure of ours is not a verdict; nor, for good, is what the machine's cryptography could not take this time.
  verdict.then((found) => found === "unsupported" && forget(), forget);
  const oldest = remembered.size > KEPT ? remembered.keys().next().value : undefined;
  if (oldest !== undefined) remembered.delete(oldest);
  return verdict;
}

/** Where to look: one place for one signature and key; what is there is then compared whole. */
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

/** Views of a file would keep the whole file. */
function copyOf({ data, signature, algorithm, subjectPublicKey, digestOid }: SignedBytes): SignedBytes {
  return {
    data: data.slice(),
    signature: signature.slice(),
    algorithm: { oid: algorithm.oid, parameters: algorithm.parameters?.slice() ?? null },
    subjectPublicKey: subjectPublicKey.slice(),
    ...(digestOid === undefined ? {} : { digestOid }),
  };
}
