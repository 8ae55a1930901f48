/** A signing key in a hardware token (PKCS#11). */
export type Hsm = {
  /** DER SubjectPublicKeyInfo. */
  readonly subjectPublicKey: Uint8Array;
  readonly algorithm: "ecdsa-p256-sha256" | "rsa-pkcs1-sha256";
  /** Reopens a lost session once. */
  isReady(): Promise<boolean>;
  /** Gives the value as in CMS (ECDSA: DER, RFC 5753 §7.2). Errors: `HsmUnavailableError`. */
  sign(data: Uint8Array): Promise<Uint8Array>;
  close(): void;
};

/** The token is away or refuses. */
export class HsmUnavailableError extends Error {
  override readonly name = "HsmUnavailableError";
}
