import type { Transaction } from "../../platform/database/database.ts";
import { forgetAnswers } from "../../platform/idempotency/store.ts";
import type { Platform } from "../../platform/platform.ts";
import { enqueueNotice, erasePersonNotices } from "../notices/public.ts";
import { eraseMembership } from "../organisations/public.ts";
import { endDelegationsOf } from "./delegations/delegation-store.ts";
import { deleteFactors, deleteLoginStepsOf } from "./factors/factor-store.ts";
import { deleteIdentities } from "./providers/provider-store.ts";
import { forgetLoginTries } from "./log-in.ts";
import { eraseInvitations } from "./members/invitation-store.ts";
import { deactivate } from "./members/member-store.ts";
import { deletePending } from "./registration-store.ts";
import { revokeSessionsOfUser } from "./session-store.ts";
import { eraseAccount, lockAccount } from "./store.ts";

/**
 * Erases an account in the caller's transaction, frees its name and address, and sends a last mail.
 * False when it was closed already.
 */
export async function closeAccount(
  trx: Transaction,
  platform: Platform,
  closing: { readonly userId: string; readonly keepsEvidence: boolean },
): Promise<boolean> {
  const account = await lockAccount(trx, closing.userId);
  if (account === null || account.deactivatedAt !== null) return false;
  const now = platform.clock();
  await erasePersonNotices(trx, {
    userId: account.id,
    emailKey: account.addressConfirmedAt === null ? null : account.emailKey,
  });
  // The trigger of an ended session deletes its push subscriptions.
  await revokeSessionsOfUser(trx, { userId: account.id, exceptSessionId: null, now });
  await deletePending(trx, account.emailKey);
  await eraseMembership(trx, platform, { userId: account.id, email: account.email });
  await eraseInvitations(trx, account.emailKey);
  await endDelegationsOf(trx, { userId: account.id, now });
  await deleteFactors(trx, account.id);
  await deleteIdentities(trx, account.id);
  await eraseAccount(trx, { id: account.id, now });
  await forgetLoginTries(trx, account.id);
  await forgetAnswers(trx, account.id);
  await enqueueNotice(trx, platform, {
    kind: "account_erased",
    channel: "email",
    dedupeKey: `account_erased:${account.id}`,
    to: { fullName: "", address: account.email },
    content: {
      erasedAt: now.toISOString(),
      keepsEvidence: closing.keepsEvidence,
      privacyLink: `${platform.settings.publicUrl}/confidentialite`,
    },
  });
  platform.log.info({ userId: account.id }, "account erased at its owner's request");
  return true;
}

/**
 * Ends a leaver's access: sessions end, no login begins, and a mailed link of theirs is of no use.
 * An invitation opens the account again.
 */
export async function closeForLeaver(
  trx: Transaction,
  platform: Pick<Platform, "clock">,
  userId: string,
): Promise<void> {
  const now = platform.clock();
  await lockAccount(trx, userId);
  await revokeSessionsOfUser(trx, { userId, exceptSessionId: null, now });
  await deleteLoginStepsOf(trx, userId);
  await endDelegationsOf(trx, { userId, now });
  await deactivate(trx, { id: userId, now });
}
