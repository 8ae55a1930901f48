import { createPublicKey, type KeyObject, X509Certificate } from "node:crypto";
import type { Signer } from "@paraphe/pades";
import { type Certificate, parseCertificate } from "@paraphe/pades/parts";
import type { Reader, Transaction } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import {
  type Authorities,
  type Authority,
  authorityMac,
  formerKeyContext,
  isAuthentic,
  keyContext,
  type LivingAuthority,
} from "./authority.ts";
import { exportKey, importKey, keySigner } from "./key-signer.ts";
import { makeAuthority } from "./make-authority.ts";
import {
  AUTHORITY_PURPOSES,
  type AuthorityPurpose,
  type AuthorityRow,
  type CertificateRow,
  holdAuthorities,
  insertAuthority,
  selectAuthorities,
  type StoredAuthority,
  updateAuthority,
} from "./store.ts";

type Secrets = Pick<Platform, "secrets">;

/**
 * Gives every authority whose row bears its MAC, oldest first, retired ones too: their certificates prove old signatures for ever. Whatever else stands in the table
 * is nobody's. `revokedAt` is the earliest that its own row, or its certificate's, tells of.
 */
export async function loadAuthorities(reader: Reader, { secrets }: Secrets): Promise<readonly AuthorityRow[]> {
  return (await selectAuthorities(reader)).filter((row) => isAuthentic(secrets, row)).map(believed);
}

function believed({ mac: _mac, listedAt, ...row }: Awaited<ReturnType<typeof selectAuthorities>>[number]): AuthorityRow {
  const [first = null] = [row.revokedAt, listedAt].filter((at) => at !== null).toSorted((left, right) => left.getTime() - right.getTime());
  return { ...row, revokedAt: first };
}

/** Writes an authority down, authenticated, with its certificate among those that its issuer issued. */
export function keepAuthority(
  trx: Transaction,
  { secrets }: Secrets,
  made: { readonly row: AuthorityRow; readonly certificate: CertificateRow | null },
): Promise<void> {
  return insertAuthority(trx, { ...made, mac: authorityMac(secrets, made.row) });
}

/** Retires the living authority of this purpose. A kept key signs only lists and answers about what it issued. */
export async function retireAuthority(
  trx: Transaction,
  { secrets }: Secrets,
  retired: { readonly purpose: AuthorityRow["purpose"]; readonly at: Date; readonly key: "kept" | "destroyed" },
): Promise<void> {
  for (const row of await selectAuthorities(trx)) {
    if (row.purpose !== retired.purpose || row.retiredAt !== null) continue;
    const after = { ...row, retiredAt: retired.at };
    await updateAuthority(trx, row.id, {
      retiredAt: retired.at,
      ...(retired.key === "destroyed" ? { privateKeyWrapped: null } : {}),
      // A row that is nobody's makes room as any other, and stays nobody's.
      ...(isAuthentic(secrets, row) ? { mac: authorityMac(secrets, after) } : {}),
    });
  }
}

/** Says in an authority's own row that its certificate is revoked: the row of the certificate alone could be changed by whoever writes in the tables. */
export async function noteRevocation(
  trx: Transaction,
  { secrets }: Secrets,
  { id, at }: { readonly id: string; readonly at: Date },
): Promise<void> {
  for (const row of await selectAuthorities(trx)) {
    if (row.id !== id || row.revokedAt !== null || !isAuthentic(secrets, row)) continue;
    await updateAuthority(trx, id, { revokedAt: at, mac: authorityMac(secrets, { ...row, revokedAt: at }) });
  }
}

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
async function adoptAuthorities(platform: AdoptingPlatform): Promise<void> {
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

export type AuthorityPlatform = Pick<Platform, "db" | "secrets" | "clock" | "random" | "newId" | "settings">;

/**
 * Loads the authorities, or makes them at the very first start, once whatever the number of processes.
 * Errors: throws when there are some and none is this master key's.
 */
export async function openAuthorities(platform: AuthorityPlatform): Promise<Authorities> {
  await adoptAuthorities(platform);
  const known = await loadAuthorities(platform.db, platform);
  return readAuthorities(known.length > 0 ? known : await makeAuthorities(platform), platform);
}

function makeAuthorities(platform: AuthorityPlatform): Promise<readonly AuthorityRow[]> {
  return inTransaction(platform.db, async (trx) => {
    await holdAuthorities(trx);
    const known = await loadAuthorities(trx, platform);
    if (known.length === 0 && (await selectAuthorities(trx)).length > 0)
      throw new Error("No authority of the database bears the MAC of this MASTER_KEY: it is another service's, or the key is");
    for (const purpose of known.length > 0 ? [] : AUTHORITY_PURPOSES) {
      const made = readParts(await loadAuthorities(trx, platform), platform);
      const issuer = made.find((authority) => authority.purpose === (purpose === "ca" ? "root" : "ca")) ?? null;
      await keepAuthority(trx, platform, await makeAuthority(platform, { purpose, issuer, generation: 1 }));
    }
    return loadAuthorities(trx, platform);
  });
}

/** Reads the rows as authorities. Throws when a living one that issues or signs has no key. */
export function readAuthorities(rows: readonly AuthorityRow[], platform: Pick<Platform, "secrets">): Authorities {
  const all = readParts(rows, platform);
  const living = (purpose: AuthorityPurpose): Authority => {
    const found = all.find((authority) => authority.purpose === purpose && authority.retiredAt === null);
    if (found === undefined) throw new Error(`Expected a living ${purpose} authority, found none`);
    return found;
  };
  const signing = (purpose: AuthorityPurpose): LivingAuthority => {
    const authority = living(purpose);
    if (authority.signer === null) throw new Error(`Expected the key of the living ${purpose} authority, found none`);
    return { ...authority, signer: authority.signer };
  };
  return {
    root: living("root"),
    ca: signing("ca"),
    tsa: signing("tsa"),
    ocsp: signing("ocsp"),
    seal: signing("seal"),
    all,
    roots: all.filter(({ purpose }) => purpose === "root").map(({ certificateDer }) => certificateDer),
    chain: all.filter(({ purpose }) => purpose !== "root").map(({ certificateDer }) => certificateDer),
  };
}

/** Reads the rows one by one, whoever is living. */
export function readParts(rows: readonly AuthorityRow[], { secrets }: Pick<Platform, "secrets">): readonly Authority[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const signerOf = (own: AuthorityRow): Signer | null => {
    const { issuerId, certificateDer, privateKeyWrapped } = own;
    if (privateKeyWrapped === null) return null;
    const issuer = issuerId === null ? undefined : byId.get(issuerId);
    const issuers = issuer === undefined || issuer.purpose === "root" ? [] : [issuer.certificateDer];
    return keySigner(importKey(secrets.unwrap(privateKeyWrapped, keyContext(own))), [certificateDer, ...issuers]);
  };
  return rows.map((row) => {
    const { id, purpose, issuerId, certificateDer, retiredAt, revokedAt } = row;
    return { id, purpose, issuerId, certificateDer, retiredAt, revokedAt, signer: signerOf(row) };
  });
}
