/** What the core asks of its caller. It has no socket, file, clock or randomness. */

/** A key and its certificates; the key may be in an HSM. */
export type Signer = {
  /** DER, the signer's first, then its issuers without the root. */
  readonly certificates: readonly Uint8Array[];
  readonly algorithm: "ecdsa-p256-sha256" | "ecdsa-p384-sha384" | "rsa-pkcs1-sha256";
  /** Hashes and signs; gives the value as in CMS (ECDSA: DER `Ecdsa-Sig-Value`, RFC 5753 §7.2). */
  sign(data: Uint8Array): Promise<Uint8Array>;
};

/**
 * Gives a TimeStampToken (DER ContentInfo) over this SHA-256 imprint; throws without one: never a
 * weaker signature. Source: RFC 3161 §2.4.
 */
export type TimestampAuthority = { timestamp(imprintSha256: Uint8Array): Promise<Uint8Array> };

/** Gives a certificate's revocation data (DER), or null. Source: RFC 6960, RFC 5280 §5. */
export type RevocationSource = {
  ocsp(certificate: Uint8Array, issuer: Uint8Array): Promise<Uint8Array | null>;
  crl(certificate: Uint8Array, issuer: Uint8Array): Promise<Uint8Array | null>;
};

/**
 * Gives zlib data for `/FlateDecode` (RFC 1950). `CompressionStream` by default; a synchronous one
 * is twenty times faster for small data.
 */
export type Deflate = (data: Uint8Array) => Uint8Array | Promise<Uint8Array>;

/** Digests several pieces as one. WebCrypto by default; a streaming one saves a copy. */
export type Sha256 = (pieces: readonly Uint8Array[]) => Uint8Array | Promise<Uint8Array>;
