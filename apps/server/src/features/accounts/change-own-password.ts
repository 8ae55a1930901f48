import { failure, type Problem, problem, type Result, success } from "@paraphe/contracts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { AccountDeps } from "./account-deps.ts";
import { commitNewPassword } from "./commit-new-password.ts";
import { confirmPassword } from "./confirm-password.ts";
import { checkPassword } from "./domain/check-password.ts";
import type { SessionUser } from "./find-session-user.ts";
import { loadAccount } from "./store.ts";

const WRONG = { old_password: ["Ancien mot de passe incorrect"] };

/**
 * Changes the password of whoever is signed in; their other sessions end.
 * Errors: `validation` by field; `wrong_passwords` once too many old passwords were.
 */
export async function changeOwnPassword(
  deps: AccountDeps,
  change: { readonly user: SessionUser; readonly oldPassword: string; readonly newPassword: string },
): Promise<Result<void, Problem>> {
  const { platform, hasher } = deps;
  const confirmed = await confirmPassword(deps, { user: change.user, password: change.oldPassword, refusal: WRONG });
  if (!confirmed.ok) return confirmed;
  const account = await loadAccount(platform.db, change.user.id);
  if (account === null) return failure(problem("session_expired"));
  const fault = checkPassword(change.newPassword, { ...account, minimumLength: platform.settings.passwordMinLength });
  if (fault !== null) return failure(problem("validation", { errors: { new_password: [fault] } }));
  const hashed = await hasher.hash(change.newPassword);
  if (!hashed.ok) return hashed;
  await inTransaction(platform.db, (trx) =>
    commitNewPassword(trx, platform, { account, passwordHash: hashed.value, keptSessionId: change.user.session_id }),
  );
  return success(undefined);
}
