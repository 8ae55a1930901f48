import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { Reader } from "../../platform/database/database.ts";
import type { Platform } from "../../platform/platform.ts";
import { activatePending } from "./activate-pending.ts";
import { findLink, type StoredLink, useLink } from "./link-store.ts";
import { holdAddress } from "./pending-store.ts";
import { hashToken } from "./secret-token.ts";
import { loadAccount } from "./store.ts";

/** What an activation link carries. */
export type ActivationLink = { readonly uid: string; readonly token: string };

/**
 * Activates the account of a link; true when it is activated. It opens no session, and may run again: a mail scanner that opened the link first
 * spoils nothing (security line 29).
 */
export async function activateAccount(platform: Platform, link: ActivationLink): Promise<boolean> {
  return inTransaction(platform.db, async (trx) => {
    const now = platform.clock();
    const stored = await load(trx, link);
    const account = stored === null ? null : await loadAccount(trx, stored.userId);
    if (stored === null || account === null) return false;
    // The address before the link: who opens two links of one address at once waits here for their turn.
    await holdAddress(trx, account.emailKey);
    if (await useLink(trx, { sha256: hashToken(link.token), now })) {
      if (!(await activatePending(trx, { id: account.id, emailKey: account.emailKey, now }))) return false;
      platform.log.info({ userId: stored.userId }, "account activated");
      return true;
    }
    // Used before, or by a parallel opening that this one waited for; or never, and now too old.
    return (await load(trx, link))?.usedAt instanceof Date && isAccountActive(trx, stored.userId);
  });
}

/** Tells, changing nothing, what `activateAccount` would answer. */
export async function isActivated(platform: Platform, link: ActivationLink): Promise<boolean> {
  const stored = await load(platform.db, link);
  if (stored === null) return false;
  return stored.usedAt === null ? stored.expiresAt > platform.clock() : isAccountActive(platform.db, stored.userId);
}

function load(reader: Reader, link: ActivationLink): Promise<StoredLink | null> {
  return findLink(reader, { sha256: hashToken(link.token), userId: link.uid, purpose: "activation" });
}

async function isAccountActive(reader: Reader, userId: string): Promise<boolean> {
  const account = await loadAccount(reader, userId);
  return account !== null && account.activatedAt !== null;
}
