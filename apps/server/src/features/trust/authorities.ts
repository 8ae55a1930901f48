import type { Signer } from "@paraphe/pades";
import type { Reader, Transaction } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import {
  type Authorities,
  type Authority,
  type LivingAuthority,
  authorityMac,
  isAuthentic,
  keyContext,
  importKey,
  keySigner,
  makeAuthority,
} from "./make-authority.ts";
import {
  AUTHORITY_PURPOSES,
  type AuthorityPurpose,
  type AuthorityRow,
  type CertificateRow,
  insertAuthority,
  lockAuthorities,
  selectAuthorities,
  updateAuthority,
} from "./store.ts";

type Secrets = Pick<Platform, "secrets">;

/**
 * Gives those with a valid MAC, oldest first, retired ones too: old signatures need them.
 * `revokedAt`: the earlier of its row's and its certificate's.
 */
export async function loadAuthorities(
  reader: Reader,
  { secrets }: Secrets,
): Promise<readonly AuthorityRow[]> {
  return (await selectAuthorities(reader)).filter((row) => isAuthentic(secrets, row)).map(believed);
}

function believed({
  mac: _mac,
  listedAt,
  ...row
}: Awaited<ReturnType<typeof selectAuthorities>>[number]): AuthorityRow {
  const [first = null] = [row.revokedAt, listedAt]
    .filter((at) => at !== null)
    .toSorted((left, right) => left.getTime() - right.getTime());
  return { ...row, revokedAt: first };
}

export function storeAuthority(
  trx: Transaction,
  { secrets }: Secrets,
  made: { readonly row: AuthorityRow; readonly certificate: CertificateRow | null },
): Promise<void> {
  return insertAuthority(trx, { ...made, mac: authorityMac(secrets, made.row) });
}

/** A key that stays signs only lists and answers about what it issued. */
export async function retireAuthority(
  trx: Transaction,
  { secrets }: Secrets,
  retired: {
    readonly purpose: AuthorityRow["purpose"];
    readonly at: Date;
    readonly key: "kept" | "destroyed";
  },
): Promise<void> {
  for (const row of await selectAuthorities(trx)) {
    if (row.purpose !== retired.purpose || row.retiredAt !== null) continue;
    const after = { ...row, retiredAt: retired.at };
    await updateAuthority(trx, row.id, {
      retiredAt: retired.at,
      ...(retired.key === "destroyed" ? { privateKeyWrapped: null } : {}),
      ...(isAuthentic(secrets, row) ? { mac: authorityMac(secrets, after) } : {}),
    });
  }
}

/** Noted in the authenticated row, as the certificate's could be changed. */
export async function noteRevocation(
  trx: Transaction,
  { secrets }: Secrets,
  { id, at }: { readonly id: string; readonly at: Date },
): Promise<void> {
  for (const row of await selectAuthorities(trx)) {
    if (row.id !== id || row.revokedAt !== null || !isAuthentic(secrets, row)) continue;
    await updateAuthority(trx, id, {
      revokedAt: at,
      mac: authorityMac(secrets, { ...row, revokedAt: at }),
    });
  }
}

export type AuthorityPlatform = Pick<
  Platform,
  "db" | "secrets" | "clock" | "random" | "newId" | "settings"
>;

/**
 * Makes them at the first start, once for all processes.
 * Errors: throws when none is this master key's.
 */
export async function openAuthorities(platform: AuthorityPlatform): Promise<Authorities> {
  const known = await loadAuthorities(platform.db, platform);
  return readAuthorities(known.length > 0 ? known : await makeAuthorities(platform), platform);
}

function makeAuthorities(platform: AuthorityPlatform): Promise<readonly AuthorityRow[]> {
  return inTransaction(platform.db, async (trx) => {
    await lockAuthorities(trx);
    const known = await loadAuthorities(trx, platform);
    if (known.length === 0 && (await selectAuthorities(trx)).length > 0)
      throw new Error(
        "No authority of the database bears the MAC of this MASTER_KEY: it is another service's, or the key is",
      );
    for (const purpose of known.length > 0 ? [] : AUTHORITY_PURPOSES) {
      const made = readParts(await loadAuthorities(trx, platform), platform);
      const issuer =
        made.find((authority) => authority.purpose === (purpose === "ca" ? "root" : "ca")) ?? null;
      await storeAuthority(
        trx,
        platform,
        await makeAuthority(platform, { purpose, issuer, generation: 1 }),
      );
    }
    return loadAuthorities(trx, platform);
  });
}

/** Throws when a current authority has no key. */
export function readAuthorities(
  rows: readonly AuthorityRow[],
  platform: Pick<Platform, "secrets">,
): Authorities {
  const all = readParts(rows, platform);
  const living = (purpose: AuthorityPurpose): Authority => {
    const found = all.find(
      (authority) => authority.purpose === purpose && authority.retiredAt === null,
    );
    if (found === undefined) throw new Error(`Expected a living ${purpose} authority, found none`);
    return found;
  };
  const signing = (purpose: AuthorityPurpose): LivingAuthority => {
    const authority = living(purpose);
    if (authority.signer === null)
      throw new Error(`Expected the key of the living ${purpose} authority, found none`);
    return { ...authority, signer: authority.signer };
  };
  return {
    root: living("root"),
    ca: signing("ca"),
    tsa: signing("tsa"),
    ocsp: signing("ocsp"),
    seal: signing("seal"),
    all,
    roots: all
      .filter(({ purpose }) => purpose === "root")
      .map(({ certificateDer }) => certificateDer),
    chain: all
      .filter(({ purpose }) => purpose !== "root")
      .map(({ certificateDer }) => certificateDer),
  };
}

export function readParts(
  rows: readonly AuthorityRow[],
  { secrets }: Pick<Platform, "secrets">,
): readonly Authority[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const signerOf = (own: AuthorityRow): Signer | null => {
    const { issuerId, certificateDer, privateKeyWrapped } = own;
    if (privateKeyWrapped === null) return null;
    const issuer = issuerId === null ? undefined : byId.get(issuerId);
    const issuers =
      issuer === undefined || issuer.purpose === "root" ? [] : [issuer.certificateDer];
    return keySigner(importKey(secrets.unwrap(privateKeyWrapped, keyContext(own))), [
      certificateDer,
      ...issuers,
    ]);
  };
  return rows.map((row) => {
    const { id, purpose, issuerId, certificateDer, retiredAt, revokedAt } = row;
    return { id, purpose, issuerId, certificateDer, retiredAt, revokedAt, signer: signerOf(row) };
  });
}

/** Another process's rotation (`paraphe keys`) applies here after this time. */
const RELOAD_AFTER_MS = 30_000;

export type LivingAuthorities = {
  last(): Authorities;
  /** Half a minute old at most. */
  fresh(): Promise<Authorities>;
};

export async function openLivingAuthorities(
  platform: AuthorityPlatform,
): Promise<LivingAuthorities> {
  let authorities = await openAuthorities(platform);
  let readAt = platform.clock().getTime();
  return {
    last: () => authorities,
    async fresh() {
      const now = platform.clock().getTime();
      if (Math.abs(now - readAt) >= RELOAD_AFTER_MS) {
        authorities = await openAuthorities(platform);
        readAt = now;
      }
      return authorities;
    },
  };
}
