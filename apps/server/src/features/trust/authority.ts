import { createHash, timingSafeEqual } from "node:crypto";
import { toBase64 } from "@paraphe/kernel/bytes";
import { canonicalBytes } from "@paraphe/kernel/canonical-json";
import { parseCertificate, type Signer } from "@paraphe/pades/parts";
import type { Platform } from "../../platform/platform.ts";
import type { AuthorityPurpose, AuthorityRow, StoredAuthority } from "./store.ts";

/** An authority, living or retired. `signer.certificates` is its own certificate, then its issuers without the root; null once its key is gone. */
export type Authority = {
  readonly id: string;
  readonly purpose: AuthorityPurpose;
  readonly issuerId: string | null;
  readonly certificateDer: Uint8Array;
  readonly retiredAt: Date | null;
  readonly revokedAt: Date | null;
  readonly signer: Signer | null;
};
/** One that has its key. */
export type LivingAuthority = Authority & { readonly signer: Signer };

export type Authorities = Readonly<Record<"ca" | "tsa" | "ocsp" | "seal", LivingAuthority>> & {
  /** Its key may be kept offline: then nothing new is issued in its name, its last list stands. */
  readonly root: Authority;
  /** Every authority that ever was, oldest first. */
  readonly all: readonly Authority[];
  /** Certificates of every authority that ever was, the roots apart. */
  readonly roots: readonly Uint8Array[];
  readonly chain: readonly Uint8Array[];
};

/** Gives the authority of ours whose certificate this is, or null. */
export function authorityOf(
  authorities: Pick<Authorities, "all">,
  certificateDer: Uint8Array,
): Authority | null {
  return (
    authorities.all.find(
      (authority) => Buffer.compare(authority.certificateDer, certificateDer) === 0,
    ) ?? null
  );
}

/** Gives the authority of ours that issued a certificate, by its name: no two of ours bear the same. */
export function issuerOf(
  authorities: Pick<Authorities, "all">,
  certificateDer: Uint8Array,
): Authority | null {
  const { issuerDer } = parseCertificate(certificateDer);
  return (
    authorities.all.find(
      (authority) =>
        Buffer.compare(parseCertificate(authority.certificateDer).subjectDer, issuerDer) === 0,
    ) ?? null
  );
}

/** The HKDF label of the key that authorities' rows are authenticated by. */
const PURPOSE = "authority-row";

type Authenticated = Pick<
  AuthorityRow,
  "id" | "purpose" | "issuerId" | "certificateDer" | "createdAt" | "retiredAt" | "revokedAt"
>;

/**
 * Gives the MAC of an authority's row: HMAC-SHA-256 under a key derived from `MASTER_KEY`, over everything that is believed of it, in canonical JSON. Its wrapped key
 * is left out: that opens under this id and this certificate alone (`keyContext`).
 * Source: RFC 2104, RFC 5869, RFC 8785.
 */
export function authorityMac(secrets: Platform["secrets"], row: Authenticated): Uint8Array {
  const said = {
    id: row.id,
    purpose: row.purpose,
    issuer: row.issuerId,
    certificate: toBase64(row.certificateDer),
    created_at: row.createdAt.toISOString(),
    retired_at: row.retiredAt?.toISOString() ?? null,
    revoked_at: row.revokedAt?.toISOString() ?? null,
  };
  return secrets.hmac(PURPOSE, canonicalBytes(said));
}

/** Says whether a row bears its own MAC, in constant time. */
export function isAuthentic(secrets: Platform["secrets"], row: StoredAuthority): boolean {
  const expected = authorityMac(secrets, row);
  return (
    row.mac !== null && row.mac.length === expected.length && timingSafeEqual(row.mac, expected)
  );
}

/** A wrapped key opens only under its own row's id, and beside its own certificate. */
export function keyContext({
  id,
  certificateDer,
}: Pick<AuthorityRow, "id" | "certificateDer">): string {
  return `authority-key:${id}:${createHash("sha256").update(certificateDer).digest("hex")}`;
}
