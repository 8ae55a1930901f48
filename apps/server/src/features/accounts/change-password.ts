import { failure, type Problem, problem, type Result, success } from "@paraphe/contracts";
import type { Transaction } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import {
  forgetHits,
  hitThrottle,
  takeBackHit,
  throttleKey,
} from "../../platform/throttle/throttle.ts";
import { enqueueNotice } from "../notices/public.ts";
import type { AccountDeps } from "./account-deps.ts";
import { deleteAddressChange } from "./contact-store.ts";
import { knownPasswordMinimum } from "../organisations/public.ts";
import { checkPassword } from "./domain/check-password.ts";
import { deleteLoginStepsOf } from "./factors/factor-store.ts";
import type { SessionUser } from "./sessions.ts";
import { hashToken } from "./limit-requests.ts";
import { expireUnusedLinks, findLink, useLink } from "./registration-store.ts";
import { forgetLoginTries } from "./log-in.ts";
import { revokeSession, revokeSessionsOfUser } from "./session-store.ts";
import { type Account, loadAccount, lockAccount, updatePassword } from "./store.ts";

/** Ends other sessions and reset links; notifies the owner (security line 13). */
async function commitNewPassword(
  trx: Transaction,
  platform: Platform,
  change: {
    readonly account: Account;
    readonly passwordHash: string;
    readonly keptSessionId: string | null;
  },
): Promise<void> {
  const { account, passwordHash, keptSessionId } = change;
  const now = platform.clock();
  await updatePassword(trx, { id: account.id, passwordHash, now });
  await revokeSessionsOfUser(trx, { userId: account.id, exceptSessionId: keptSessionId, now });
  await expireUnusedLinks(trx, { userId: account.id, purpose: "reset", now });
  // Whoever knew the former password may have asked for it.
  await deleteAddressChange(trx, account.id);
  await deleteLoginStepsOf(trx, account.id);
  await forgetLoginTries(trx, account.id);
  await enqueueNotice(trx, platform, {
    kind: "password_changed",
    channel: "email",
    dedupeKey: `password_changed:${platform.newId()}`,
    // No name: whoever registered may not own the address.
    to: { fullName: "", address: account.email },
    userId: account.id,
    content: {
      changedAt: now.toISOString(),
      resetLink: `${platform.settings.publicUrl}/password-reset`,
    },
  });
  platform.log.info({ userId: account.id }, "password changed");
}

/** After these the session ends: somebody else may use it (security line 14). */
const WRONG_TRIES = 5;
const DAY_S = 86_400;

/** `refusal`: the field and its French message. */
type PasswordToConfirm = {
  readonly user: SessionUser;
  readonly password: string;
  readonly refusal: Readonly<Record<string, readonly string[]>>;
};

/**
 * The try counts before the comparison, so that parallel tries stay within the limit; a right one
 * is uncounted.
 * Errors: `validation` by field; `wrong_passwords` after too many, which end the session.
 */
export async function confirmPassword(
  { platform, hasher }: AccountDeps,
  asked: PasswordToConfirm,
): Promise<Result<void, Problem>> {
  const account = await loadAccount(platform.db, asked.user.id);
  if (account === null || account.deactivatedAt !== null)
    return failure(problem("session_expired"));
  const sessionId = asked.user.session_id;
  const rule = {
    key: throttleKey("old-password", sessionId),
    limit: WRONG_TRIES,
    windowS: DAY_S,
    now: platform.clock(),
  };
  const { allowed, remaining } = await hitThrottle(platform.db, rule);
  const verified = allowed
    ? await hasher.verify(account.passwordHash, asked.password)
    : success(false);
  if (!verified.ok || verified.value) {
    // A full queue is not a wrong password.
    await (verified.ok ? forgetHits : takeBackHit)(platform.db, rule);
    return verified.ok ? success(undefined) : verified;
  }
  if (remaining > 0) return failure(problem("validation", { errors: asked.refusal }));
  await revokeSession(platform.db, { sessionId, now: rule.now });
  return failure(problem("wrong_passwords"));
}

const WRONG = { old_password: ["Ancien mot de passe incorrect"] };

/** Errors: `validation` by field; `wrong_passwords` after too many old passwords. */
export async function changeOwnPassword(
  deps: AccountDeps,
  change: {
    readonly user: SessionUser;
    readonly oldPassword: string;
    readonly newPassword: string;
  },
): Promise<Result<void, Problem>> {
  const { platform, hasher } = deps;
  const confirmed = await confirmPassword(deps, {
    user: change.user,
    password: change.oldPassword,
    refusal: WRONG,
  });
  if (!confirmed.ok) return confirmed;
  const account = await loadAccount(platform.db, change.user.id);
  if (account === null) return failure(problem("session_expired"));
  const fault = checkPassword(change.newPassword, {
    ...account,
    minimumLength: await knownPasswordMinimum(platform),
  });
  if (fault !== null) return failure(problem("validation", { errors: { new_password: [fault] } }));
  const hashed = await hasher.hash(change.newPassword);
  if (!hashed.ok) return hashed;
  await inTransaction(platform.db, (trx) =>
    commitNewPassword(trx, platform, {
      account,
      passwordHash: hashed.value,
      keptSessionId: change.user.session_id,
    }),
  );
  return success(undefined);
}

/**
 * Serves once, by a mailed link; all sessions end.
 * Errors: `link_expired` for a wrong, used, replaced or old link; `validation` for a bad password,
 * after which the link still works.
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
  // Only its own activation link confirms a pending registration's address.
  const active = account !== null && account.activatedAt !== null && account.deactivatedAt === null;
  if (dead || !active) return failure(problem("link_expired"));
  const fault = checkPassword(reset.password, {
    ...account,
    minimumLength: await knownPasswordMinimum(platform),
  });
  if (fault !== null) return failure(problem("validation", { errors: { password: [fault] } }));
  const hashed = await hasher.hash(reset.password);
  if (!hashed.ok) return hashed;
  return inTransaction(platform.db, async (trx) => {
    // Lock order: the account before its links.
    await lockAccount(trx, account.id);
    if (!(await useLink(trx, { sha256, now: platform.clock() })))
      return failure(problem("link_expired"));
    await commitNewPassword(trx, platform, {
      account,
      passwordHash: hashed.value,
      keptSessionId: null,
    });
    return success(undefined);
  });
}
