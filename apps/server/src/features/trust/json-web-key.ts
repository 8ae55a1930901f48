import { createHash, createPublicKey } from "node:crypto";
import { parseCertificate } from "@paraphe/pades/parts";
import type { Authorities, Authority } from "./authority.ts";

/** A key of the service's seal as others take it. `x5c`: its certificate, then its issuers without the root, DER in base64. */
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

/** Gives the RFC 7638 thumbprint of a certificate's key (DER), by which a JWS and a JWK set name it. */
export function keyIdOf(certificateDer: Uint8Array): string {
  // What a public key is exported with are the members that a thumbprint is made of (RFC 7638 §3.2), in the order of their names once sorted.
  const members = Object.entries(publicJwk(certificateDer)).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return createHash("sha256")
    .update(JSON.stringify(Object.fromEntries(members)))
    .digest("base64url");
}

/**
 * Gives every key that the service's seal ever had, the oldest first, but those revoked since: whoever takes a set of keys takes their word for everything, times too.
 * Source: RFC 7517 §4, §5; RFC 7518 §6.2.1.
 */
export function sealKeys({ all }: Pick<Authorities, "all">): readonly SealKey[] {
  return all
    .filter(({ purpose, revokedAt }) => purpose === "seal" && revokedAt === null)
    .map((seal) => {
      const { kty = "", crv = "", x = "", y = "" } = publicJwk(seal.certificateDer);
      const x5c = [seal, ...issuersOf(seal, all)].map(({ certificateDer }) => Buffer.from(certificateDer).toString("base64"));
      return { kty, crv, x, y, use: "sig", alg: "ES256", kid: keyIdOf(seal.certificateDer), x5c };
    });
}

function publicJwk(certificateDer: Uint8Array): Partial<Record<string, string>> {
  const der = Buffer.from(parseCertificate(certificateDer).subjectPublicKey);
  return createPublicKey({ key: der, format: "der", type: "spki" }).export({ format: "jwk" }) as Partial<Record<string, string>>;
}

function issuersOf({ issuerId }: Authority, all: readonly Authority[]): readonly Authority[] {
  const issuer = all.find(({ id }) => id === issuerId);
  return issuer === undefined || issuer.purpose === "root" ? [] : [issuer, ...issuersOf(issuer, all)];
}
