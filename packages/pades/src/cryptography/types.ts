import type { SignatureVerdict } from "../x509/types.ts";

export type KeyAlgorithmToImport = EcKeyImportParams | RsaHashedImportParams | { readonly name: string };

/** One signature value to verify. Shape: keys and parameters are named as WebCrypto names them; an ECDSA value is two numbers of the curve's size (IEEE P1363). */
export type SignatureToVerify = {
  /** DER SubjectPublicKeyInfo. */
  readonly subjectPublicKey: Uint8Array;
  readonly keyAlgorithm: KeyAlgorithmToImport;
  readonly algorithm: EcdsaParams | RsaPssParams | { readonly name: string };
  readonly signature: Uint8Array;
  readonly data: Uint8Array;
};

/** What signatures are judged with. */
export type Cryptography = {
  /** Digests bytes; `name`: SHA-1, SHA-256, SHA-384 or SHA-512. Source: FIPS 180-4. */
  digest(name: string, bytes: Uint8Array): Uint8Array | Promise<Uint8Array>;
  /** `unsupported`: the key or a parameter cannot be taken. */
  verify(signed: SignatureToVerify): SignatureVerdict | Promise<SignatureVerdict>;
};
