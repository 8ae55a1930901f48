import type { Transaction } from "../../platform/database/database.ts";
import type { Platform } from "../../platform/platform.ts";
import { enqueueNotice } from "../notices/public.ts";
import { deleteAddressChange } from "./address-change-store.ts";
import { forgetLoginTries } from "./count-login-tries.ts";
import { expireUnusedLinks } from "./link-store.ts";
import { revokeSessionsOfUser } from "./session-store.ts";
import { type Account, updatePassword } from "./store.ts";

/** Writes a new password: other sessions and all reset links end, and the owner is told (security line 13). */
export async function commitNewPassword(
  trx: Transaction,
  platform: Platform,
  change: { readonly account: Account; readonly passwordHash: string; readonly keptSessionId: string | null },
): Promise<void> {
  const { account, passwordHash, keptSessionId } = change;
  const now = platform.clock();
  await updatePassword(trx, { id: account.id, passwordHash, now });
  await revokeSessionsOfUser(trx, { userId: account.id, exceptSessionId: keptSessionId, now });
  await expireUnusedLinks(trx, { userId: account.id, purpose: "reset", now });
  // Whoever knew the former one may have asked for another address.
  await deleteAddressChange(trx, account.id);
  await forgetLoginTries(trx, account.id);
  await enqueueNotice(trx, platform, {
    kind: "password_changed",
    channel: "email",
    dedupeKey: `password_changed:${platform.newId()}`,
    // No account mail greets by name: a mail filter may have confirmed an account that a stranger filled in.
    to: { fullName: "", address: account.email },
    userId: account.id,
    content: { changedAt: now.toISOString(), resetLink: `${platform.settings.publicUrl}/password-reset` },
  });
  platform.log.info({ userId: account.id }, "password changed");
}
