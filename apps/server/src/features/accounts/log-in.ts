import {
  failure,
  type LoginRequest,
  type Problem,
  problem,
  type Result,
  success,
} from "@paraphe/contracts";
import { networkOf } from "../../platform/addresses.ts";
import type { Transaction } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import { throttleKey } from "../../platform/throttle/throttle.ts";
import type { AccountDeps, Asker } from "./account-deps.ts";
import { ACCOUNT_LIMIT, ADDRESS_LIMIT, beginTry } from "./domain/limits.ts";
import { textKey } from "./domain/names.ts";
import { hashToken } from "./limit-requests.ts";
import {
  forgetFailures,
  lockFailures,
  revokeSessionsOf,
  saveFailures,
  takeBackTry,
} from "./session-store.ts";
import { type LoggedIn, openSession } from "./sessions.ts";
import { presentUser } from "./profile.ts";
import { checkOwnMeans } from "./providers/provider-login.ts";
import { startSecondStep, type StartedStep } from "./factors/second-step.ts";
import { type Account, findLoginCandidates } from "./store.ts";

/** `account` is an id, or the unknown name. */
type LoginAttempt = { readonly account: string; readonly ip: string };

/**
 * Counts the try before the comparison, so that parallel tries stay within the limit.
 * Errors: `too_many_attempts`, of the account or network.
 */
async function beginLoginTry(
  platform: Platform,
  attempt: LoginAttempt,
): Promise<Result<void, Problem>> {
  if (platform.settings.rateLimits === "off") return success(undefined);
  const now = platform.clock();
  const waitMs = await inTransaction(platform.db, async (trx) => {
    const address = beginTry(
      await lockFailures(trx, { key: addressKey(attempt), now }),
      ADDRESS_LIMIT,
      now,
    );
    if (address.waitMs > 0) return address.waitMs;
    const account = beginTry(
      await lockFailures(trx, { key: accountKey(attempt), now }),
      ACCOUNT_LIMIT,
      now,
    );
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

async function endLoginTry(platform: Platform, attempt: LoginAttempt): Promise<void> {
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

export async function forgetLoginTries(trx: Transaction, accountId: string): Promise<void> {
  await forgetFailures(trx, throttleKey("login-account", accountId));
}

/** A try compares at most this many of an address's newest registrations. */
const WAITING_TRIED = 5;

/**
 * Takes username or address; starts the second step where there is one.
 * Errors: `invalid_credentials`, after the same work for name and password; `not_activated` and
 * `provider_required`, after the right password alone; `too_many_attempts`.
 */
export async function logIn(
  deps: AccountDeps,
  login: LoginRequest & { readonly asker: Asker; readonly browser: string | null },
): Promise<Result<LoggedIn | StartedStep, Problem>> {
  const { platform } = deps;
  const key = textKey(login.username);
  const candidates = await findLoginCandidates(platform.db, { key, waiting: WAITING_TRIED });
  const attempt = { account: candidates[0]?.id ?? key, ip: login.asker.ip };
  const begun = await beginLoginTry(platform, attempt);
  if (!begun.ok) return begun;
  const found = await whosePassword(deps, { candidates, password: login.password });
  if (!found.ok) return found;
  const account = found.value;
  if (account === null || account.deactivatedAt !== null) {
    platform.log.info({ userId: candidates[0]?.id ?? null, ip: login.asker.ip }, "login refused");
    return failure(problem("invalid_credentials"));
  }
  await endLoginTry(platform, attempt);
  if (account.activatedAt === null) return failure(problem("not_activated"));
  const { browser } = login;
  const allowed = await checkOwnMeans(platform, { account, means: "password", browser });
  if (!allowed.ok) return allowed;
  const step = await startSecondStep(platform, {
    userId: account.id,
    remembered: login.remember_me,
  });
  if (step !== null) return success(step);
  const tokens = await inTransaction(platform.db, (trx) =>
    openSession(trx, platform, {
      userId: account.id,
      remembered: login.remember_me,
      asker: login.asker,
      means: "password",
    }),
  );
  // The account was closed during the comparison.
  if (tokens === null) return failure(problem("invalid_credentials"));
  platform.log.info({ userId: account.id, ip: login.asker.ip }, "login");
  return success({ user: await presentUser(platform.db, account), tokens });
}

/** An unknown name costs one comparison too: the time reveals nothing (security lines 5 and 27). */
async function whosePassword(
  { hasher }: AccountDeps,
  tried: { readonly candidates: readonly (Account | null)[]; readonly password: string },
): Promise<Result<Account | null, Problem>> {
  for (const candidate of tried.candidates) {
    const verified = await hasher.verify(candidate?.passwordHash ?? null, tried.password);
    if (!verified.ok) return verified;
    if (verified.value && candidate !== null) return success(candidate);
  }
  return success(null);
}

/** Idempotent. */
export async function logOut(
  platform: Platform,
  tokens: readonly (string | null)[],
): Promise<void> {
  const known = tokens.filter((token) => token !== null);
  await revokeSessionsOf(platform.db, { tokens: known.map(hashToken), now: platform.clock() });
}
