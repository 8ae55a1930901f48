import { INVITATION_DAYS, type MemberRole, ROLE_NAMES } from "@paraphe/contracts";
import { toHex } from "@paraphe/kernel/bytes";
import { uncapitalised } from "@paraphe/kernel/french-words";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import { enqueueNotice, erasePersonNotices } from "../notices/public.ts";
import { grantRole, knownIdentity, eraseMembership, noteEvent } from "../organisations/public.ts";
import { emailKey } from "./domain/names.ts";
import { renewFirstStart } from "./first-start.ts";
import { mintToken } from "./limit-requests.ts";
import {
  deleteFirstStarts,
  insertInvitation,
  eraseInvitations,
} from "./members/invitation-store.ts";
import { findConfirmed, listAdministrators, deletePending } from "./registration-store.ts";
import type { Transaction } from "../../platform/database/database.ts";
import { forgetAnswers } from "../../platform/idempotency/store.ts";
import { endDelegationsOfLeaver } from "./delegations/delegations.ts";
import { deleteFactors, deleteLoginStepsOf } from "./factors/factor-store.ts";
import { deleteKeysOf } from "./keys/key-store.ts";
import { deleteIdentities } from "./providers/provider-store.ts";
import { forgetLoginTries } from "./log-in.ts";
import { deactivate } from "./members/member-store.ts";
import { revokeSessionsOfUser } from "./session-store.ts";
import { eraseAccount, lockAccount } from "./store.ts";

const DAY_MS = 86_400_000;

type Invited = { readonly administrator: boolean };

export const administration = {
  /** Gives a link that registers once within seven days, whoever may register. */
  invite(platform: Platform, invited: Invited): Promise<string> {
    return invite(platform, { ...invited, email: null });
  },
  async mailInvitation(
    platform: Platform,
    invited: Invited & { readonly email: string },
  ): Promise<void> {
    await invite(platform, invited);
  },
  /** Gives a new first-start address and ends the former; null once there is an administrator. */
  setUp: renewFirstStart,
  /** Gives false without an activated account at this confirmed address. */
  promote(platform: Platform, email: string, role: MemberRole = "administrator"): Promise<boolean> {
    return inTransaction(platform.db, async (trx) => {
      const userId = await findConfirmed(trx, emailKey(email));
      if (userId === null) return false;
      await grantRole(trx, platform, { userId, role, actorId: null });
      await deleteFirstStarts(trx);
      return true;
    });
  },
  async list(platform: Platform): Promise<readonly string[]> {
    const found = await listAdministrators(platform.db);
    return found.map(({ email, role }) => `${email}, ${uncapitalised(ROLE_NAMES[role])}`);
  },
};

async function invite(
  platform: Platform,
  { administrator, email }: Invited & { readonly email: string | null },
): Promise<string> {
  const { token, sha256 } = mintToken(platform);
  const now = platform.clock();
  const expiresAt = new Date(now.getTime() + INVITATION_DAYS * DAY_MS);
  const link = `${platform.settings.publicUrl}/register?invitation=${token}`;
  const organisation = (await knownIdentity(platform))?.name ?? null;
  await inTransaction(platform.db, async (trx) => {
    // Only a mailed invitation is listed among the organisation's.
    const role = administrator ? "administrator" : email === null ? null : "member";
    const id = platform.newId();
    await noteEvent(trx, platform, {
      kind: "member_invited",
      actorId: null,
      detail: { email, role },
    });
    await insertInvitation(trx, { id, sha256, role, email, now, expiresAt });
    if (email === null) return;
    await enqueueNotice(trx, platform, {
      kind: "registration_invited",
      channel: "email",
      dedupeKey: `registration_invited:${toHex(sha256)}`,
      to: { fullName: "", address: email },
      content: { organisation, link, administrator },
    });
  });
  return link;
}

/**
 * Frees name and address in the caller's transaction and sends a last mail. Gives false when closed
 * already.
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
  // A trigger deletes its push subscriptions.
  await revokeSessionsOfUser(trx, { userId: account.id, exceptSessionId: null, now });
  await deletePending(trx, account.emailKey);
  await eraseMembership(trx, platform, { userId: account.id, email: account.email });
  await eraseInvitations(trx, account.emailKey);
  await endDelegationsOfLeaver(trx, platform, account.id);
  await deleteKeysOf(trx, account.id);
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

/** Ends sessions, logins, mailed links and the leaver's own keys. An invitation reopens the account. */
export async function closeForLeaver(
  trx: Transaction,
  platform: Platform,
  userId: string,
): Promise<void> {
  const now = platform.clock();
  await lockAccount(trx, userId);
  await revokeSessionsOfUser(trx, { userId, exceptSessionId: null, now });
  await deleteLoginStepsOf(trx, userId);
  await endDelegationsOfLeaver(trx, platform, userId);
  await deleteKeysOf(trx, userId);
  await deactivate(trx, { id: userId, now });
}
