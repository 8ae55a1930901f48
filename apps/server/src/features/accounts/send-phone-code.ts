import {
  failure,
  OTP_CODES_PER_DAY,
  OTP_CODES_PER_HOUR,
  OTP_RESEND_S,
  OTP_VALIDITY_S,
  type PhoneCodeAnswer,
  type Problem,
  type ProblemCode,
  problem,
  type Result,
  success,
} from "@paraphe/contracts";
import type { Transaction } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import { drawCode } from "../../platform/one-time-code/draw-code.ts";
import type { Platform } from "../../platform/platform.ts";
import { isSmsOffered, textableNumber } from "../../platform/sms/create-sms-transport.ts";
import { hitThrottle } from "../../platform/throttle/throttle.ts";
import { enqueueNotice } from "../notices/public.ts";
import { maskPhone } from "./domain/mask-address.ts";
import { hashPhoneCode } from "./hash-phone-code.ts";
import { throttleKey } from "./limit-requests.ts";
import { loadPhoneCode, putPhoneCode } from "./phone-store.ts";
import { lockAccount } from "./store.ts";

const HOUR_S = 3_600;
const DAY_S = 86_400;

/**
 * Sends a code to the number of a profile; the one before it dies.
 * Errors: `validation` (no number, already verified, no gateway); `otp_cooldown`, `otp_quota`, `otp_daily_quota`. The number is counted beside the
 * account: a text costs, and many accounts could trouble one person.
 */
export async function sendPhoneCode(platform: Platform, userId: string): Promise<Result<PhoneCodeAnswer, Problem>> {
  return inTransaction<Result<PhoneCodeAnswer, Problem>>(platform.db, async (trx) => {
    const now = platform.clock();
    const account = await lockAccount(trx, userId);
    if (account === null || account.deactivatedAt !== null) return failure(problem("session_expired"));
    const phoneNumber = account.phoneNumber;
    if (!isSmsOffered(platform.settings)) return refuse("Ce service n’envoie pas de SMS.");
    if (phoneNumber === null) return refuse("Ajoutez d’abord un numéro de téléphone à votre profil");
    if (textableNumber(platform.settings, phoneNumber) === null) return refuse("Ce service n’envoie pas de SMS vers ce pays");
    if (account.phoneVerifiedAt !== null) return refuse("Ce numéro est déjà vérifié");
    const last = await loadPhoneCode(trx, userId);
    const wait = last === null ? 0 : Math.ceil(OTP_RESEND_S - (now.getTime() - last.createdAt.getTime()) / 1_000);
    if (wait > 0) return failure(problem("otp_cooldown", { params: { seconds: wait }, retryAfterS: wait }));
    const limited = await limitCodes(trx, platform, { userId, phoneNumber, now });
    if (!limited.ok) return limited;

    const id = platform.newId();
    const code = drawCode(platform.random);
    const expiresAt = new Date(now.getTime() + OTP_VALIDITY_S * 1_000);
    await putPhoneCode(trx, {
      userId,
      id,
      phoneNumber,
      codeHmac: hashPhoneCode(platform, { id, userId, code }),
      createdAt: now,
      expiresAt,
    });
    await enqueueNotice(trx, platform, {
      kind: "phone_code",
      channel: "sms",
      dedupeKey: `phone_code:${id}`,
      to: { fullName: "", address: phoneNumber },
      userId,
      content: { code },
    });
    return success({ destination: maskPhone(phoneNumber), expires_in: OTP_VALIDITY_S, resend_in: OTP_RESEND_S });
  });
}

function refuse(message: string): Result<never, Problem> {
  return failure(problem("validation", { errors: { phone_number: [message] } }));
}

async function limitCodes(
  trx: Transaction,
  platform: Platform,
  asked: { readonly userId: string; readonly phoneNumber: string; readonly now: Date },
): Promise<Result<void, Problem>> {
  if (platform.settings.rateLimits === "off") return success(undefined);
  const rules: readonly (readonly [ProblemCode, string, number, number])[] = [
    ["otp_quota", throttleKey("phone-code-hour", asked.userId), OTP_CODES_PER_HOUR, HOUR_S],
    ["otp_daily_quota", throttleKey("phone-code-day", asked.userId), OTP_CODES_PER_DAY, DAY_S],
    ["otp_daily_quota", throttleKey("phone-code-number", asked.phoneNumber), OTP_CODES_PER_DAY, DAY_S],
  ];
  for (const [code, key, limit, windowS] of rules) {
    const { allowed, retryAfterS } = await hitThrottle(trx, { key, limit, windowS, now: asked.now });
    if (!allowed) return failure(problem(code, { retryAfterS }));
  }
  return success(undefined);
}
