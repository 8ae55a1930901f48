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

/** Where a code is entered: behind a link, which the sender's reminder opens again; or by an account, for its address. */
type CodeEntrance = "link" | "account";

/** What is known when a person asks for a one-time code. `sentAt`: the moments of the codes of the last 24 hours, in any order. */
type CodeRequest = {
  readonly entrance: CodeEntrance;
  readonly sentAt: readonly Date[];
  readonly wrongTries: number;
  readonly now: Date;
};

/**
 * Says whether a new code may be sent now.
 * Errors: `otp_locked` (frozen until the sender reminds) or `address_code_locked` (until a mailed link is opened in the session), `otp_cooldown` (60 s), `otp_quota` (5 an hour), `otp_daily_quota` (10 a day).
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

/** Gives the whole seconds to wait before another code may be asked for; 0 when none. */
export function resendIn(request: Pick<CodeRequest, "sentAt" | "now">): number {
  const latest = Math.max(...request.sentAt.map((at) => at.getTime()), Number.NEGATIVE_INFINITY);
  return Math.max(0, Math.ceil(OTP_RESEND_S - (request.now.getTime() - latest) / 1_000));
}

/** The refusal where too many wrong codes were entered: no time lifts it. */
function locked(entrance: CodeEntrance): Problem {
  return problem(entrance === "link" ? "otp_locked" : "address_code_locked", {
    retryAfterS: HOUR_S,
  });
}

/** The window frees a place once the code that fills its last place is older than the window. */
function secondsUntilFree(sortedAges: readonly number[], limit: number, windowS: number): number {
  return Math.max(1, Math.ceil(windowS - (sortedAges[limit - 1] ?? 0)));
}

/** The last code sent to this person, live or not. */
export type SentCode = {
  readonly expiresAt: Date;
  readonly usedAt: Date | null;
  readonly killedAt: Date | null;
  readonly wrongTries: number;
};

/** `matches`: the typed code has the keyed hash of `latest`. `entranceWrongTries`: wrong codes since the sender's last reminder, or for the account's address. */
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
 * Judges one typed code. Wrong, expired, used and never sent get the same answer, counted down in the same way,
 * so that nobody learns whether a code is live (security line 38).
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

/** How a link or a code went; `either`: by a text that may have left, and by mail beside; null: nothing is kept of it. */
type Channel = "email" | "sms" | "either" | null;

/** Says whether a code may be texted behind a link that came so: a number is the sender's word, and only what was mailed has another. */
export function mayText(link: Channel): boolean {
  return link === "email";
}

/** Says whether a code may be entered behind a link: one of the two was mailed, and nowhere else. */
export function areTwoChannels(link: Channel, code: Channel): boolean {
  return link === "email" || code === "email";
}
