import { timingSafeEqual } from "node:crypto";
import { failure, OTP_TRIES_PER_CODE, type Problem, problem, type Result, success, type User } from "@paraphe/contracts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import { recordArrival } from "../notices/public.ts";
import { hashPhoneCode } from "./hash-phone-code.ts";
import { countPhoneTry, loadPhoneCode, markPhoneVerified, type PhoneCode } from "./phone-store.ts";
import { presentUser } from "./present-user.ts";
import { loadAccount, lockAccount } from "./store.ts";

/**
 * Tries the code sent to a profile's number; a right one makes the number its owner's.
 * Errors: `otp_invalid` with `attempts_left`, the same for wrong, expired, used, never sent, and sent to the number before.
 */
export async function verifyPhone(
  platform: Platform,
  entry: { readonly userId: string; readonly code: string },
): Promise<Result<User, Problem>> {
  return inTransaction<Result<User, Problem>>(platform.db, async (trx) => {
    const now = platform.clock();
    // Tries made at once wait here for their turn, and count each other.
    const account = await lockAccount(trx, entry.userId);
    if (account === null || account.deactivatedAt !== null) return failure(problem("session_expired"));
    const sent = await loadPhoneCode(trx, entry.userId);
    const live = sent !== null && sent.expiresAt > now && sent.wrongTries < OTP_TRIES_PER_CODE && sent.phoneNumber === account.phoneNumber;
    if (!isSameCode(platform, { ...entry, sent }) || !live || sent === null) {
      if (sent !== null) await countPhoneTry(trx, entry.userId);
      return failure(wrongCode(OTP_TRIES_PER_CODE - (sent?.wrongTries ?? 0) - 1));
    }
    await markPhoneVerified(trx, { userId: entry.userId, now });
    await recordArrival(trx, platform, { dedupeKey: `phone_code:${sent.id}` });
    const verified = await loadAccount(trx, entry.userId);
    return verified === null ? failure(problem("session_expired")) : success(await presentUser(trx, verified));
  });
}

/** Compares in constant time, also when there is nothing to compare with. */
function isSameCode(
  platform: Platform,
  tried: { readonly userId: string; readonly code: string; readonly sent: PhoneCode | null },
): boolean {
  const typed = hashPhoneCode(platform, { id: tried.sent?.id ?? "none", userId: tried.userId, code: tried.code });
  return timingSafeEqual(typed, tried.sent?.codeHmac ?? new Uint8Array(typed.length));
}

function wrongCode(left: number): Problem {
  const hint = left <= 0 ? "Demandez un nouveau code." : left === 1 ? "Il vous reste 1 essai." : `Il vous reste ${left} essais.`;
  return problem("otp_invalid", { params: { hint }, extensions: { attempts_left: Math.max(0, left) } });
}
