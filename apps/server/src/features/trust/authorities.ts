import type { Signer } from "@paraphe/pades";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import type { Authorities, Authority, LivingAuthority } from "./authority.ts";
import { importKey, keySigner } from "./key-signer.ts";
import { keyContext, makeAuthority } from "./make-authority.ts";
import {
  AUTHORITY_PURPOSES,
  type AuthorityPurpose,
  type AuthorityRow,
  holdAuthorities,
  insertAuthority,
  loadAuthorities,
} from "./store.ts";

export type AuthorityPlatform = Pick<Platform, "db" | "secrets" | "clock" | "random" | "newId" | "settings">;

/** Loads the authorities, or makes them at the very first start, once whatever the number of processes. */
export async function openAuthorities(platform: AuthorityPlatform): Promise<Authorities> {
  const known = await loadAuthorities(platform.db);
  return readAuthorities(known.length > 0 ? known : await makeAuthorities(platform), platform);
}

function makeAuthorities(platform: AuthorityPlatform): Promise<readonly AuthorityRow[]> {
  return inTransaction(platform.db, async (trx) => {
    await holdAuthorities(trx);
    for (const purpose of (await loadAuthorities(trx)).length > 0 ? [] : AUTHORITY_PURPOSES) {
      const made = readParts(await loadAuthorities(trx), platform);
      const issuer = made.find((authority) => authority.purpose === (purpose === "ca" ? "root" : "ca")) ?? null;
      await insertAuthority(trx, await makeAuthority(platform, { purpose, issuer, generation: 1 }));
    }
    return loadAuthorities(trx);
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
  const signerOf = ({ id, issuerId, certificateDer, privateKeyWrapped }: AuthorityRow): Signer | null => {
    if (privateKeyWrapped === null) return null;
    const issuer = issuerId === null ? undefined : byId.get(issuerId);
    const issuers = issuer === undefined || issuer.purpose === "root" ? [] : [issuer.certificateDer];
    return keySigner(importKey(secrets.unwrap(privateKeyWrapped, keyContext(id))), [certificateDer, ...issuers]);
  };
  return rows.map((row) => {
    const { id, purpose, issuerId, certificateDer, retiredAt } = row;
    return { id, purpose, issuerId, certificateDer, retiredAt, signer: signerOf(row) };
  });
}
