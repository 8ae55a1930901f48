import { timingSafeEqual } from "node:crypto";
import {
  failure,
  OTP_CODES_PER_DAY,
  OTP_CODES_PER_HOUR,
  OTP_RESEND_S,
  OTP_TRIES_PER_CODE,
  OTP_VALIDITY_S,
  type PhoneCodeAnswer,
  type Problem,
  problem,
  type ProblemCode,
  type Result,
  success,
  type User,
  maskPhone,
} from "@paraphe/contracts";
import type { Transaction } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import { drawCode } from "../../platform/one-time-code/draw-code.ts";
import type { Platform } from "../../platform/platform.ts";
import { isSmsOffered, textableNumber } from "../../platform/sms/create-sms-transport.ts";
import { limitRate, throttleKey } from "../../platform/throttle/throttle.ts";
import { enqueueNotice, recordArrival } from "../notices/public.ts";
import {
  countPhoneTry,
  loadPhoneCode,
  markPhoneVerified,
  type PhoneCode,
  putPhoneCode,
} from "./contact-store.ts";
import { presentUser } from "./profile.ts";
import { loadAccount, lockAccount } from "./store.ts";

/** Keyed and bound to sending and account, as six digits can be enumerated. */
function hashPhoneCode(
  platform: Pick<Platform, "secrets">,
  sent: { readonly id: string; readonly userId: string; readonly code: string },
): Uint8Array {
  return platform.secrets.hmac("phone-code", Buffer.from(`${sent.userId}:${sent.id}:${sent.code}`));
}

const HOUR_S = 3_600;
const DAY_S = 86_400;

/**
 * Voids the previous code.
 * Errors: `validation` (no number, already verified, no gateway); `otp_cooldown`, `otp_quota`,
 * `otp_daily_quota`, also by number: several accounts could target one person.
 */
export async function sendPhoneCode(
  platform: Platform,
  userId: string,
): Promise<Result<PhoneCodeAnswer, Problem>> {
  return inTransaction<Result<PhoneCodeAnswer, Problem>>(platform.db, async (trx) => {
    const now = platform.clock();
    const account = await lockAccount(trx, userId);
    if (account === null || account.deactivatedAt !== null)
      return failure(problem("session_expired"));
    const phoneNumber = account.phoneNumber;
    if (!isSmsOffered(platform.settings)) return refuse("Ce service n’envoie pas de SMS.");
    if (phoneNumber === null)
      return refuse("Ajoutez d’abord un numéro de téléphone à votre profil");
    if (textableNumber(platform.settings, phoneNumber) === null)
      return refuse("Ce service n’envoie pas de SMS vers ce pays");
    if (account.phoneVerifiedAt !== null) return refuse("Ce numéro est déjà vérifié");
    const last = await loadPhoneCode(trx, userId);
    const wait =
      last === null
        ? 0
        : Math.ceil(OTP_RESEND_S - (now.getTime() - last.createdAt.getTime()) / 1_000);
    if (wait > 0)
      return failure(problem("otp_cooldown", { params: { seconds: wait }, retryAfterS: wait }));
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
    return success({
      destination: maskPhone(phoneNumber),
      expires_in: OTP_VALIDITY_S,
      resend_in: OTP_RESEND_S,
    });
  });
}

function refuse(message: string): Result<never, Problem> {
  return failure(problem("validation", { errors: { phone_number: [message] } }));
}

async function limitCodes(
  trx: Transaction,
  platform: Platform,
  asked: { readonly userId: string; readonly phoneNumber: string; readonly now: Date },
): Promise<Result<null>> {
  const rules: readonly (readonly [ProblemCode, string, number, number])[] = [
    ["otp_quota", throttleKey("phone-code-hour", asked.userId), OTP_CODES_PER_HOUR, HOUR_S],
    ["otp_daily_quota", throttleKey("phone-code-day", asked.userId), OTP_CODES_PER_DAY, DAY_S],
    [
      "otp_daily_quota",
      throttleKey("phone-code-number", asked.phoneNumber),
      OTP_CODES_PER_DAY,
      DAY_S,
    ],
  ];
  for (const [refusal, key, limit, windowS] of rules) {
    const limited = await limitRate({ ...platform, db: trx }, { key, limit, windowS, refusal });
    if (!limited.ok) return limited;
  }
  return success(null);
}

/**
 * Errors: `otp_invalid` with `attempts_left`, alike for a wrong, expired, used or unsent code and
 * the former number's.
 */
export async function verifyPhone(
  platform: Platform,
  entry: { readonly userId: string; readonly code: string },
): Promise<Result<User, Problem>> {
  return inTransaction<Result<User, Problem>>(platform.db, async (trx) => {
    const now = platform.clock();
    const account = await lockAccount(trx, entry.userId);
    if (account === null || account.deactivatedAt !== null)
      return failure(problem("session_expired"));
    const sent = await loadPhoneCode(trx, entry.userId);
    const live =
      sent !== null &&
      sent.expiresAt > now &&
      sent.wrongTries < OTP_TRIES_PER_CODE &&
      sent.phoneNumber === account.phoneNumber;
    if (!isSameCode(platform, { ...entry, sent }) || !live || sent === null) {
      if (sent !== null) await countPhoneTry(trx, entry.userId);
      return failure(wrongCode(OTP_TRIES_PER_CODE - (sent?.wrongTries ?? 0) - 1));
    }
    await markPhoneVerified(trx, { userId: entry.userId, now });
    await recordArrival(trx, platform, { dedupeKey: `phone_code:${sent.id}` });
    const verified = await loadAccount(trx, entry.userId);
    return verified === null
      ? failure(problem("session_expired"))
      : success(await presentUser(trx, verified));
  });
}

/** Takes constant time, even without a code. */
function isSameCode(
  platform: Platform,
  tried: { readonly userId: string; readonly code: string; readonly sent: PhoneCode | null },
): boolean {
  const typed = hashPhoneCode(platform, {
    id: tried.sent?.id ?? "none",
    userId: tried.userId,
    code: tried.code,
  });
  return timingSafeEqual(typed, tried.sent?.codeHmac ?? new Uint8Array(typed.length));
}

function wrongCode(left: number): Problem {
  const hint =
    left <= 0
      ? "Demandez un nouveau code."
      : left === 1
        ? "Il vous reste 1 essai."
        : `Il vous reste ${left} essais.`;
  return problem("otp_invalid", {
    params: { hint },
    extensions: { attempts_left: Math.max(0, left) },
  });
}
