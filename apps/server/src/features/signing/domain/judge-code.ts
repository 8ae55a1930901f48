import { OTP_TRIES_PER_CODE, OTP_WRONG_TRIES_PER_LINK, type Problem, problem } from "@paraphe/contracts";
import { type CodeEntrance, locked } from "./decide-code-request.ts";

/** The last code sent to this person, live or not. */
export type SentCode = {
  readonly expiresAt: Date;
  readonly usedAt: Date | null;
  readonly killedAt: Date | null;
  readonly wrongTries: number;
};

/** `matches`: the typed code has the keyed hash of `latest`. `entranceWrongTries`: wrong codes since the sender's last reminder, or for the account's address. */
export type CodeAttempt = {
  readonly entrance: CodeEntrance;
  readonly latest: SentCode | null;
  readonly matches: boolean;
  readonly entranceWrongTries: number;
  readonly now: Date;
};

export type CodeVerdict =
  | { readonly kind: "verified" }
  | { readonly kind: "wrong"; readonly kills: boolean; readonly problem: Problem }
  | { readonly kind: "frozen"; readonly problem: Problem };

/**
 * Judges one typed code. Wrong, expired, used and never sent get the same answer, counted down in the same way,
 * so that nobody learns whether a code is live (security line 38).
 */
export function judgeCode(attempt: CodeAttempt): CodeVerdict {
  if (attempt.entranceWrongTries >= OTP_WRONG_TRIES_PER_LINK) return { kind: "frozen", problem: locked(attempt.entrance) };
  if (attempt.latest !== null && isLive(attempt.latest, attempt.now) && attempt.matches) return { kind: "verified" };
  const wrongTries = (attempt.latest?.wrongTries ?? attempt.entranceWrongTries) + 1;
  const attemptsLeft = Math.max(0, OTP_TRIES_PER_CODE - wrongTries);
  return { kind: "wrong", kills: attemptsLeft === 0, problem: wrongCode(attemptsLeft) };
}

function isLive(code: SentCode, now: Date): boolean {
  return code.usedAt === null && code.killedAt === null && code.expiresAt > now && code.wrongTries < OTP_TRIES_PER_CODE;
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
