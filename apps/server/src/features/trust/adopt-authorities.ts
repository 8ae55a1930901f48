import { createPublicKey, type KeyObject, X509Certificate } from "node:crypto";
import { type Certificate, parseCertificate } from "@paraphe/pades/parts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import { authorityMac, formerKeyContext, keyContext } from "./authority-mac.ts";
import { exportKey, importKey } from "./key-signer.ts";
import { type AuthorityPurpose, holdAuthorities, selectAuthorities, type StoredAuthority, updateAuthority } from "./store.ts";

/** Extended key usages. Source: RFC 5280 §4.2.1.12. */
const TIME_STAMPING = "1.3.6.1.5.5.7.3.8";
const OCSP_SIGNING = "1.3.6.1.5.5.7.3.9";

type AdoptingPlatform = Pick<Platform, "db" | "secrets">;
/** An authority of before that is the service's own, and its key where that is here. */
type Adopted = { readonly row: StoredAuthority; readonly key: KeyObject | null };

/**
 * Gives their MAC to the rows of before there were any, once: those whose key `MASTER_KEY` opens as it was wrapped then, and those that such a one stands for (what it
 * issued, and the root that issued it, whose key is kept offline). Their keys are wrapped anew beside their certificates: none is left that opens as before, so nothing
 * is ever taken up again, whatever is done to the table.
 */
export async function adoptAuthorities(platform: AdoptingPlatform): Promise<void> {
  if (adoptable(await selectAuthorities(platform.db), platform).length === 0) return;
  await inTransaction(platform.db, async (trx) => {
    await holdAuthorities(trx);
    for (const { row, key } of adoptable(await selectAuthorities(trx), platform)) {
      const wrapped = key === null ? {} : { privateKeyWrapped: platform.secrets.wrap(exportKey(key), keyContext(row)) };
      await updateAuthority(trx, row.id, { ...wrapped, mac: authorityMac(platform.secrets, row) });
    }
  });
}

function adoptable(rows: readonly StoredAuthority[], platform: AdoptingPlatform): readonly Adopted[] {
  const former = rows.filter((row) => row.mac === null && isOfItsPurpose(row));
  const keyed = former.flatMap((row): Adopted[] => {
    const key = formerKey(row, platform);
    return key === null ? [] : [{ row, key }];
  });
  const keyless = former.filter((row) => row.privateKeyWrapped === null);
  const roots = keyless.filter((row) => row.purpose === "root" && keyed.some(({ row: child }) => isIssued(child, row)));
  const issuers = [...keyed.map(({ row }) => row), ...roots];
  const issued = keyless.filter((row) => row.purpose !== "root" && issuers.some((issuer) => isIssued(row, issuer)));
  return [...keyed, ...[...roots, ...issued].map((row) => ({ row, key: null }))];
}

/** Gives the key that a row of before holds; null when it opens otherwise, or is not its certificate's. */
function formerKey({ id, privateKeyWrapped, certificateDer }: StoredAuthority, { secrets }: AdoptingPlatform): KeyObject | null {
  if (privateKeyWrapped === null) return null;
  try {
    const key = importKey(secrets.unwrap(privateKeyWrapped, formerKeyContext(id)));
    return createPublicKey(key).equals(new X509Certificate(certificateDer).publicKey) ? key : null;
  } catch {
    // Another master key's, or bytes of somebody's.
    return null;
  }
}

function isIssued(child: StoredAuthority, issuer: StoredAuthority): boolean {
  const [certificate, by] = [new X509Certificate(child.certificateDer), new X509Certificate(issuer.certificateDer)];
  return child.issuerId === issuer.id && by.ca && certificate.checkIssued(by) && certificate.verify(by.publicKey);
}

function isOfItsPurpose({ purpose, certificateDer }: StoredAuthority): boolean {
  try {
    return purposesOf(parseCertificate(certificateDer))[purpose];
  } catch {
    // Bytes of somebody's.
    return false;
  }
}

/** What a certificate of each purpose bears. Source: RFC 5280 §4.2.1.3, §4.2.1.9, §4.2.1.12. */
function purposesOf(certificate: Certificate): Readonly<Record<AuthorityPurpose, boolean>> {
  const { isCa, keyUsage, extendedKeyUsage, issuerDer, subjectDer } = certificate;
  const isOwnIssuer = Buffer.compare(issuerDer, subjectDer) === 0;
  const seal = !isCa && keyUsage?.has("digitalSignature") === true && keyUsage.has("nonRepudiation");
  return {
    root: isCa && isOwnIssuer,
    ca: isCa && !isOwnIssuer,
    tsa: extendedKeyUsage.includes(TIME_STAMPING),
    ocsp: extendedKeyUsage.includes(OCSP_SIGNING),
    seal,
    hsm: seal,
  };
}
