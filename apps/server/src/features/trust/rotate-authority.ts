import { failure, type Result, success } from "@paraphe/contracts";
import type { Transaction } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import { type AuthorityPlatform, readAuthorities, readParts } from "./authorities.ts";
import { keepAuthority, loadAuthorities, retireAuthority } from "./authentic-authorities.ts";
import type { Authority } from "./authority.ts";
import { type MadePurpose, makeAuthority } from "./make-authority.ts";
import { renewCrl } from "./publish-crl.ts";
import { type AuthorityPurpose, holdAuthorities, holdCrl, loadLatestCrl } from "./store.ts";

/** Whoever issues takes along what it issued: each authority ends inside its issuer's life, and is answered for by it. */
const CASCADE: Readonly<Record<MadePurpose, readonly MadePurpose[]>> = {
  root: ["root", "ca", "tsa", "ocsp", "seal"],
  ca: ["ca", "tsa", "ocsp", "seal"],
  tsa: ["tsa"],
  ocsp: ["ocsp"],
  seal: ["seal"],
};

/**
 * Replaces a living authority by a new one, with those it issued; gives the new ones.
 * What the retired ones vouched for stays valid: their certificates and lists are kept for ever. A retired issuer keeps its key to go on signing
 * its list, and its responder to go on answering; the keys of a retired time-stamping authority, responder replaced alone, or seal are destroyed.
 * Errors: `root_key_away` when the root's key, kept offline, is needed.
 */
export function rotateAuthority(platform: AuthorityPlatform, purpose: MadePurpose): Promise<Result<readonly Authority[], "root_key_away">> {
  return inTransaction(platform.db, async (trx) => {
    await holdAuthorities(trx);
    if (purpose === "ca" && (await livingNow(trx, platform, "root")).signer === null) return failure("root_key_away");
    for (const replaced of CASCADE[purpose]) {
      await retireAuthority(trx, platform, { purpose: replaced, at: platform.clock(), key: keyOf(replaced, purpose) });
      const generation = (await loadAuthorities(trx, platform)).filter((row) => row.purpose === replaced).length + 1;
      const issuer = replaced === "root" ? null : await livingNow(trx, platform, replaced === "ca" ? "root" : "ca");
      await keepAuthority(trx, platform, await makeAuthority(platform, { purpose: replaced, issuer, generation }));
      if (issuer !== null) await renewPublishedList(trx, platform, issuer);
    }
    const { all } = readAuthorities(await loadAuthorities(trx, platform), platform);
    return success(all.filter((authority) => authority.retiredAt === null && CASCADE[purpose].some((made) => made === authority.purpose)));
  });
}

/** A list from before a certificate says nothing of it: DSS and pyHanko do not take it. What is not published yet is made when it is asked for. */
async function renewPublishedList(trx: Transaction, platform: AuthorityPlatform, issuer: Authority): Promise<void> {
  await holdCrl(trx, issuer.id);
  if ((await loadLatestCrl(trx, issuer.id)) !== null) await renewCrl(trx, platform, issuer);
}

function keyOf(replaced: MadePurpose, rotated: MadePurpose): "kept" | "destroyed" {
  if (replaced === "root" || replaced === "ca") return "kept";
  return replaced === "ocsp" && rotated !== "ocsp" ? "kept" : "destroyed";
}

async function livingNow(trx: Transaction, platform: AuthorityPlatform, purpose: AuthorityPurpose): Promise<Authority> {
  const found = readParts(await loadAuthorities(trx, platform), platform).find(
    (authority) => authority.purpose === purpose && authority.retiredAt === null,
  );
  if (found === undefined) throw new Error(`Expected a living ${purpose} authority, found none`);
  return found;
}
