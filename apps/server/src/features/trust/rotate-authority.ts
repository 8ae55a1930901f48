import { failure, type Result, success } from "@paraphe/contracts";
import { parseCertificate } from "@paraphe/pades/parts";
import type { Transaction } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import {
  type AuthorityPlatform,
  loadAuthorities,
  noteRevocation,
  openAuthorities,
  readAuthorities,
  readParts,
  retireAuthority,
  storeAuthority,
} from "./authorities.ts";
import { renewCrl } from "./gather-long-term.ts";
import {
  type Authority,
  exportKey,
  importKey,
  isAuthentic,
  keyContext,
  keySigner,
  type MadePurpose,
  makeAuthority,
  serialHex,
} from "./make-authority.ts";
import {
  AUTHORITY_PURPOSES,
  type AuthorityPurpose,
  findIssued,
  loadLatestCrl,
  lockAuthorities,
  lockCrl,
  revokeCertificate,
  selectAuthorities,
  updateAuthority,
} from "./store.ts";
import type { Platform } from "../../platform/platform.ts";
import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from "node:crypto";
import { toBase64 } from "@paraphe/kernel/bytes";

/** What an authority issued ends within its validity. */
const CASCADE: Readonly<Record<MadePurpose, readonly MadePurpose[]>> = {
  root: ["root", "ca", "tsa", "ocsp", "seal"],
  ca: ["ca", "tsa", "ocsp", "seal"],
  tsa: ["tsa"],
  ocsp: ["ocsp"],
  seal: ["seal"],
};

/**
 * Replaces it and those it issued; gives the new ones. Signatures stay valid: certificates and
 * lists are permanent. A retired issuer keeps its key for its list, and its responder; keys of a
 * retired time-stamping authority, a responder alone, or a seal are destroyed.
 * Errors: `root_key_away` when offline.
 */
export function rotateAuthority(
  platform: AuthorityPlatform,
  purpose: MadePurpose,
): Promise<Result<readonly Authority[], "root_key_away">> {
  return inTransaction(platform.db, async (trx) => {
    await lockAuthorities(trx);
    if (purpose === "ca" && (await livingNow(trx, platform, "root")).signer === null)
      return failure("root_key_away");
    for (const replaced of CASCADE[purpose]) {
      await retireAuthority(trx, platform, {
        purpose: replaced,
        at: platform.clock(),
        key: keyOf(replaced, purpose),
      });
      const generation =
        (await loadAuthorities(trx, platform)).filter((row) => row.purpose === replaced).length + 1;
      const issuer =
        replaced === "root"
          ? null
          : await livingNow(trx, platform, replaced === "ca" ? "root" : "ca");
      await storeAuthority(
        trx,
        platform,
        await makeAuthority(platform, { purpose: replaced, issuer, generation }),
      );
      if (issuer !== null) await renewPublishedList(trx, platform, issuer);
    }
    const { all } = readAuthorities(await loadAuthorities(trx, platform), platform);
    return success(
      all.filter(
        (authority) =>
          authority.retiredAt === null &&
          CASCADE[purpose].some((made) => made === authority.purpose),
      ),
    );
  });
}

/** DSS and pyHanko refuse a list older than the certificate. Other lists are made on demand. */
async function renewPublishedList(
  trx: Transaction,
  platform: AuthorityPlatform,
  issuer: Authority,
): Promise<void> {
  await lockCrl(trx, issuer.id);
  if ((await loadLatestCrl(trx, issuer.id)) !== null) await renewCrl(trx, platform, issuer);
}

function keyOf(replaced: MadePurpose, rotated: MadePurpose): "kept" | "destroyed" {
  if (replaced === "root" || replaced === "ca") return "kept";
  return replaced === "ocsp" && rotated !== "ocsp" ? "kept" : "destroyed";
}

async function livingNow(
  trx: Transaction,
  platform: AuthorityPlatform,
  purpose: AuthorityPurpose,
): Promise<Authority> {
  const found = readParts(await loadAuthorities(trx, platform), platform).find(
    (authority) => authority.purpose === purpose && authority.retiredAt === null,
  );
  if (found === undefined) throw new Error(`Expected a living ${purpose} authority, found none`);
  return found;
}

/** French names of CRLReason. Source: RFC 5280 §5.3.1. */
export const REVOCATION_REASONS = {
  inconnue: 0,
  compromission: 1,
  changement: 3,
  remplacement: 4,
  cessation: 5,
} as const;
export type RevocationWord = keyof typeof REVOCATION_REASONS;
export type RevocationFault =
  | "unknown_serial"
  | "own_root"
  | "living_authority"
  | "already_revoked"
  | "root_key_away";
type Revocation = { readonly subject: string; readonly listNumber: number };

/**
 * Also publishes its issuer's list. Earlier time-stamped signatures stay valid (EN 319 102-1
 * §5.6.2.4); a time-stamping authority's proofs are renewed first.
 * Errors: `living_authority` (replace it first), `own_root` (nobody answers for a root),
 * `unknown_serial`, `already_revoked`, `root_key_away`.
 */
export async function revokeIssued(
  platform: AuthorityPlatform,
  { serialNumber, reason }: { readonly serialNumber: string; readonly reason: RevocationWord },
): Promise<Result<Revocation, RevocationFault>> {
  const serial = normalised(serialNumber);
  const { all } = await openAuthorities(platform);
  if (all.some((authority) => authority.purpose === "root" && serialOf(authority) === serial))
    return failure("own_root");
  const known = await findIssued(platform.db, serial);
  if (known === null) return failure("unknown_serial");
  if (known.revokedAt !== null) return failure("already_revoked");
  if (all.some((authority) => authority.retiredAt === null && serialOf(authority) === serial))
    return failure("living_authority");
  const issuer = all.find(({ id }) => id === known.issuerId);
  if (issuer?.signer === undefined || issuer.signer === null) return failure("root_key_away");
  return inTransaction(platform.db, async (trx) => {
    await lockCrl(trx, issuer.id);
    const at = platform.clock();
    await revokeCertificate(trx, serial, { at, reason: REVOCATION_REASONS[reason] });
    const own = all.find((authority) => serialOf(authority) === serial);
    if (own !== undefined) await noteRevocation(trx, platform, { id: own.id, at });
    return success({
      subject: known.subject,
      listNumber: (await renewCrl(trx, platform, issuer)).number,
    });
  });
}

export async function timestampAuthoritiesUnder(
  platform: AuthorityPlatform,
  serialNumber: string,
): Promise<readonly string[]> {
  const { all } = await openAuthorities(platform);
  const own = all.find((authority) => serialOf(authority) === normalised(serialNumber));
  return all
    .filter(
      ({ id, purpose, issuerId }) =>
        purpose === "tsa" && own !== undefined && (id === own.id || issuerId === own.id),
    )
    .map(serialOf);
}

function serialOf({ certificateDer }: Authority): string {
  return serialHex(parseCertificate(certificateDer).serialNumber);
}

function normalised(serialNumber: string): string {
  return serialHex(
    new Uint8Array(Buffer.from(serialNumber.replace(/[^0-9a-f]/gi, "").toLowerCase(), "hex")),
  );
}

export type KeyFacts = {
  readonly purpose: AuthorityPurpose;
  readonly name: string;
  readonly serialNumber: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly retiredAt: Date | null;
  readonly revokedAt: Date | null;
  readonly hasKey: boolean;
  readonly listUntil: Date | null;
};

export async function listKeys(platform: AuthorityPlatform): Promise<readonly KeyFacts[]> {
  const { all } = await openAuthorities(platform);
  return Promise.all(
    all.map(async ({ id, purpose, certificateDer, retiredAt, signer }) => {
      const { subject, serialNumber, notBefore, notAfter } = parseCertificate(certificateDer);
      const serial = serialHex(serialNumber);
      return {
        purpose,
        name: subject.commonName,
        serialNumber: serial,
        notBefore,
        notAfter,
        retiredAt,
        revokedAt: (await findIssued(platform.db, serial))?.revokedAt ?? null,
        hasKey: signer !== null,
        listUntil: (await loadLatestCrl(platform.db, id))?.nextUpdate ?? null,
      };
    }),
  );
}

/**
 * `foreign`: rows without a valid MAC, which nothing relies on. `missing`: purposes without a
 * current authority.
 */
type AuthorityRows = {
  readonly count: number;
  readonly foreign: readonly string[];
  readonly missing: readonly string[];
};

export async function checkAuthorityRows({
  db,
  secrets,
}: Pick<Platform, "db" | "secrets">): Promise<AuthorityRows> {
  const rows = await selectAuthorities(db);
  const living = rows.filter((row) => row.retiredAt === null && isAuthentic(secrets, row));
  return {
    count: rows.length,
    foreign: rows.filter((row) => !isAuthentic(secrets, row)).map(({ id }) => id),
    missing: AUTHORITY_PURPOSES.filter((purpose) => living.every((row) => row.purpose !== purpose)),
  };
}

export async function warnOfForeignAuthorities(
  platform: Pick<Platform, "db" | "secrets" | "log">,
): Promise<void> {
  for (const id of (await checkAuthorityRows(platform)).foreign)
    platform.log.warn(
      { authority: id },
      "an authority's row was not written by this service: nothing is believed of it (paraphe audit check)",
    );
}

const EVERY_NIGHT = "20 2 * * *";
const DAY_MS = 86_400_000;
/** Longer than the last half year, when renewed time-stamps need an authority that lives on. */
const LAST_DAYS = 365;

export function registerTrustJobs(platform: Platform): void {
  platform.queue.schedule("replace-ending-authorities", EVERY_NIGHT, () =>
    replaceEndingAuthorities(platform),
  );
}

/**
 * Replaces those in their last year, issuers first; a root, which people trust, is the operator's
 * to replace. An offline key is logged each night.
 */
export async function replaceEndingAuthorities(platform: Platform): Promise<void> {
  for (const purpose of ["ca", "tsa", "ocsp", "seal"] as const)
    if (await isEnding(platform, purpose)) await replace(platform, purpose);
  if (await isEnding(platform, "root"))
    platform.log.warn(
      {},
      "the root authority ends within the year: replace it (paraphe keys rotate root)",
    );
}

async function replace(platform: Platform, purpose: MadePurpose): Promise<void> {
  const rotated = await rotateAuthority(platform, purpose);
  if (rotated.ok)
    platform.log.info({ purpose }, "an authority that was to end within the year was replaced");
  else
    platform.log.warn(
      { purpose, reason: rotated.error },
      "an authority ends within the year and cannot be replaced without the root's key",
    );
}

async function isEnding(platform: Platform, purpose: MadePurpose): Promise<boolean> {
  const { [purpose]: authority } = await openAuthorities(platform);
  return (
    parseCertificate(authority.certificateDer).notAfter.getTime() - platform.clock().getTime() <
    LAST_DAYS * DAY_MS
  );
}

/** Source: RFC 7468 §5.1. */
export function pemOf(der: Uint8Array): string {
  const lines = toBase64(der).match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

/** PEM: certificate, then encrypted key (PKCS#8, PBES2, AES-256). */
type RootKeyFile = string;
export type RootKeyFault = "root_key_away" | "root_key_present" | "bad_passphrase" | "other_key";

export async function exportRootKey(
  platform: AuthorityPlatform,
  passphrase: string,
): Promise<Result<RootKeyFile, RootKeyFault>> {
  const { root } = await openAuthorities(platform);
  const row = (await loadAuthorities(platform.db, platform)).find(({ id }) => id === root.id);
  if (row === undefined || row.privateKeyWrapped === null) return failure("root_key_away");
  const key = importKey(platform.secrets.unwrap(row.privateKeyWrapped, keyContext(root)));
  const encrypted = key.export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase });
  return success(`${pemOf(root.certificateDer)}${String(encrypted)}`);
}

type KeptRoot = { readonly file: RootKeyFile; readonly passphrase: string };

/**
 * Proves that its file opens, signs a list for a year, then removes the key; retired roots too.
 * Errors: `root_key_away`, `bad_passphrase`, `other_key`.
 */
export async function removeRootKey(
  platform: AuthorityPlatform,
  kept: KeptRoot,
): Promise<Result<{ readonly listUntil: Date }, RootKeyFault>> {
  return inTransaction(platform.db, async (trx) => {
    await lockAuthorities(trx);
    const roots = await rootsOf(trx, platform);
    if (roots.every(({ signer }) => signer === null)) return failure("root_key_away");
    const opened = openRootFile(kept, roots);
    if (!opened.ok) return opened;
    const { root } = opened.value;
    if (root.signer === null) return failure("root_key_away");
    await lockCrl(trx, root.id);
    const list = await renewCrl(trx, platform, root);
    await updateAuthority(trx, root.id, { privateKeyWrapped: null });
    return success({ listUntil: list.nextUpdate });
  });
}

/**
 * Imports retired roots too: only they revoke what they issued.
 * Errors: `root_key_present`, `bad_passphrase`, `other_key`.
 */
export async function importRootKey(
  platform: AuthorityPlatform,
  kept: KeptRoot,
): Promise<Result<{ readonly listUntil: Date }, RootKeyFault>> {
  return inTransaction(platform.db, async (trx) => {
    await lockAuthorities(trx);
    const roots = await rootsOf(trx, platform);
    if (roots.every(({ signer }) => signer !== null)) return failure("root_key_present");
    const opened = openRootFile(kept, roots);
    if (!opened.ok) return opened;
    const { root, key } = opened.value;
    if (root.signer !== null) return failure("root_key_present");
    await updateAuthority(trx, root.id, {
      privateKeyWrapped: platform.secrets.wrap(exportKey(key), keyContext(root)),
    });
    await lockCrl(trx, root.id);
    const list = await renewCrl(trx, platform, {
      ...root,
      signer: keySigner(key, [root.certificateDer]),
    });
    return success({ listUntil: list.nextUpdate });
  });
}

async function rootsOf(
  trx: Transaction,
  platform: AuthorityPlatform,
): Promise<readonly Authority[]> {
  return readParts(await loadAuthorities(trx, platform), platform).filter(
    ({ purpose }) => purpose === "root",
  );
}

function openRootFile(
  { file, passphrase }: KeptRoot,
  roots: readonly Authority[],
): Result<{ readonly root: Authority; readonly key: KeyObject }, "bad_passphrase" | "other_key"> {
  const key = decryptedKey(
    /-----BEGIN ENCRYPTED PRIVATE KEY-----[\s\S]+?-----END ENCRYPTED PRIVATE KEY-----/.exec(
      file,
    )?.[0],
    passphrase,
  );
  if (key === null) return failure("bad_passphrase");
  const root = roots.find(({ certificateDer }) =>
    createPublicKey(key).equals(new X509Certificate(certificateDer).publicKey),
  );
  return root === undefined ? failure("other_key") : success({ root, key });
}

function decryptedKey(pem: string | undefined, passphrase: string): KeyObject | null {
  try {
    return createPrivateKey({ key: pem ?? "", passphrase });
  } catch {
    // A wrong passphrase looks like a damaged file.
    return null;
  }
}
