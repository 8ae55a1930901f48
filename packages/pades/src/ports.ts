/**
 * What the core asks of the outside. It has no socket, file, clock or randomness of its own.
 */

/** Who signs: a key and its certificates. The key may be in memory, or in an HSM. */
export type Signer = {
  /** DER certificates, the signer's own first, then its issuers up to but without the root. */
  readonly certificates: readonly Uint8Array[];
  readonly algorithm: "ecdsa-p256-sha256" | "ecdsa-p384-sha384" | "rsa-pkcs1-sha256";
  /** Signs these bytes (hashing them itself); gives the value as CMS wants it (ECDSA: DER `Ecdsa-Sig-Value`, RFC 5753 §7.2). */
  sign(data: Uint8Array): Promise<Uint8Array>;
};

/** Gives a TimeStampToken (DER ContentInfo) over this SHA-256 imprint. Throws when no sound token can be had: never a weaker signature. Source: RFC 3161 §2.4. */
export type TimestampAuthority = { timestamp(imprintSha256: Uint8Array): Promise<Uint8Array> };

/** Gives revocation data of a certificate (DER), or null when there is none. Source: RFC 6960, RFC 5280 §5. */
export type RevocationSource = {
  ocsp(certificate: Uint8Array, issuer: Uint8Array): Promise<Uint8Array | null>;
  crl(certificate: Uint8Array, issuer: Uint8Array): Promise<Uint8Array | null>;
};

/** Gives zlib data, as `/FlateDecode` wants it (RFC 1950). The platform's `CompressionStream` does it when absent; a synchronous one costs a twentieth for small data. */
export type Deflate = (data: Uint8Array) => Uint8Array | Promise<Uint8Array>;

/** Digests several pieces as one. WebCrypto does it when absent; an outside one that streams spares a copy of the file. */
export type Sha256 = (pieces: readonly Uint8Array[]) => Uint8Array | Promise<Uint8Array>;
