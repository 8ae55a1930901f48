import { failure, type Problem, problem, type Result, success } from "@paraphe/contracts";
import { forgetHits, hitThrottle, takeBackHit } from "../../platform/throttle/throttle.ts";
import type { AccountDeps } from "./account-deps.ts";
import type { SessionUser } from "./find-session-user.ts";
import { throttleKey } from "./limit-requests.ts";
import { revokeSession } from "./session-store.ts";
import { loadAccount } from "./store.ts";

/** The fifth wrong password ends the session: whoever sits at it may not be its owner (security line 14). */
const WRONG_TRIES = 5;
const DAY_S = 86_400;

/** Whose password is asked again, and the field that a wrong one is told under, with its French message. */
export type PasswordToConfirm = {
  readonly user: SessionUser;
  readonly password: string;
  readonly refusal: Readonly<Record<string, readonly string[]>>;
};

/**
 * Asks whoever is signed in for their password again. The try is counted as wrong before the password is looked at, or forty at once would all be
 * looked at; it is taken back when it was right.
 * Errors: `validation` by field; `wrong_passwords` once too many were, the session then being ended.
 */
export async function confirmPassword({ platform, hasher }: AccountDeps, asked: PasswordToConfirm): Promise<Result<void, Problem>> {
  const account = await loadAccount(platform.db, asked.user.id);
  if (account === null || account.deactivatedAt !== null) return failure(problem("session_expired"));
  const sessionId = asked.user.session_id;
  const rule = { key: throttleKey("old-password", sessionId), limit: WRONG_TRIES, windowS: DAY_S, now: platform.clock() };
  const { allowed, remaining } = await hitThrottle(platform.db, rule);
  const verified = allowed ? await hasher.verify(account.passwordHash, asked.password) : success(false);
  if (!verified.ok || verified.value) {
    // A right one forgets the wrong ones before it; a full queue of passwords says nothing of this one.
    await (verified.ok ? forgetHits : takeBackHit)(platform.db, rule);
    return verified.ok ? success(undefined) : verified;
  }
  if (remaining > 0) return failure(problem("validation", { errors: asked.refusal }));
  await revokeSession(platform.db, { sessionId, now: rule.now });
  return failure(problem("wrong_passwords"));
}
