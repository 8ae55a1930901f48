import { createHash, timingSafeEqual } from "node:crypto";
import { toBase64 } from "@paraphe/kernel/bytes";
import { canonicalBytes } from "@paraphe/kernel/canonical-json";
import { type Signer, parseCertificate } from "@paraphe/pades/parts";
import type { Platform } from "../../platform/platform.ts";
import type { AuthorityPurpose, AuthorityRow, StoredAuthority } from "./store.ts";

/**
 * Current or retired. `signer.certificates`: its own, then its issuers' without the root; null
 * without its key.
 */
export type Authority = {
  readonly id: string;
  readonly purpose: AuthorityPurpose;
  readonly issuerId: string | null;
  readonly certificateDer: Uint8Array;
  readonly retiredAt: Date | null;
  readonly revokedAt: Date | null;
  readonly signer: Signer | null;
};
export type LivingAuthority = Authority & { readonly signer: Signer };

export type Authorities = Readonly<Record<"ca" | "tsa" | "ocsp" | "seal", LivingAuthority>> & {
  /** With its key offline it issues nothing and its last list stands. */
  readonly root: Authority;
  readonly all: readonly Authority[];
  /** Of all authorities, without the roots. */
  readonly roots: readonly Uint8Array[];
  readonly chain: readonly Uint8Array[];
};

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

/** By name: no two of ours share one. */
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

const PURPOSE = "authority-row";

type Authenticated = Pick<
  AuthorityRow,
  "id" | "purpose" | "issuerId" | "certificateDer" | "createdAt" | "retiredAt" | "revokedAt"
>;

/**
 * HMAC-SHA-256 over all that is trusted of a row, in canonical JSON; not the wrapped key, which
 * opens only under this id and certificate (`keyContext`).
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

export function isAuthentic(secrets: Platform["secrets"], row: StoredAuthority): boolean {
  const expected = authorityMac(secrets, row);
  return (
    row.mac !== null && row.mac.length === expected.length && timingSafeEqual(row.mac, expected)
  );
}

export function keyContext({
  id,
  certificateDer,
}: Pick<AuthorityRow, "id" | "certificateDer">): string {
  return `authority-key:${id}:${createHash("sha256").update(certificateDer).digest("hex")}`;
}

/**
 * In the arc 2.25, which needs no registration (ITU-T X.667 §6.3). They claim no ETSI policy;
 * `/politique-de-certification` explains them in French.
 */
const PARAPHE_ARC = "2.25.1348563553";
/** One-time certificates of natural persons, with a verified e-mail address. */
export const SIGNER_POLICY_OID = `${PARAPHE_ARC}.1.1`;
/** The same, where an identity provider opened the signer's session. */
export const VOUCHED_POLICY_OID = `${PARAPHE_ARC}.1.2`;
/** The built-in authority: the machine's clock, one second. */
export const TIMESTAMP_POLICY_OID = `${PARAPHE_ARC}.2.1`;
