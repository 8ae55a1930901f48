import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
} from "node:crypto";

/**
 * Encrypts by the data key (AES-256-GCM, random 96-bit nonces, `context` as additional data).
 * Errors: `unwrap` throws for a wrong key, context or byte.
 * Source: NIST SP 800-38D.
 */
export type SecretBox = {
  wrap(plain: Uint8Array, context: string): Uint8Array;
  unwrap(wrapped: Uint8Array, context: string): Uint8Array;
  /** HMAC-SHA-256 (RFC 2104) under a key of this purpose (HKDF, RFC 5869). */
  hmac(purpose: string, data: Uint8Array): Uint8Array;
};

const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;
const VERSION = 1;

/**
 * Derives a key per purpose from this 32-byte key.
 * Shape: version (1 byte) ‖ nonce (12) ‖ tag (16) ‖ ciphertext.
 * Source: NIST SP 800-38D §8.2.2 (random nonces); RFC 5869 (HKDF-SHA-256).
 */
export function createSecretBox(
  masterKey: Uint8Array,
  random: (length: number) => Uint8Array,
): SecretBox {
  if (masterKey.length !== 32) throw new Error("The master key must be 32 bytes long");
  const derive = (purpose: string) =>
    new Uint8Array(hkdfSync("sha256", masterKey, new Uint8Array(), `paraphe ${purpose}`, 32));
  const wrappingKey = derive("wrap");
  /** Deriving takes 0.1 ms on every request without a session. */
  const hmacKeys = new Map<string, KeyObject>();
  const hmacKey = (purpose: string): KeyObject => {
    const key = hmacKeys.get(purpose) ?? createSecretKey(derive(`hmac ${purpose}`));
    hmacKeys.set(purpose, key);
    return key;
  };
  return {
    wrap(plain, context) {
      const nonce = random(NONCE_LENGTH);
      const cipher = createCipheriv("aes-256-gcm", wrappingKey, nonce).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(plain), cipher.final()]);
      return new Uint8Array(
        Buffer.concat([Uint8Array.of(VERSION), nonce, cipher.getAuthTag(), body]),
      );
    },
    unwrap(wrapped, context) {
      const bodyStart = 1 + NONCE_LENGTH + TAG_LENGTH;
      if (wrapped.length < bodyStart || wrapped[0] !== VERSION)
        throw new Error("This is not a wrapped secret");
      const decipher = createDecipheriv(
        "aes-256-gcm",
        wrappingKey,
        wrapped.subarray(1, 1 + NONCE_LENGTH),
        { authTagLength: TAG_LENGTH },
      );
      decipher
        .setAAD(Buffer.from(context))
        .setAuthTag(wrapped.subarray(1 + NONCE_LENGTH, bodyStart));
      return new Uint8Array(
        Buffer.concat([decipher.update(wrapped.subarray(bodyStart)), decipher.final()]),
      );
    },
    hmac: (purpose, data) =>
      new Uint8Array(createHmac("sha256", hmacKey(purpose)).update(data).digest()),
  };
}
