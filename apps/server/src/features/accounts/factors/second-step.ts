import {
  failure,
  type PasskeyAssertion,
  type Problem,
  problem,
  type Result,
  type SecondStep,
  success,
} from "@paraphe/contracts";
import { Secret, TOTP } from "otpauth";
import type { Transaction } from "../../../platform/database/database.ts";
import { inTransaction } from "../../../platform/database/in-transaction.ts";
import type { Platform } from "../../../platform/platform.ts";
import { throttleKey } from "../../../platform/throttle/throttle.ts";
import type { Asker } from "../account-deps.ts";
import {
  beginTry,
  SECOND_FACTOR_LIMIT,
  secondFactorMethods,
  secondStepEnd,
} from "../domain/limits.ts";
import {
  deleteLoginStep,
  findLoginStep,
  findPasskey,
  insertLoginStep,
  loadFactors,
  loadTotpSecret,
  type LoginStep,
  selectCredentials,
  setChallenge,
  takeChallenge,
  takeRecoveryCode,
  takeTotpStep,
  usePasskey,
} from "./factor-store.ts";
import { hashToken, limitRequests, mintToken } from "../limit-requests.ts";
import { assertionOptions, drawChallenge, verifyAssertion } from "./passkeys.ts";
import { presentUser } from "../profile.ts";
import { checkOwnMeans } from "../providers/provider-login.ts";
import { forgetFailures, lockFailures, saveFailures, type SessionMeans } from "../session-store.ts";
import { type LoggedIn, openSession } from "../sessions.ts";
import { enqueueNotice, type FactorChange } from "../../notices/public.ts";
import { type Account, loadAccount } from "../store.ts";

export type StartedStep = { readonly token: string; readonly asked: SecondStep };

/** Gives null where the password is enough. */
export async function startSecondStep(
  platform: Platform,
  login: { readonly userId: string; readonly remembered: boolean },
): Promise<StartedStep | null> {
  const factors = await loadFactors(platform.db, login.userId);
  const methods = secondFactorMethods(factors);
  if (methods.length === 0) return null;
  const { token, sha256 } = mintToken(platform);
  const expiresAt = secondStepEnd(platform.clock());
  await insertLoginStep(platform.db, { ...login, sha256, challenge: null, expiresAt });
  return {
    token,
    asked: { methods: [...methods], recovery_codes_left: factors.recovery_codes.left },
  };
}

type StepTry = { readonly token: string | null; readonly asker: Asker };
type PasskeyTry = StepTry & {
  readonly credential: PasskeyAssertion;
  readonly remember_me: boolean;
  /** Set for a login at a provider. */
  readonly browser: string | null;
};

async function findStep(platform: Platform, { token }: StepTry): Promise<LoginStep | null> {
  if (token === null) return null;
  return findLoginStep(platform.db, { sha256: hashToken(token), now: platform.clock() });
}

type AccountStep = {
  readonly userId: string;
  readonly remembered: boolean;
  readonly token: string;
  readonly asker: Asker;
};

/** Finds a step opened in this browser by a right password. */
async function findAccountStep(platform: Platform, tried: StepTry): Promise<AccountStep | null> {
  const step = await findStep(platform, tried);
  const { token, asker } = tried;
  if (step === null || step.userId === null || token === null) return null;
  return { userId: step.userId, remembered: step.remembered, token, asker };
}

const EXPIRED = () => failure(problem("login_step_expired"));

export function triesKey(userId: string): string {
  return throttleKey("second-factor", userId);
}

/** Counts the try before the comparison, so that parallel tries stay within the limit. */
export async function beginCodeTry(
  platform: Platform,
  userId: string,
): Promise<Result<void, Problem>> {
  if (platform.settings.rateLimits === "off") return success(undefined);
  const now = platform.clock();
  const key = triesKey(userId);
  const waitMs = await inTransaction(platform.db, async (trx) => {
    const { waitMs, next } = beginTry(
      await lockFailures(trx, { key, now }),
      SECOND_FACTOR_LIMIT,
      now,
    );
    if (waitMs === 0) await saveFailures(trx, { key, ...next });
    return waitMs;
  });
  if (waitMs === 0) return success(undefined);
  const minutes = Math.ceil(waitMs / 60_000);
  const delay = minutes > 1 ? `${minutes} minutes` : `${minutes} minute`;
  return failure(problem("too_many_attempts", { params: { delay }, retryAfterS: waitMs / 1_000 }));
}

/** The caller took the factor in the same transaction. */
async function openStepSession(
  trx: Transaction,
  platform: Platform,
  end: AccountStep & { readonly means: SessionMeans },
): Promise<Result<LoggedIn, Problem>> {
  const now = platform.clock();
  if (!(await deleteLoginStep(trx, { sha256: hashToken(end.token), now }))) return EXPIRED();
  const tokens = await openSession(trx, platform, end);
  const account = tokens === null ? null : await loadAccount(trx, end.userId);
  if (tokens === null || account === null) return EXPIRED();
  await forgetFailures(trx, triesKey(end.userId));
  return success({ user: await presentUser(trx, account), tokens });
}

/**
 * Errors: `second_factor_wrong`, also for a code used before; `too_many_attempts` after five;
 * `login_step_expired`.
 */
export async function finishWithTotp(
  platform: Platform,
  tried: StepTry & { readonly code: string },
): Promise<Result<LoggedIn, Problem>> {
  const step = await findAccountStep(platform, tried);
  if (step === null) return EXPIRED();
  const { userId, asker } = step;
  const begun = await beginCodeTry(platform, userId);
  if (!begun.ok) return begun;
  const wrapped = await loadTotpSecret(platform.db, userId);
  const found =
    wrapped === null
      ? null
      : findTotpStep(openTotpSecret(platform, { userId, wrapped }), tried.code, platform.clock());
  const ended = await inTransaction<Result<LoggedIn, Problem>>(platform.db, async (trx) =>
    found !== null && (await takeTotpStep(trx, { userId, step: found }))
      ? openStepSession(trx, platform, { ...step, means: "password_totp" })
      : failure(problem("second_factor_wrong")),
  );
  logStep(platform, { userId, asker, method: "totp", refused: !ended.ok });
  return ended;
}

export async function notifyOwner(
  trx: Transaction,
  platform: Platform,
  { account, change }: { readonly account: Account; readonly change: FactorChange },
): Promise<void> {
  await enqueueNotice(trx, platform, {
    kind: "factors_changed",
    channel: "email",
    dedupeKey: `factors_changed:${platform.newId()}`,
    // No name: whoever registered may not own the address.
    to: { fullName: "", address: account.email },
    userId: account.id,
    content: {
      change,
      changedAt: platform.clock().toISOString(),
      resetLink: `${platform.settings.publicUrl}/password-reset`,
    },
  });
  platform.log.info({ userId: account.id, change }, "second factors changed");
}

/**
 * Uses the code up, and says how many are left.
 * Errors: `recovery_code_wrong`, also for a used one; `too_many_attempts` after five;
 * `login_step_expired`.
 */
export async function finishWithRecoveryCode(
  platform: Platform,
  tried: StepTry & { readonly code: string },
): Promise<Result<LoggedIn & { readonly left: number }, Problem>> {
  const step = await findAccountStep(platform, tried);
  if (step === null) return EXPIRED();
  const { userId, asker } = step;
  const begun = await beginCodeTry(platform, userId);
  if (!begun.ok) return begun;
  const hmac = hashRecoveryCode(platform, { userId, code: tried.code });
  const ended = await inTransaction<Result<LoggedIn, Problem>>(platform.db, async (trx) => {
    const isTaken = await takeRecoveryCode(trx, { userId, hmac, now: platform.clock() });
    if (!isTaken) return failure(problem("recovery_code_wrong"));
    const account = await loadAccount(trx, userId);
    if (account) await notifyOwner(trx, platform, { account, change: "code_used" });
    return openStepSession(trx, platform, { ...step, means: "recovery_code" });
  });
  logStep(platform, { userId, asker, method: "recovery code", refused: !ended.ok });
  if (!ended.ok) return ended;
  const { recovery_codes } = await loadFactors(platform.db, userId);
  return success({ ...ended.value, left: recovery_codes.left });
}

/** Pages ask at each visit and after each try. */
const CHALLENGES_PER_HOUR = 600;

type StartedPasskey = {
  /** Null: the browser already has it. */
  readonly token: string | null;
  readonly options: { readonly challenge: string };
};

/**
 * Serves the second step, or a login that starts with the passkey.
 * Errors: `too_many_requests` beyond a network's hourly number; `login_step_expired`.
 */
export async function startPasskey(
  platform: Platform,
  tried: StepTry & { readonly after_password: boolean },
): Promise<Result<StartedPasskey, Problem>> {
  const limit = { kind: "passkey-challenge", ip: tried.asker.ip, perHour: CHALLENGES_PER_HOUR };
  const limited = await limitRequests(platform, limit);
  if (!limited.ok) return limited;
  const challenge = drawChallenge(platform);
  const step = await findStep(platform, tried);
  const userId = step?.userId ?? null;
  if (tried.after_password && userId === null) return EXPIRED();
  const allowed = userId === null ? [] : await selectCredentials(platform.db, userId);
  const options = await assertionOptions(platform, { challenge, allowed });
  if (step !== null && tried.token !== null) {
    await setChallenge(platform.db, { sha256: hashToken(tried.token), challenge });
    return success({ token: null, options });
  }
  const { token, sha256 } = mintToken(platform);
  const expiresAt = secondStepEnd(platform.clock());
  await insertLoginStep(platform.db, {
    sha256,
    userId: null,
    remembered: false,
    challenge,
    expiresAt,
  });
  return success({ token, options });
}

/**
 * The passkey also replaces the password.
 * Errors: `passkey_refused`, for an unknown key, another's, or a wrong signature alike;
 * `login_step_expired` without a challenge, which any try uses up; `provider_required`.
 */
export async function finishWithPasskey(
  platform: Platform,
  tried: PasskeyTry,
): Promise<Result<LoggedIn, Problem>> {
  const { token, asker, credential } = tried;
  const now = platform.clock();
  const step =
    token === null ? null : await takeChallenge(platform.db, { sha256: hashToken(token), now });
  if (step === null || token === null) return EXPIRED();
  const passkey = await findPasskey(platform.db, credential.id);
  if (passkey === null || (step.userId !== null && step.userId !== passkey.userId)) {
    logStep(platform, { userId: step.userId, asker, method: "passkey", refused: true });
    return failure(problem("passkey_refused"));
  }
  const { userId } = passkey;
  const verified = await verifyAssertion(platform, {
    credential,
    challenge: step.challenge,
    passkey,
  });
  const remembered = step.userId === null ? tried.remember_me : step.remembered;
  const allowed = verified.ok ? await checkPasskey(platform, userId, tried.browser) : verified;
  const ended =
    !verified.ok || !allowed.ok
      ? failure(allowed.ok ? problem("passkey_refused") : allowed.error)
      : await inTransaction<Result<LoggedIn, Problem>>(platform.db, async (trx) =>
          (await usePasskey(trx, {
            id: passkey.id,
            from: passkey.counter,
            to: verified.value,
            now,
          }))
            ? openStepSession(trx, platform, { userId, remembered, token, asker, means: "passkey" })
            : failure(problem("passkey_refused")),
        );
  logStep(platform, { userId, asker, method: "passkey", refused: !ended.ok });
  return ended;
}

async function checkPasskey(
  platform: Platform,
  userId: string,
  browser: string | null,
): Promise<Result<null>> {
  const account = await loadAccount(platform.db, userId);
  return account === null
    ? failure(problem("passkey_refused"))
    : checkOwnMeans(platform, { account, means: "passkey", browser });
}

function logStep(
  { log }: Platform,
  step: {
    readonly userId: string | null;
    readonly asker: Asker;
    readonly method: string;
    readonly refused: boolean;
  },
): void {
  const { userId, method, asker } = step;
  log.info({ userId, method, ip: asker.ip }, step.refused ? "second factor refused" : "login");
}

/** Bound to its owner: copied to another account it opens nothing. */
export function wrapTotpSecret(
  { secrets }: Pick<Platform, "secrets">,
  totp: { readonly userId: string; readonly secret: Uint8Array },
): Uint8Array {
  return secrets.wrap(totp.secret, `totp ${totp.userId}`);
}

export function openTotpSecret(
  { secrets }: Pick<Platform, "secrets">,
  totp: { readonly userId: string; readonly wrapped: Uint8Array },
): Uint8Array {
  return secrets.unwrap(totp.wrapped, `totp ${totp.userId}`);
}

/** Keyed, as a reader of the database could enumerate 40 bits. */
export function hashRecoveryCode(
  { secrets }: Pick<Platform, "secrets">,
  code: { readonly userId: string; readonly code: string },
): Uint8Array {
  return secrets.hmac("recovery-code", Buffer.from(`${code.userId}:${code.code}`));
}

/** RFC 4226 §4, R6: 160 bits. */
const SECRET_LENGTH = 20;
const PERIOD_S = 30;
/** A phone's clock is rarely right (RFC 6238 §5.2). */
const WINDOW = 1;
const ISSUER = "Paraphe";

export function drawTotpSecret(platform: Pick<Platform, "random">): Uint8Array {
  return platform.random(SECRET_LENGTH);
}

export function presentTotpSecret(
  secret: Uint8Array,
  label: string,
): { readonly secret: string; readonly uri: string } {
  const totp = totpOf(secret, label);
  return { secret: totp.secret.base32, uri: totp.toString() };
}

/**
 * Gives the step of the code, or null. A caller accepts a step once.
 * Source: RFC 6238 §4.2 and §5.2.
 */
export function findTotpStep(secret: Uint8Array, code: string, now: Date): number | null {
  const timestamp = now.getTime();
  const delta = totpOf(secret, "").validate({ token: code, timestamp, window: WINDOW });
  return delta === null ? null : Math.floor(timestamp / (PERIOD_S * 1_000)) + delta;
}

function totpOf(secret: Uint8Array, label: string): TOTP {
  return new TOTP({
    issuer: ISSUER,
    label,
    algorithm: "SHA1",
    digits: 6,
    period: PERIOD_S,
    secret: new Secret({ buffer: new Uint8Array(secret).buffer }),
  });
}
