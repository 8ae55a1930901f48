/** A signing key that never leaves its hardware token (PKCS#11). */
export type Hsm = {
  /** DER SubjectPublicKeyInfo. */
  readonly subjectPublicKey: Uint8Array;
  readonly algorithm: "ecdsa-p256-sha256" | "rsa-pkcs1-sha256";
  /** Says whether the token answers now; opens its session again, once, when it was lost. */
  isReady(): Promise<boolean>;
  /** Signs these bytes; gives the value as CMS wants it (ECDSA: DER, RFC 5753 §7.2). Errors: `HsmUnavailableError`. */
  sign(data: Uint8Array): Promise<Uint8Array>;
  close(): void;
};

/** The token is away, or refuses. */
export class HsmUnavailableError extends Error {
  override readonly name = "HsmUnavailableError";
}
