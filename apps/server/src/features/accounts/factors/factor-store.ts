import type { FactorList } from "@paraphe/contracts";
import type { Reader, Transaction } from "../../../platform/database/database.ts";
import type { ConfirmedBy } from "../session-store.ts";

export async function loadFactors(reader: Reader, userId: string): Promise<FactorList> {
  const passkeys = await reader
    .selectFrom("passkeys")
    .select(["id", "name", "created_at", "last_used_at"])
    .where("user_id", "=", userId)
    .orderBy("id")
    .execute();
  const totp = await reader
    .selectFrom("totp_factors")
    .select("created_at")
    .where("user_id", "=", userId)
    .executeTakeFirst();
  const codes = await reader
    .selectFrom("recovery_codes")
    .select("used_at")
    .where("user_id", "=", userId)
    .execute();
  return {
    passkeys: passkeys.map((passkey) => ({
      id: passkey.id,
      name: passkey.name,
      created_at: passkey.created_at.toISOString(),
      last_used_at: passkey.last_used_at?.toISOString() ?? null,
    })),
    totp: totp === undefined ? null : { created_at: totp.created_at.toISOString() },
    recovery_codes: {
      left: codes.filter((code) => code.used_at === null).length,
      total: codes.length,
    },
  };
}

export type PasskeyKey = {
  readonly id: string;
  readonly userId: string;
  readonly credentialId: string;
  readonly publicKey: Uint8Array;
  readonly counter: number;
  readonly transports: readonly string[];
};

export async function selectCredentials(
  reader: Reader,
  userId: string,
): Promise<readonly Pick<PasskeyKey, "credentialId" | "transports">[]> {
  const rows = await reader
    .selectFrom("passkeys")
    .select(["credential_id", "transports"])
    .where("user_id", "=", userId)
    .orderBy("id")
    .execute();
  return rows.map((row) => ({ credentialId: row.credential_id, transports: row.transports }));
}

export async function findPasskey(
  reader: Reader,
  credentialId: string,
): Promise<PasskeyKey | null> {
  const row = await reader
    .selectFrom("passkeys")
    .select(["id", "user_id", "credential_id", "public_key", "counter", "transports"])
    .where("credential_id", "=", credentialId)
    .executeTakeFirst();
  if (row === undefined) return null;
  return {
    id: row.id,
    userId: row.user_id,
    credentialId: row.credential_id,
    publicKey: row.public_key,
    counter: row.counter,
    transports: row.transports,
  };
}

/** Gives false when the credential already has an account. */
export async function insertPasskey(
  trx: Transaction,
  passkey: PasskeyKey & { readonly name: string; readonly now: Date },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto("passkeys")
    .values({
      id: passkey.id,
      user_id: passkey.userId,
      credential_id: passkey.credentialId,
      public_key: passkey.publicKey,
      counter: passkey.counter,
      transports: [...passkey.transports],
      name: passkey.name,
      created_at: passkey.now,
    })
    .onConflict((conflict) => conflict.column("credential_id").doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** Gives false when another use moved the counter, or the passkey is gone. */
export async function usePasskey(
  trx: Transaction,
  use: { readonly id: string; readonly from: number; readonly to: number; readonly now: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable("passkeys")
    .set({ counter: use.to, last_used_at: use.now })
    .where("id", "=", use.id)
    .where("counter", "=", use.from)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Gives its name; null unless it is this account's. */
export async function deletePasskey(
  trx: Transaction,
  which: { readonly userId: string; readonly id: string },
): Promise<string | null> {
  const row = await trx
    .deleteFrom("passkeys")
    .where("id", "=", which.id)
    .where("user_id", "=", which.userId)
    .returning("name")
    .executeTakeFirst();
  return row?.name ?? null;
}

export async function loadTotpSecret(reader: Reader, userId: string): Promise<Uint8Array | null> {
  const row = await reader
    .selectFrom("totp_factors")
    .select("secret_wrapped")
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return row?.secret_wrapped ?? null;
}

export async function putTotp(
  trx: Transaction,
  totp: {
    readonly userId: string;
    readonly wrapped: Uint8Array;
    readonly step: number;
    readonly now: Date;
  },
): Promise<void> {
  const values = { secret_wrapped: totp.wrapped, last_step: totp.step, created_at: totp.now };
  await trx
    .insertInto("totp_factors")
    .values({ user_id: totp.userId, ...values })
    .onConflict((conflict) => conflict.column("user_id").doUpdateSet(values))
    .execute();
}

/** Gives false when this step or a later one was used. */
export async function takeTotpStep(
  trx: Transaction,
  use: { readonly userId: string; readonly step: number },
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable("totp_factors")
    .set({ last_step: use.step })
    .where("user_id", "=", use.userId)
    .where("last_step", "<", use.step)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function deleteTotp(trx: Transaction, userId: string): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom("totp_factors")
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}

export async function putRecoveryCodes(
  trx: Transaction,
  codes: { readonly userId: string; readonly hmacs: readonly Uint8Array[] },
): Promise<void> {
  await deleteRecoveryCodes(trx, codes.userId);
  await trx
    .insertInto("recovery_codes")
    .values(codes.hmacs.map((hmac) => ({ user_id: codes.userId, code_hmac: hmac })))
    .execute();
}

/** Gives false for a wrong code, or one used, also in parallel. */
export async function takeRecoveryCode(
  trx: Transaction,
  use: { readonly userId: string; readonly hmac: Uint8Array; readonly now: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable("recovery_codes")
    .set({ used_at: use.now })
    .where("user_id", "=", use.userId)
    .where("code_hmac", "=", use.hmac)
    .where("used_at", "is", null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function deleteRecoveryCodes(trx: Transaction, userId: string): Promise<void> {
  await trx.deleteFrom("recovery_codes").where("user_id", "=", userId).execute();
}

export async function deleteFactors(trx: Transaction, userId: string): Promise<void> {
  for (const table of ["passkeys", "totp_factors", "recovery_codes", "login_steps"] as const)
    await trx.deleteFrom(table).where("user_id", "=", userId).execute();
}

type SetupKind = "passkey" | "totp" | "confirmation";

export async function putFactorSetup(
  reader: Reader,
  setup: {
    readonly sessionId: string;
    readonly kind: SetupKind;
    readonly secret: Uint8Array;
    readonly expiresAt: Date;
  },
): Promise<void> {
  const values = { secret: setup.secret, expires_at: setup.expiresAt };
  await reader
    .insertInto("factor_setups")
    .values({ session_id: setup.sessionId, kind: setup.kind, ...values })
    .onConflict((conflict) => conflict.columns(["session_id", "kind"]).doUpdateSet(values))
    .execute();
}

export async function loadFactorSetup(
  reader: Reader,
  which: { readonly sessionId: string; readonly kind: SetupKind; readonly now: Date },
): Promise<Uint8Array | null> {
  const row = await reader
    .selectFrom("factor_setups")
    .select("secret")
    .where("session_id", "=", which.sessionId)
    .where("kind", "=", which.kind)
    .where("expires_at", ">", which.now)
    .executeTakeFirst();
  return row?.secret ?? null;
}

/** Serves once; null when none or expired. */
export async function takeFactorSetup(
  reader: Reader,
  which: { readonly sessionId: string; readonly kind: SetupKind; readonly now: Date },
): Promise<Uint8Array | null> {
  const row = await reader
    .deleteFrom("factor_setups")
    .where("session_id", "=", which.sessionId)
    .where("kind", "=", which.kind)
    .returning(["secret", "expires_at"])
    .executeTakeFirst();
  return row === undefined || row.expires_at <= which.now ? null : row.secret;
}

export type LoginStep = {
  readonly userId: string | null;
  readonly remembered: boolean;
};

export async function insertLoginStep(
  reader: Reader,
  step: LoginStep & {
    readonly sha256: Uint8Array;
    readonly challenge: Uint8Array | null;
    readonly expiresAt: Date;
  },
): Promise<void> {
  await reader
    .insertInto("login_steps")
    .values({
      token_sha256: step.sha256,
      user_id: step.userId,
      remembered: step.remembered,
      challenge: step.challenge,
      expires_at: step.expiresAt,
    })
    .execute();
}

export async function findLoginStep(
  reader: Reader,
  which: { readonly sha256: Uint8Array; readonly now: Date },
): Promise<LoginStep | null> {
  const row = await reader
    .selectFrom("login_steps")
    .select(["user_id", "remembered"])
    .where("token_sha256", "=", which.sha256)
    .where("expires_at", ">", which.now)
    .executeTakeFirst();
  return row === undefined ? null : { userId: row.user_id, remembered: row.remembered };
}

export async function setChallenge(
  reader: Reader,
  step: { readonly sha256: Uint8Array; readonly challenge: Uint8Array },
): Promise<void> {
  await reader
    .updateTable("login_steps")
    .set({ challenge: step.challenge })
    .where("token_sha256", "=", step.sha256)
    .execute();
}

/** Takes the challenge from other tries; null without one. */
export async function takeChallenge(
  reader: Reader,
  which: { readonly sha256: Uint8Array; readonly now: Date },
): Promise<(LoginStep & { readonly challenge: Uint8Array }) | null> {
  const row = await reader
    .with("known", (query) =>
      query
        .selectFrom("login_steps")
        .select(["token_sha256", "challenge"])
        .where("token_sha256", "=", which.sha256)
        .where("expires_at", ">", which.now)
        .where("challenge", "is not", null)
        .forUpdate(),
    )
    .updateTable("login_steps")
    .from("known")
    .set({ challenge: null })
    .whereRef("login_steps.token_sha256", "=", "known.token_sha256")
    .returning(["login_steps.user_id", "login_steps.remembered", "known.challenge as challenge"])
    .executeTakeFirst();
  if (row === undefined || row.challenge === null) return null;
  return { userId: row.user_id, remembered: row.remembered, challenge: row.challenge };
}

/** Gives false when another try ended it. */
export async function deleteLoginStep(
  trx: Transaction,
  which: { readonly sha256: Uint8Array; readonly now: Date },
): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom("login_steps")
    .where("token_sha256", "=", which.sha256)
    .where("expires_at", ">", which.now)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}

export async function deleteLoginStepsOf(trx: Transaction, userId: string): Promise<void> {
  await trx.deleteFrom("login_steps").where("user_id", "=", userId).execute();
}

export async function deleteEndedSteps(reader: Reader, before: Date): Promise<void> {
  await reader.deleteFrom("login_steps").where("expires_at", "<", before).execute();
  await reader.deleteFrom("factor_setups").where("expires_at", "<", before).execute();
}

export async function storeConfirmation(
  trx: Transaction,
  stored: { readonly sessionId: string; readonly by: ConfirmedBy; readonly at: Date },
): Promise<void> {
  await trx
    .updateTable("sessions")
    .set({ confirmed_by: stored.by, confirmed_at: stored.at })
    .where("id", "=", stored.sessionId)
    .execute();
}

export async function takeConfirmation(
  trx: Transaction,
  which: { readonly sessionId: string; readonly after: Date },
): Promise<ConfirmedBy | null> {
  const row = await trx
    .selectFrom("sessions")
    .select("confirmed_by")
    .where("id", "=", which.sessionId)
    .where("confirmed_at", ">", which.after)
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined || row.confirmed_by === null) return null;
  await trx
    .updateTable("sessions")
    .set({ confirmed_by: null, confirmed_at: null })
    .where("id", "=", which.sessionId)
    .execute();
  return row.confirmed_by as ConfirmedBy;
}
