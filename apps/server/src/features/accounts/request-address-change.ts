import { ADDRESS_LINK_HOURS, failure, type Problem, problem, type Result, success } from "@paraphe/contracts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import { checkMail } from "../../platform/mail/create-mail-transport.ts";
import { hitThrottle } from "../../platform/throttle/throttle.ts";
import { enqueueNotice } from "../notices/public.ts";
import type { AccountDeps } from "./account-deps.ts";
import { putAddressChange } from "./address-change-store.ts";
import { confirmPassword } from "./confirm-password.ts";
import { maskEmail } from "./domain/mask-address.ts";
import { emailKey } from "./domain/text-key.ts";
import type { SessionUser } from "./find-session-user.ts";
import { throttleKey } from "./limit-requests.ts";
import { findActivated } from "./pending-store.ts";
import { mintToken } from "./secret-token.ts";
import { loadAccount, lockAccount } from "./store.ts";
import { tellAlreadyRegistered } from "./tell-already-registered.ts";

const REQUESTS_PER_HOUR = 5;
const HOUR_S = 3_600;

/**
 * Asks for another address: a link goes there, word of it to the present one. The answer is the same when the address has an account already, which
 * is told of it instead (security line 31); the link that would give it does not exist then.
 * Errors: `validation` (password; the same address), `wrong_passwords`, `too_many_requests`, `mail_off`.
 */
export async function requestAddressChange(
  deps: AccountDeps,
  asked: { readonly user: SessionUser; readonly email: string; readonly password: string },
): Promise<Result<void, Problem>> {
  const { platform } = deps;
  const now = platform.clock();
  const mailed = checkMail(platform.settings);
  if (!mailed.ok) return mailed;
  const confirmed = await confirmPassword(deps, { ...asked, refusal: { password: ["Mot de passe incorrect"] } });
  if (!confirmed.ok) return confirmed;
  return inTransaction<Result<void, Problem>>(platform.db, async (trx) => {
    const rule = { key: throttleKey("address-change", asked.user.id), limit: REQUESTS_PER_HOUR, windowS: HOUR_S, now };
    const { allowed, retryAfterS } = await hitThrottle(trx, rule);
    if (!allowed && platform.settings.rateLimits !== "off") return failure(problem("too_many_requests", { retryAfterS }));
    const account = await lockAccount(trx, asked.user.id);
    if (account === null || account.deactivatedAt !== null) return failure(problem("session_expired"));
    const key = emailKey(asked.email);
    if (key === account.emailKey) return failure(problem("validation", { errors: { email: ["C’est déjà l’adresse de votre compte"] } }));
    const { token, sha256 } = mintToken(platform);
    const expiresAt = new Date(now.getTime() + ADDRESS_LINK_HOURS * HOUR_S * 1_000);
    await putAddressChange(trx, { userId: account.id, tokenSha256: sha256, email: asked.email, emailKey: key, createdAt: now, expiresAt });
    const { publicUrl } = platform.settings;
    await enqueueNotice(trx, platform, {
      kind: "address_changing",
      channel: "email",
      dedupeKey: `address_asked:${platform.newId()}`,
      to: { fullName: "", address: account.email },
      userId: account.id,
      content: { newAddress: maskEmail(asked.email), done: false, resetLink: `${publicUrl}/password-reset` },
    });
    const takenBy = await findActivated(trx, key);
    const owner = takenBy === null ? null : await loadAccount(trx, takenBy);
    if (owner !== null) await tellAlreadyRegistered(trx, platform, owner);
    else
      await enqueueNotice(trx, platform, {
        kind: "address_confirmation",
        channel: "email",
        dedupeKey: `address_confirmation:${Buffer.from(sha256).toString("hex")}`,
        to: { fullName: "", address: asked.email },
        senderId: asked.user.id,
        // No account's: the list of one's own messages would tell which addresses have an account.
        // It serves its asker alone, signed in: a filter that opens links changes nothing.
        content: { link: `${publicUrl}/profile?email=${token}` },
      });
    return success(undefined);
  });
}
