import {
  CONFIRMATION_S,
  type ConfirmationRequest,
  failure,
  type Problem,
  problem,
  type Result,
  success,
} from "@paraphe/contracts";
import type { Transaction } from "../../../platform/database/database.ts";
import { inTransaction } from "../../../platform/database/in-transaction.ts";
import type { Platform } from "../../../platform/platform.ts";
import { secondFactorMethods, secondStepEnd } from "../domain/limits.ts";
import { type ConfirmedBy, confirmsSignatures, forgetFailures } from "../session-store.ts";
import type { SessionUser } from "../sessions.ts";
import {
  findPasskey,
  loadFactors,
  loadTotpSecret,
  putFactorSetup,
  selectCredentials,
  storeConfirmation,
  takeConfirmation,
  takeFactorSetup,
  takeTotpStep,
  usePasskey,
} from "./factor-store.ts";
import { assertionOptions, drawChallenge, verifyAssertion } from "./passkeys.ts";
import { beginCodeTry, openTotpSecret, triesKey } from "./second-step.ts";
import { findTotpStep } from "./second-step.ts";

/**
 * Gives the signer, once a factor is shown again where the organisation asks. A provider's session
 * without own factors passes: the provider asked.
 * Errors: `confirmation_required`, with the ways; `factor_required` without any.
 */
export async function confirmSigner(
  platform: Platform,
  user: SessionUser,
): Promise<Result<SessionUser>> {
  const { db } = platform;
  if (!(await confirmsSignatures(db, user.id))) return success(user);
  const methods = secondFactorMethods(await loadFactors(db, user.id)).filter(
    (method) => method !== "recovery_code",
  );
  if (methods.length === 0)
    return user.means === "provider" ? success(user) : failure(problem("factor_required"));
  const after = new Date(platform.clock().getTime() - CONFIRMATION_S * 1_000);
  const taken = await inTransaction(db, (trx) =>
    takeConfirmation(trx, { sessionId: user.session_id, after }),
  );
  return taken === null
    ? failure(problem("confirmation_required", { extensions: { methods } }))
    : success({ ...user, confirmed_by: taken });
}

/** Draws the challenge for a passkey of this account. */
export async function startConfirmation(
  platform: Platform,
  user: SessionUser,
): Promise<{ readonly challenge: string }> {
  const challenge = drawChallenge(platform);
  await putFactorSetup(platform.db, {
    sessionId: user.session_id,
    kind: "confirmation",
    secret: challenge,
    expiresAt: secondStepEnd(platform.clock()),
  });
  const allowed = await selectCredentials(platform.db, user.id);
  return assertionOptions(platform, { challenge, allowed });
}

/**
 * Confirms the next signature of this session.
 * Errors: `second_factor_wrong` and `too_many_attempts` for a code; `passkey_refused`, also without
 * a challenge; any try uses it up.
 */
export function confirm(
  platform: Platform,
  { user, request }: { readonly user: SessionUser; readonly request: ConfirmationRequest },
): Promise<Result<void, Problem>> {
  return "code" in request
    ? confirmWithCode(platform, user, request.code)
    : confirmWithPasskey(platform, user, request.credential);
}

async function confirmWithCode(
  platform: Platform,
  user: SessionUser,
  code: string,
): Promise<Result<void, Problem>> {
  const { id: userId } = user;
  const begun = await beginCodeTry(platform, userId);
  if (!begun.ok) return begun;
  const wrapped = await loadTotpSecret(platform.db, userId);
  const step =
    wrapped === null
      ? null
      : findTotpStep(openTotpSecret(platform, { userId, wrapped }), code, platform.clock());
  return commitConfirmation(platform, user, {
    by: "totp",
    refusal: "second_factor_wrong",
    use: async (trx) => step !== null && (await takeTotpStep(trx, { userId, step })),
  });
}

async function confirmWithPasskey(
  platform: Platform,
  user: SessionUser,
  credential: Extract<ConfirmationRequest, { credential: unknown }>["credential"],
): Promise<Result<void, Problem>> {
  const now = platform.clock();
  const setup = { sessionId: user.session_id, kind: "confirmation", now } as const;
  const challenge = await takeFactorSetup(platform.db, setup);
  const passkey = await findPasskey(platform.db, credential.id);
  if (challenge === null || passkey?.userId !== user.id) return failure(problem("passkey_refused"));
  const verified = await verifyAssertion(platform, { credential, challenge, passkey });
  if (!verified.ok) return verified;
  const { id, counter: from } = passkey;
  return commitConfirmation(platform, user, {
    by: "passkey",
    refusal: "passkey_refused",
    use: (trx) => usePasskey(trx, { id, from, to: verified.value, now }),
  });
}

type Commit = {
  readonly by: ConfirmedBy;
  readonly refusal: "second_factor_wrong" | "passkey_refused";
  readonly use: (trx: Transaction) => Promise<boolean>;
};

function commitConfirmation(
  platform: Platform,
  user: SessionUser,
  { by, refusal, use }: Commit,
): Promise<Result<void, Problem>> {
  return inTransaction<Result<void, Problem>>(platform.db, async (trx) => {
    if (!(await use(trx))) return failure(problem(refusal));
    await storeConfirmation(trx, { sessionId: user.session_id, by, at: platform.clock() });
    await forgetFailures(trx, triesKey(user.id));
    return success(undefined);
  });
}
