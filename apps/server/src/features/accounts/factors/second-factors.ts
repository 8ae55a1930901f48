import {
  type FactorList,
  failure,
  MAX_PASSKEYS,
  type NewPasskey,
  type Problem,
  problem,
  type Result,
  success,
  type TotpSetup,
} from "@paraphe/contracts";
import type { Reader, Transaction } from "../../../platform/database/database.ts";
import { inTransaction } from "../../../platform/database/in-transaction.ts";
import type { Platform } from "../../../platform/platform.ts";
import type { FactorChange } from "../../notices/public.ts";
import { lockOrganisation, noteEvent, selectHost, selectRole } from "../../organisations/public.ts";
import {
  drawRecoveryCodes,
  isFreshSignIn,
  presentRecoveryCode,
  secondFactorMethods,
  secondStepEnd,
} from "../domain/limits.ts";
import { textKey } from "../domain/names.ts";
import {
  deleteFactors,
  deletePasskey,
  deleteRecoveryCodes,
  deleteTotp,
  insertPasskey,
  loadFactors,
  loadFactorSetup,
  putFactorSetup,
  putRecoveryCodes,
  putTotp,
  selectCredentials,
  takeFactorSetup,
} from "./factor-store.ts";
import { creationOptions, drawChallenge, verifyNewPasskey } from "./passkeys.ts";
import {
  hashRecoveryCode,
  notifyOwner,
  openTotpSecret,
  wrapTotpSecret,
  drawTotpSecret,
  findTotpStep,
  presentTotpSecret,
} from "./second-step.ts";
import { loadSignIn } from "../session-store.ts";
import type { SessionUser } from "../sessions.ts";
import { findLoginCandidates, lockAccount } from "../store.ts";

/** Errors: `fresh_sign_in_required` ten minutes after the sign-in. */
export async function requireFreshSignIn(
  platform: Pick<Platform, "clock"> & { readonly db: Reader },
  user: SessionUser,
): Promise<Result<void, Problem>> {
  const signedInAt = await loadSignIn(platform.db, user.session_id);
  return signedInAt !== null && isFreshSignIn(signedInAt, platform.clock())
    ? success(undefined)
    : failure(problem("fresh_sign_in_required"));
}

export function listFactors(platform: Platform, user: SessionUser): Promise<FactorList> {
  return loadFactors(platform.db, user.id);
}

async function changeFactors<T>(
  platform: Platform,
  user: Pick<SessionUser, "id">,
  change: FactorChange,
  commit: (trx: Transaction) => Promise<Result<T, Problem>>,
): Promise<Result<T, Problem>> {
  return inTransaction<Result<T, Problem>>(platform.db, async (trx) => {
    const account = await lockAccount(trx, user.id);
    if (account === null || account.deactivatedAt !== null)
      return failure(problem("session_expired"));
    const done = await commit(trx);
    if (done.ok) await notifyOwner(trx, platform, { account, change });
    return done;
  });
}

async function firstRecoveryCodes(
  trx: Transaction,
  platform: Platform,
  userId: string,
): Promise<readonly string[]> {
  const { recovery_codes } = await loadFactors(trx, userId);
  return recovery_codes.total === 0 ? newRecoveryCodes(trx, platform, userId) : [];
}

async function newRecoveryCodes(
  trx: Transaction,
  platform: Platform,
  userId: string,
): Promise<readonly string[]> {
  const codes = drawRecoveryCodes(platform.random);
  const hmacs = codes.map((code) => hashRecoveryCode(platform, { userId, code }));
  await putRecoveryCodes(trx, { userId, hmacs });
  return codes.map(presentRecoveryCode);
}

/**
 * The secret becomes a factor once a code made with it comes back. Errors:
 * `fresh_sign_in_required`.
 */
export async function startTotp(
  platform: Platform,
  user: SessionUser,
): Promise<Result<TotpSetup, Problem>> {
  const fresh = await requireFreshSignIn(platform, user);
  if (!fresh.ok) return fresh;
  const secret = drawTotpSecret(platform);
  await putFactorSetup(platform.db, {
    sessionId: user.session_id,
    kind: "totp",
    secret: wrapTotpSecret(platform, { userId: user.id, secret }),
    expiresAt: secondStepEnd(platform.clock()),
  });
  return success(presentTotpSecret(secret, user.username));
}

/**
 * Replaces another application. Gives the recovery codes of a first factor.
 * Errors: `second_factor_wrong`, after which the secret still works; `factor_setup_expired`.
 */
export async function activateTotp(
  platform: Platform,
  tried: { readonly user: SessionUser; readonly code: string },
): Promise<Result<readonly string[], Problem>> {
  const { user, code } = tried;
  const now = platform.clock();
  const setup = { sessionId: user.session_id, kind: "totp", now } as const;
  return changeFactors(platform, user, "totp_added", async (trx) => {
    const wrapped = await loadFactorSetup(trx, setup);
    if (wrapped === null) return failure(problem("factor_setup_expired"));
    const secret = openTotpSecret(platform, { userId: user.id, wrapped });
    const step = findTotpStep(secret, code, now);
    if (step === null) return failure(problem("second_factor_wrong"));
    await takeFactorSetup(trx, setup);
    await putTotp(trx, { userId: user.id, wrapped, step, now });
    return success(await firstRecoveryCodes(trx, platform, user.id));
  });
}

/** Errors: `fresh_sign_in_required`; `too_many_passkeys`. */
export async function startNewPasskey(
  platform: Platform,
  user: SessionUser,
): Promise<Result<{ readonly challenge: string }, Problem>> {
  const fresh = await requireFreshSignIn(platform, user);
  if (!fresh.ok) return fresh;
  const known = await selectCredentials(platform.db, user.id);
  if (known.length >= MAX_PASSKEYS) return failure(problem("too_many_passkeys"));
  const challenge = drawChallenge(platform);
  await putFactorSetup(platform.db, {
    sessionId: user.session_id,
    kind: "passkey",
    secret: challenge,
    expiresAt: secondStepEnd(platform.clock()),
  });
  return success(
    await creationOptions(platform, { userId: user.id, username: user.username, challenge, known }),
  );
}

/**
 * Gives the recovery codes of a first factor.
 * Errors: `passkey_refused`, `passkey_known`, `too_many_passkeys`; `factor_setup_expired` without a
 * challenge; any try uses it up.
 */
export async function addPasskey(
  platform: Platform,
  added: { readonly user: SessionUser; readonly name: string; readonly credential: NewPasskey },
): Promise<Result<readonly string[], Problem>> {
  const { user, name, credential } = added;
  const now = platform.clock();
  const setup = { sessionId: user.session_id, kind: "passkey", now } as const;
  const challenge = await takeFactorSetup(platform.db, setup);
  if (challenge === null) return failure(problem("factor_setup_expired"));
  const verified = await verifyNewPasskey(platform, { credential, challenge });
  if (!verified.ok) return verified;
  return changeFactors(platform, user, "passkey_added", async (trx) => {
    if ((await selectCredentials(trx, user.id)).length >= MAX_PASSKEYS)
      return failure(problem("too_many_passkeys"));
    const passkey = { ...verified.value, id: platform.newId(), userId: user.id, name, now };
    if (!(await insertPasskey(trx, passkey))) return failure(problem("passkey_known"));
    return success(await firstRecoveryCodes(trx, platform, user.id));
  });
}

/** Errors: `fresh_sign_in_required`; `not_found`. */
export async function removePasskey(
  platform: Platform,
  removed: { readonly user: SessionUser; readonly id: string },
): Promise<Result<void, Problem>> {
  const { user, id } = removed;
  return removeFactor(platform, user, "passkey_removed", async (trx) =>
    Boolean(await deletePasskey(trx, { userId: user.id, id })),
  );
}

/** Errors: `fresh_sign_in_required`; `not_found`. */
export async function removeTotp(
  platform: Platform,
  user: SessionUser,
): Promise<Result<void, Problem>> {
  return removeFactor(platform, user, "totp_removed", (trx) => deleteTotp(trx, user.id));
}

/**
 * Every removal goes through here. Recovery codes go with the last factor.
 * Errors: `last_factor` where the organisation requires one.
 */
async function removeFactor(
  platform: Platform,
  user: SessionUser,
  change: FactorChange,
  remove: (trx: Transaction) => Promise<boolean>,
): Promise<Result<void, Problem>> {
  const fresh = await requireFreshSignIn(platform, user);
  if (!fresh.ok) return fresh;
  return changeFactors(platform, user, change, async (trx) => {
    const { passkeys, totp } = await loadFactors(trx, user.id);
    const isLast = passkeys.length + (totp === null ? 0 : 1) === 1;
    if (isLast && (await isFactorAsked(trx, user.id))) return failure(problem("last_factor"));
    if (!(await remove(trx))) return failure(problem("not_found"));
    if (isLast) await deleteRecoveryCodes(trx, user.id);
    return success(undefined);
  });
}

async function isFactorAsked(trx: Transaction, userId: string): Promise<boolean> {
  const by = (await selectHost(trx))?.access.secondFactorBy ?? null;
  return by !== null && (await selectRole(trx, userId)) !== null;
}

/**
 * Removes every factor of an activated account, found by username or address, whose owner lost them
 * and the codes. Gives false when there is none.
 */
export async function resetFactors(platform: Platform, name: string): Promise<boolean> {
  const [account] = await findLoginCandidates(platform.db, { key: textKey(name), waiting: 1 });
  if (account === null || account.activatedAt === null) return false;
  return inTransaction(platform.db, async (trx) => {
    // Lock order: the organisation before the account.
    await lockOrganisation(trx, platform);
    const locked = await lockAccount(trx, account.id);
    if (locked === null || locked.deactivatedAt !== null) return false;
    await deleteFactors(trx, locked.id);
    if ((await selectRole(trx, locked.id)) !== null)
      await noteEvent(trx, platform, {
        kind: "factors_reset",
        actorId: null,
        subjectId: locked.id,
      });
    await notifyOwner(trx, platform, { account: locked, change: "factors_reset" });
    return true;
  });
}

/** Errors: `fresh_sign_in_required`; `not_found` without a factor. */
export async function renewRecoveryCodes(
  platform: Platform,
  user: SessionUser,
): Promise<Result<readonly string[], Problem>> {
  const fresh = await requireFreshSignIn(platform, user);
  if (!fresh.ok) return fresh;
  return changeFactors(platform, user, "codes_renewed", async (trx) => {
    if (secondFactorMethods(await loadFactors(trx, user.id)).length === 0)
      return failure(problem("not_found"));
    return success(await newRecoveryCodes(trx, platform, user.id));
  });
}
