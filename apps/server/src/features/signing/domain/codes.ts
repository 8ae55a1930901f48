import {
  failure,
  OTP_CODES_PER_DAY,
  OTP_CODES_PER_HOUR,
  OTP_RESEND_S,
  OTP_TRIES_PER_CODE,
  OTP_WRONG_TRIES_PER_LINK,
  type Problem,
  problem,
  type Result,
  success,
} from "@paraphe/contracts";

const HOUR_S = 3_600;
const DAY_S = 86_400;

/** Where a code is entered: behind a link, which a reminder unlocks, or in an account's session. */
type CodeEntrance = "link" | "account";

/** `sentAt`: the last 24 hours, in any order. */
type CodeRequest = {
  readonly entrance: CodeEntrance;
  readonly sentAt: readonly Date[];
  readonly wrongTries: number;
  readonly now: Date;
};

/**
 * Errors: `otp_locked` (until a reminder) or `address_code_locked` (until a mailed link is opened
 * in the session), `otp_cooldown` (60 s), `otp_quota` (5 an hour), `otp_daily_quota` (10 a day).
 */
export function decideCodeRequest(request: CodeRequest): Result<null> {
  if (request.wrongTries >= OTP_WRONG_TRIES_PER_LINK) return failure(locked(request.entrance));
  const ages = request.sentAt
    .map((at) => (request.now.getTime() - at.getTime()) / 1_000)
    .toSorted((a, b) => a - b);
  const wait = resendIn(request);
  if (wait > 0)
    return failure(problem("otp_cooldown", { params: { seconds: wait }, retryAfterS: wait }));
  if (ages.filter((age) => age < DAY_S).length >= OTP_CODES_PER_DAY) {
    return failure(
      problem("otp_daily_quota", { retryAfterS: secondsUntilFree(ages, OTP_CODES_PER_DAY, DAY_S) }),
    );
  }
  if (ages.filter((age) => age < HOUR_S).length >= OTP_CODES_PER_HOUR) {
    return failure(
      problem("otp_quota", { retryAfterS: secondsUntilFree(ages, OTP_CODES_PER_HOUR, HOUR_S) }),
    );
  }
  return success(null);
}

export function resendIn(request: Pick<CodeRequest, "sentAt" | "now">): number {
  const latest = Math.max(...request.sentAt.map((at) => at.getTime()), Number.NEGATIVE_INFINITY);
  return Math.max(0, Math.ceil(OTP_RESEND_S - (request.now.getTime() - latest) / 1_000));
}

function locked(entrance: CodeEntrance): Problem {
  return problem(entrance === "link" ? "otp_locked" : "address_code_locked", {
    retryAfterS: HOUR_S,
  });
}

/** A place is free once the code that took the last one is older than the window. */
function secondsUntilFree(sortedAges: readonly number[], limit: number, windowS: number): number {
  return Math.max(1, Math.ceil(windowS - (sortedAges[limit - 1] ?? 0)));
}

export type SentCode = {
  readonly expiresAt: Date;
  readonly usedAt: Date | null;
  readonly killedAt: Date | null;
  readonly wrongTries: number;
};

/**
 * `matches`: the given code equals `latest`. `entranceWrongTries`: since the last reminder, or for
 * the address.
 */
type CodeAttempt = {
  readonly entrance: CodeEntrance;
  readonly latest: SentCode | null;
  readonly matches: boolean;
  readonly entranceWrongTries: number;
  readonly now: Date;
};

type CodeVerdict =
  | { readonly kind: "verified" }
  | { readonly kind: "wrong"; readonly kills: boolean; readonly problem: Problem }
  | { readonly kind: "frozen"; readonly problem: Problem };

/**
 * One answer covers wrong, expired, used and unsent: whether a code is live stays secret (security
 * line 38).
 */
export function checkCode(attempt: CodeAttempt): CodeVerdict {
  if (attempt.entranceWrongTries >= OTP_WRONG_TRIES_PER_LINK)
    return { kind: "frozen", problem: locked(attempt.entrance) };
  if (attempt.latest !== null && isLive(attempt.latest, attempt.now) && attempt.matches)
    return { kind: "verified" };
  const wrongTries = (attempt.latest?.wrongTries ?? attempt.entranceWrongTries) + 1;
  const attemptsLeft = Math.max(0, OTP_TRIES_PER_CODE - wrongTries);
  return { kind: "wrong", kills: attemptsLeft === 0, problem: wrongCode(attemptsLeft) };
}

function isLive(code: SentCode, now: Date): boolean {
  return (
    code.usedAt === null &&
    code.killedAt === null &&
    code.expiresAt > now &&
    code.wrongTries < OTP_TRIES_PER_CODE
  );
}

function wrongCode(attemptsLeft: number): Problem {
  const hint =
    attemptsLeft === 0
      ? "Demandez un nouveau code."
      : attemptsLeft === 1
        ? "Il vous reste 1 essai."
        : `Il vous reste ${attemptsLeft} essais.`;
  return problem("otp_invalid", { params: { hint }, extensions: { attempts_left: attemptsLeft } });
}

/** `either`: a text that may have left, and a mail; null: not recorded. */
type Channel = "email" | "sms" | "either" | null;

/** A code goes by SMS only if the link was mailed, as the sender may have chosen the number. */
export function mayText(link: Channel): boolean {
  return link === "email";
}

/** Requires that link or code certainly went by mail: a phone alone opens nothing. */
export function areTwoChannels(link: Channel, code: Channel): boolean {
  return link === "email" || code === "email";
}
