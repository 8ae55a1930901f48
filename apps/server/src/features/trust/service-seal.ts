import { timingSafeEqual, createHash, createPublicKey } from "node:crypto";
import { toBase64Url, toBase64 } from "@paraphe/kernel/bytes";
import { parseCertificate } from "@paraphe/pades/parts";
import type { Platform } from "../../platform/platform.ts";
import type { IssuedSigner } from "./issue-signer.ts";
import { serialHex, type Authorities, type Authority } from "./make-authority.ts";
import type { Signer } from "@paraphe/pades";

type SealingTrust = {
  hsmSigner(): Promise<IssuedSigner | null>;
  readonly seal: Signer;
  /** Reads a seal that another process replaced. */
  evidence(): Promise<unknown>;
  ocsp(certificateDer: Uint8Array): Promise<Uint8Array | null>;
};

/** Gives the token's if it answers, else the service's. Source: signatures §2. */
export async function organisationSeal(trust: SealingTrust): Promise<IssuedSigner> {
  return (await trust.hsmSigner()) ?? serviceSeal(trust);
}

async function serviceSeal(trust: SealingTrust): Promise<IssuedSigner> {
  await trust.evidence();
  const signer = trust.seal;
  const [certificateDer] = signer.certificates;
  if (certificateDer === undefined) throw new Error("The service's seal has no certificate");
  return {
    signer,
    certificateDer,
    serialNumber: serialHex(parseCertificate(certificateDer).serialNumber),
    recording: null,
    attest: async () => {
      const answer = await trust.ocsp(certificateDer);
      if (answer === null) throw new Error("Nobody answers for the issuer of the service's seal");
      return answer;
    },
  };
}

/** `sig` covers these (security line 56). */
type PrintIdentity = {
  readonly id: string;
  readonly envelopeId: string;
  readonly qrType: string;
  readonly keyId: string;
};

/** Part of the signed data, as paper outlives keys. */
export const PRINT_KEY_ID = "1";

/** HMAC-SHA-256, base64url, 43 characters. */
export function signPrint(platform: Pick<Platform, "secrets">, print: PrintIdentity): string {
  return toBase64Url(macOf(platform, print));
}

export function verifyPrintSignature(
  platform: Pick<Platform, "secrets">,
  print: PrintIdentity,
  sig: string,
): boolean {
  const given = Buffer.from(sig, "base64url");
  const expected = macOf(platform, print);
  // The last base64url character may vary without changing a byte.
  return (
    given.length === expected.length &&
    timingSafeEqual(given, expected) &&
    given.toString("base64url") === sig
  );
}

function macOf(platform: Pick<Platform, "secrets">, print: PrintIdentity): Uint8Array {
  return platform.secrets.hmac(
    `print-signature:${print.keyId}`,
    Buffer.from(JSON.stringify([print.id, print.envelopeId, print.qrType, print.keyId])),
  );
}

/** `x5c`: its own, then issuers' without the root, DER in base64. */
export type SealKey = {
  readonly kty: string;
  readonly crv: string;
  readonly x: string;
  readonly y: string;
  readonly use: "sig";
  readonly alg: "ES256";
  readonly kid: string;
  readonly x5c: readonly string[];
};

/** The RFC 7638 thumbprint (DER certificate). */
function keyIdOf(certificateDer: Uint8Array): string {
  // The thumbprint has just these members, sorted (RFC 7638 §3.2).
  const members = Object.entries(publicJwk(certificateDer)).toSorted(([left], [right]) =>
    left < right ? -1 : 1,
  );
  return createHash("sha256")
    .update(JSON.stringify(Object.fromEntries(members)))
    .digest("base64url");
}

/**
 * Gives the oldest first, without revoked ones, which could sign any date.
 * Source: RFC 7517 §4, §5; RFC 7518 §6.2.1.
 */
export function sealKeys({ all }: Pick<Authorities, "all">): readonly SealKey[] {
  return all
    .filter(({ purpose, revokedAt }) => purpose === "seal" && revokedAt === null)
    .map((seal) => {
      const { kty = "", crv = "", x = "", y = "" } = publicJwk(seal.certificateDer);
      const x5c = [seal, ...issuersOf(seal, all)].map(({ certificateDer }) =>
        toBase64(certificateDer),
      );
      return { kty, crv, x, y, use: "sig", alg: "ES256", kid: keyIdOf(seal.certificateDer), x5c };
    });
}

function publicJwk(certificateDer: Uint8Array): Partial<Record<string, string>> {
  const der = Buffer.from(parseCertificate(certificateDer).subjectPublicKey);
  return createPublicKey({ key: der, format: "der", type: "spki" }).export({
    format: "jwk",
  }) as Partial<Record<string, string>>;
}

function issuersOf({ issuerId }: Authority, all: readonly Authority[]): readonly Authority[] {
  const issuer = all.find(({ id }) => id === issuerId);
  return issuer === undefined || issuer.purpose === "root"
    ? []
    : [issuer, ...issuersOf(issuer, all)];
}

const ALGORITHMS = {
  "ecdsa-p256-sha256": { alg: "ES256", bytes: 32 },
  "ecdsa-p384-sha384": { alg: "ES384", bytes: 48 },
  "rsa-pkcs1-sha256": { alg: "RS256", bytes: 0 },
} as const;

/**
 * Gives the compact form, with `x5c` and the thumbprint as key id.
 * Errors: TypeError for a signer without a certificate.
 * Source: RFC 7515 §3.1, §4.1.4, §4.1.6; RFC 7638; RFC 7518 §3.4 (r‖s, not DER).
 */
export async function signJws(signer: Signer, payload: Uint8Array): Promise<string> {
  const { alg, bytes } = ALGORITHMS[signer.algorithm];
  const [certificate] = signer.certificates;
  if (certificate === undefined) throw new TypeError("Expected a signer with a certificate");
  const header = {
    alg,
    kid: keyIdOf(certificate),
    typ: "JOSE",
    x5c: signer.certificates.map((der) => toBase64(der)),
  };
  const signed = `${toBase64Url(new TextEncoder().encode(JSON.stringify(header)))}.${toBase64Url(payload)}`;
  const value = await signer.sign(new TextEncoder().encode(signed));
  return `${signed}.${toBase64Url(bytes === 0 ? value : derToConcatenated(value, bytes))}`;
}

/** `SEQUENCE { r INTEGER, s INTEGER }`, left-padded; one-byte lengths. */
function derToConcatenated(der: Uint8Array, size: number): Uint8Array {
  const joined = new Uint8Array(size * 2);
  let offset = 2;
  for (const place of [size, size * 2]) {
    const length = der[offset + 1] ?? 0;
    const magnitude = der.subarray(offset + 2, offset + 2 + length);
    const trimmed =
      magnitude.length > size ? magnitude.subarray(magnitude.length - size) : magnitude;
    joined.set(trimmed, place - trimmed.length);
    offset += 2 + length;
  }
  return joined;
}
