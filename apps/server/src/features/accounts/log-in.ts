import { failure, type LoginRequest, type Problem, problem, type Result, success, type User } from "@paraphe/contracts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { AccountDeps, Asker } from "./account-deps.ts";
import { beginLoginTry, endLoginTry } from "./count-login-tries.ts";
import { textKey } from "./domain/text-key.ts";
import { openSession, type SessionTokens } from "./open-session.ts";
import { presentUser } from "./present-user.ts";
import { type Account, findLoginCandidates } from "./store.ts";

export type LoggedIn = { readonly user: User; readonly tokens: SessionTokens };

/** Registrations of one address whose password may be the one typed, the newest: no more work than that for a try. */
const WAITING_TRIED = 5;

/**
 * Opens a session for a username (or e-mail) and its password.
 * Errors: `invalid_credentials`, after the same work whether the name or the password is wrong; `not_activated`, only after a right password;
 * `too_many_attempts`, whatever the password.
 */
export async function logIn(deps: AccountDeps, login: LoginRequest & { readonly asker: Asker }): Promise<Result<LoggedIn, Problem>> {
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
  const tokens = await inTransaction(platform.db, (trx) =>
    openSession(trx, platform, { userId: account.id, remembered: login.remember_me, asker: login.asker }),
  );
  // Closed while the password was being verified.
  if (tokens === null) return failure(problem("invalid_credentials"));
  platform.log.info({ userId: account.id, ip: login.asker.ip }, "login");
  return success({ user: await presentUser(platform.db, account), tokens });
}

/**
 * Gives the first whose password it is, or null. An address with an account costs one comparison more than its waiting registrations, and so does one
 * without: the time does not tell them apart (security lines 5 and 27).
 */
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
