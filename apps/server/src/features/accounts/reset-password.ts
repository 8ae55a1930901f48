import { failure, type Problem, problem, type Result, success } from "@paraphe/contracts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { AccountDeps } from "./account-deps.ts";
import { commitNewPassword } from "./commit-new-password.ts";
import { checkPassword } from "./domain/check-password.ts";
import { findLink, useLink } from "./link-store.ts";
import { hashToken } from "./secret-token.ts";
import { loadAccount, lockAccount } from "./store.ts";

/**
 * Sets a new password by a mailed link, which serves once. All sessions end.
 * Errors: `link_expired`, the same for a wrong, used, replaced or old link; `validation` for a bad password, and the link still serves.
 */
export async function resetPassword(
  deps: AccountDeps,
  reset: { readonly uid: string; readonly token: string; readonly password: string },
): Promise<Result<void, Problem>> {
  const { platform, hasher } = deps;
  const sha256 = hashToken(reset.token);
  const link = await findLink(platform.db, { sha256, userId: reset.uid, purpose: "reset" });
  const account = link === null ? null : await loadAccount(platform.db, link.userId);
  const dead = link === null || link.usedAt !== null || link.expiresAt <= platform.clock();
  // Of a registration that waits nobody has confirmed the address: its own link does that, not a new password.
  const active = account !== null && account.activatedAt !== null && account.deactivatedAt === null;
  if (dead || !active) return failure(problem("link_expired"));
  const fault = checkPassword(reset.password, { ...account, minimumLength: platform.settings.passwordMinLength });
  if (fault !== null) return failure(problem("validation", { errors: { password: [fault] } }));
  const hashed = await hasher.hash(reset.password);
  if (!hashed.ok) return hashed;
  return inTransaction(platform.db, async (trx) => {
    // The account before its links, as whoever closes one does.
    await lockAccount(trx, account.id);
    if (!(await useLink(trx, { sha256, now: platform.clock() }))) return failure(problem("link_expired"));
    await commitNewPassword(trx, platform, { account, passwordHash: hashed.value, keptSessionId: null });
    return success(undefined);
  });
}
