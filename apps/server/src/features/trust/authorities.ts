import type { Signer } from "@paraphe/pades";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import { adoptAuthorities } from "./adopt-authorities.ts";
import { keepAuthority, loadAuthorities } from "./authentic-authorities.ts";
import type { Authorities, Authority, LivingAuthority } from "./authority.ts";
import { keyContext } from "./authority-mac.ts";
import { importKey, keySigner } from "./key-signer.ts";
import { makeAuthority } from "./make-authority.ts";
import { AUTHORITY_PURPOSES, type AuthorityPurpose, type AuthorityRow, holdAuthorities, selectAuthorities } from "./store.ts";

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
