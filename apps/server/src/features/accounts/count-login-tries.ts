import { failure, type Problem, problem, type Result, success } from "@paraphe/contracts";
import type { Transaction } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import { networkOf } from "../../platform/throttle/network-of.ts";
import { ACCOUNT_LIMIT, ADDRESS_LIMIT, beginTry } from "./domain/login-limits.ts";
import { throttleKey } from "./limit-requests.ts";
import { forgetFailures, lockFailures, saveFailures, takeBackTry } from "./login-failure-store.ts";

/** Whose password is tried, and from where. `account`: its id, or the name that nobody has. */
export type LoginAttempt = { readonly account: string; readonly ip: string };

/**
 * Counts a try as wrong before the password is looked at: a hundred parallel tries cannot pass before the first is counted.
 * Errors: `too_many_attempts` while the account or the address waits.
 */
export async function beginLoginTry(platform: Platform, attempt: LoginAttempt): Promise<Result<void, Problem>> {
  if (platform.settings.rateLimits === "off") return success(undefined);
  const now = platform.clock();
  const waitMs = await inTransaction(platform.db, async (trx) => {
    const address = beginTry(await lockFailures(trx, { key: addressKey(attempt), now }), ADDRESS_LIMIT, now);
    if (address.waitMs > 0) return address.waitMs;
    const account = beginTry(await lockFailures(trx, { key: accountKey(attempt), now }), ACCOUNT_LIMIT, now);
    if (account.waitMs > 0) return account.waitMs;
    await saveFailures(trx, { key: addressKey(attempt), ...address.next });
    await saveFailures(trx, { key: accountKey(attempt), ...account.next });
    return 0;
  });
  if (waitMs === 0) return success(undefined);
  const minutes = Math.ceil(waitMs / 60_000);
  return failure(
    problem("too_many_attempts", {
      params: { delay: minutes > 1 ? `${minutes} minutes` : `${minutes} minute` },
      retryAfterS: waitMs / 1_000,
    }),
  );
}

/** Takes the count back after a right password. */
export async function endLoginTry(platform: Platform, attempt: LoginAttempt): Promise<void> {
  if (platform.settings.rateLimits === "off") return;
  await takeBackTry(platform.db, addressKey(attempt));
  await forgetFailures(platform.db, accountKey(attempt));
}

function addressKey(attempt: LoginAttempt): string {
  return throttleKey("login-address", networkOf(attempt.ip));
}

function accountKey(attempt: LoginAttempt): string {
  return throttleKey("login-account", attempt.account);
}

/** Forgets the wrong tries of an account whose password was changed. */
export async function forgetLoginTries(trx: Transaction, accountId: string): Promise<void> {
  await forgetFailures(trx, throttleKey("login-account", accountId));
}
