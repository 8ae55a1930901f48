import { parseCertificate, type Signer } from "@paraphe/pades/parts";
import type { AuthorityPurpose } from "./store.ts";

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
export function authorityOf(authorities: Pick<Authorities, "all">, certificateDer: Uint8Array): Authority | null {
  return authorities.all.find((authority) => Buffer.compare(authority.certificateDer, certificateDer) === 0) ?? null;
}

/** Gives the authority of ours that issued a certificate, by its name: no two of ours bear the same. */
export function issuerOf(authorities: Pick<Authorities, "all">, certificateDer: Uint8Array): Authority | null {
  const { issuerDer } = parseCertificate(certificateDer);
  return (
    authorities.all.find((authority) => Buffer.compare(parseCertificate(authority.certificateDer).subjectDer, issuerDer) === 0) ?? null
  );
}
