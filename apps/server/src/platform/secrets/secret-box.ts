/**
 * Wraps secrets at rest with the data key (AES-256-GCM, random 96-bit nonces, `context` as
 * additional data).
 * Errors: `unwrap` throws when the key, the context or a byte is wrong.
 * Source: NIST SP 800-38D.
 */
export type SecretBox = {
  wrap(plain: Uint8Array, context: string): Uint8Array;
  unwrap(wrapped: Uint8Array, context: string): Uint8Array;
  /** HMAC-SHA-256 (RFC 2104) under a key derived for this purpose (HKDF, RFC 5869). */
  hmac(purpose: string, data: Uint8Array): Uint8Array;
};
