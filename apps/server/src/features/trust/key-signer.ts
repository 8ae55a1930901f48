import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import type { Signer } from "@paraphe/pades";

/** Shape: `subjectPublicKey` is a DER SubjectPublicKeyInfo. */
export type KeyPair = { readonly privateKey: KeyObject; readonly subjectPublicKey: Uint8Array };

export function makeKey(curve: "P-256" | "P-384"): KeyPair {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: curve });
  return {
    privateKey,
    subjectPublicKey: new Uint8Array(publicKey.export({ type: "spki", format: "der" })),
  };
}

export function exportKey(privateKey: KeyObject): Uint8Array {
  return new Uint8Array(privateKey.export({ type: "pkcs8", format: "der" }));
}

export function importKey(pkcs8: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.from(pkcs8), format: "der", type: "pkcs8" });
}

/**
 * P-256 or P-384. Shape: `certificates` is DER, the signer's first, then its issuers' without the
 * root.
 */
export function keySigner(privateKey: KeyObject, certificates: readonly Uint8Array[]): Signer {
  const isP384 = privateKey.asymmetricKeyDetails?.namedCurve === "secp384r1";
  return {
    certificates,
    algorithm: isP384 ? "ecdsa-p384-sha384" : "ecdsa-p256-sha256",
    sign: async (data) =>
      new Uint8Array(
        sign(isP384 ? "sha384" : "sha256", data, { key: privateKey, dsaEncoding: "der" }),
      ),
  };
}
