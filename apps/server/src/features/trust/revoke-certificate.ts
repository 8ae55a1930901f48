import { failure, type Result, success } from "@paraphe/contracts";
import { parseCertificate } from "@paraphe/pades/parts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import { type AuthorityPlatform, openAuthorities } from "./authorities.ts";
import { noteRevocation } from "./authentic-authorities.ts";
import type { Authority } from "./authority.ts";
import { renewCrl } from "./publish-crl.ts";
import { serialHex } from "./serial-hex.ts";
import { findIssued, holdCrl, revokeCertificate } from "./store.ts";

/** Words for a person, with the CRLReason each stands for. Source: RFC 5280 §5.3.1. */
export const REVOCATION_REASONS = { inconnue: 0, compromission: 1, changement: 3, remplacement: 4, cessation: 5 } as const;
export type RevocationWord = keyof typeof REVOCATION_REASONS;
export type RevocationFault = "unknown_serial" | "own_root" | "living_authority" | "already_revoked" | "root_key_away";
export type Revocation = { readonly subject: string; readonly listNumber: number };

/**
 * Revokes a certificate of ours and publishes its issuer's next list at once.
 * What was signed and time-stamped before stays valid (EN 319 102-1 §5.6.2.4): a time-stamping authority's own proofs must have been renewed first.
 * Errors: `living_authority` (it is to be replaced first), `own_root` (nobody answers for a root: whoever trusts it stops), `unknown_serial`, `already_revoked`, `root_key_away`.
 */
export async function revokeIssued(
  platform: AuthorityPlatform,
  { serialNumber, reason }: { readonly serialNumber: string; readonly reason: RevocationWord },
): Promise<Result<Revocation, RevocationFault>> {
  const serial = normalised(serialNumber);
  const { all } = await openAuthorities(platform);
  if (all.some((authority) => authority.purpose === "root" && serialOf(authority) === serial)) return failure("own_root");
  const known = await findIssued(platform.db, serial);
  if (known === null) return failure("unknown_serial");
  if (known.revokedAt !== null) return failure("already_revoked");
  if (all.some((authority) => authority.retiredAt === null && serialOf(authority) === serial)) return failure("living_authority");
  const issuer = all.find(({ id }) => id === known.issuerId);
  if (issuer?.signer === undefined || issuer.signer === null) return failure("root_key_away");
  return inTransaction(platform.db, async (trx) => {
    await holdCrl(trx, issuer.id);
    const at = platform.clock();
    await revokeCertificate(trx, serial, { at, reason: REVOCATION_REASONS[reason] });
    const own = all.find((authority) => serialOf(authority) === serial);
    if (own !== undefined) await noteRevocation(trx, platform, { id: own.id, at });
    return success({ subject: known.subject, listNumber: (await renewCrl(trx, platform, issuer)).number });
  });
}

/** Gives the serial numbers of the time-stamping authorities whose tokens lean on this certificate: itself, or those it issued. */
export async function timestampAuthoritiesUnder(platform: AuthorityPlatform, serialNumber: string): Promise<readonly string[]> {
  const { all } = await openAuthorities(platform);
  const own = all.find((authority) => serialOf(authority) === normalised(serialNumber));
  return all
    .filter(({ id, purpose, issuerId }) => purpose === "tsa" && own !== undefined && (id === own.id || issuerId === own.id))
    .map(serialOf);
}

function serialOf({ certificateDer }: Authority): string {
  return serialHex(parseCertificate(certificateDer).serialNumber);
}

/** Serial numbers are copied from everywhere: with colons, spaces, capitals, leading zeros. */
function normalised(serialNumber: string): string {
  return serialHex(new Uint8Array(Buffer.from(serialNumber.replace(/[^0-9a-f]/gi, "").toLowerCase(), "hex")));
}
