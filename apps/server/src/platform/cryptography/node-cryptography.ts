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

/** Keys of authorities recur; a signer's is seen once. */
const KEPT = 64;
/** An RSA key of 8,192 bits takes 1,062 bytes. */
const LARGEST_BYTES = 1_100;

/**
 * Runs OpenSSL in the calling thread: waking WebCrypto's costs more than a verification. One
 * verdict differs: a salt too long for the key is invalid, not unsupported.
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

/** Reading these takes a fifth of a verification. */
type KnownKey = {
  readonly key: KeyObject;
  readonly type: string | undefined;
  readonly curve: string | undefined;
};

const known = new Map<string, KnownKey>();

/** Reading a key takes half a verification, so the last ones stay. */
function publicKey(subjectPublicKey: Uint8Array): KnownKey | null {
  const der = Buffer.from(subjectPublicKey);
  if (der.length > LARGEST_BYTES) return readKey(der);
  const name = der.toString("latin1");
  const key = known.get(name) ?? readKey(der);
  if (key === null) return null;
  known.delete(name);
  known.set(name, key);
  const oldest = known.size > KEPT ? known.keys().next().value : undefined;
  if (oldest !== undefined) known.delete(oldest);
  return key;
}

/** P-256's SubjectPublicKeyInfo up to its point. Source: RFC 5480 §2.1.1, §2.2 (uncompressed). */
const P256_HEAD = Buffer.from("3059301306072a8648ce3d020106082a8648ce3d03010703420004", "hex");
const P256_BYTES = P256_HEAD.length + 64;

function readKey(der: Buffer): KnownKey | null {
  try {
    // Takes a third of the time OpenSSL needs to find a decoder.
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

/** Cheaper here than in OpenSSL. Null for a length that is not the curve's. */
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

function opensslName(name: string): string {
  return name.replace("-", "").toLowerCase();
}

function isRefusal(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown };
  return typeof code === "string" && code.startsWith("ERR_OSSL");
}
