import {
  constants,
  createPublicKey,
  hash,
  type KeyObject,
  type VerifyKeyObjectInput,
  verify,
} from "node:crypto";
import type { Cryptography, SignatureToVerify } from "@paraphe/pades/cryptography";
import { ecdsaRawToDer } from "@paraphe/pades/parts";

/** Authorities' keys come back in every file; a signer's own is met once. */
const KEPT = 64;
/** RSA of 8,192 bits takes 1,062. */
const LARGEST_BYTES = 1_100;

/**
 * Judges signatures with OpenSSL, in the thread that asks: WebCrypto would have another do the same, and waking it costs more than a digest or a
 * verification does. The verdicts are WebCrypto's, but for a salt that the key has no room for: such a value is invalid, not unsupported.
 */
export const nodeCryptography: Cryptography = {
  digest: (name, bytes) => new Uint8Array(hash(opensslName(name), bytes, "buffer")),
  verify({ subjectPublicKey, keyAlgorithm, algorithm, signature, data }) {
    try {
      const found = publicKey(subjectPublicKey);
      if (found === null || !isFor(found, keyAlgorithm)) return "unsupported";
      const { key } = found;
      const { digest, options } = parametersOf(keyAlgorithm, algorithm);
      const value = algorithm.name === "ECDSA" ? ecdsaValue(signature, found) : signature;
      return value !== null && verify(digest, data, options ? { key, ...options } : key, value)
        ? "valid"
        : "invalid";
    } catch (error) {
      if (isRefusal(error)) return "unsupported";
      throw error;
    }
  },
};

/** A key with what it says of itself, which costs a fifth of a verification to ask. */
type KnownKey = {
  readonly key: KeyObject;
  readonly type: string | undefined;
  readonly curve: string | undefined;
};

const known = new Map<string, KnownKey>();

/** Gives a key, read once: reading costs half of what verifying does. Null for what is no key. */
function publicKey(subjectPublicKey: Uint8Array): KnownKey | null {
  const der = Buffer.from(subjectPublicKey);
  if (der.length > LARGEST_BYTES) return readKey(der);
  // The whole key is its name: another key is never given for it.
  const name = der.toString("latin1");
  const key = known.get(name) ?? readKey(der);
  if (key === null) return null;
  // The one used longest ago is the first to go.
  known.delete(name);
  known.set(name, key);
  const oldest = known.size > KEPT ? known.keys().next().value : undefined;
  if (oldest !== undefined) known.delete(oldest);
  return key;
}

/** All of a P-256 key but its point's two numbers, and the length of both. Source: RFC 5480 §2.1.1, §2.2 (uncompressed). */
const P256_HEAD = Buffer.from("3059301306072a8648ce3d020106082a8648ce3d03010703420004", "hex");
const P256_BYTES = P256_HEAD.length + 64;

function readKey(der: Buffer): KnownKey | null {
  try {
    // A signer's key, as nearly all are: read as the point that it is, it costs a third of what OpenSSL's search for a decoder does.
    if (der.length === P256_BYTES && der.subarray(0, P256_HEAD.length).equals(P256_HEAD)) {
      const [type, curve] = ["ec", "prime256v1"] as const;
      const point = der.subarray(P256_HEAD.length - 1);
      return {
        key: createPublicKey({
          key: point,
          format: "raw-public",
          asymmetricKeyType: type,
          namedCurve: curve,
        }),
        type,
        curve,
      };
    }
    const key = createPublicKey({ key: der, format: "der", type: "spki" });
    return { key, type: key.asymmetricKeyType, curve: key.asymmetricKeyDetails?.namedCurve };
  } catch {
    // Nothing but these bytes can be wrong.
    return null;
  }
}

const KEY_TYPES: Readonly<Record<string, string>> = {
  ECDSA: "ec",
  "RSASSA-PKCS1-v1_5": "rsa",
  "RSA-PSS": "rsa",
  Ed25519: "ed25519",
};
const CURVES: Readonly<Record<string, string>> = {
  prime256v1: "P-256",
  secp384r1: "P-384",
  secp521r1: "P-521",
};
const NUMBER_BYTES: Readonly<Record<string, number>> = {
  prime256v1: 32,
  secp384r1: 48,
  secp521r1: 66,
};

function isFor({ type, curve }: KnownKey, algorithm: SignatureToVerify["keyAlgorithm"]): boolean {
  if (type !== KEY_TYPES[algorithm.name]) return false;
  return !("namedCurve" in algorithm) || CURVES[curve ?? ""] === algorithm.namedCurve;
}

/** OpenSSL is handed DER: to have it made there costs a third of a verification. Null for a value that is not two numbers of the curve's size. */
function ecdsaValue(signature: Uint8Array, { curve }: KnownKey): Uint8Array | null {
  return signature.length === 2 * (NUMBER_BYTES[curve ?? ""] ?? 0)
    ? ecdsaRawToDer(signature)
    : null;
}

type Parameters = {
  readonly digest: string | null;
  readonly options: Omit<VerifyKeyObjectInput, "key"> | null;
};

function parametersOf(
  keyAlgorithm: SignatureToVerify["keyAlgorithm"],
  algorithm: SignatureToVerify["algorithm"],
): Parameters {
  const named =
    "hash" in algorithm ? algorithm.hash : "hash" in keyAlgorithm ? keyAlgorithm.hash : null;
  const digest =
    named === null ? null : opensslName(typeof named === "string" ? named : named.name);
  if ("saltLength" in algorithm)
    return {
      digest,
      options: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: algorithm.saltLength },
    };
  return { digest, options: null };
}

/** OpenSSL writes SHA-256 as sha256. */
function opensslName(name: string): string {
  return name.replace("-", "").toLowerCase();
}

/** What OpenSSL cannot take. Anything else is a bug of ours. */
function isRefusal(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown };
  return typeof code === "string" && code.startsWith("ERR_OSSL");
}
