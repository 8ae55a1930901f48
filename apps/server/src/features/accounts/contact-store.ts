import type { Reader, Transaction } from "../../platform/database/database.ts";

export type PhoneCode = {
  readonly id: string;
  readonly phoneNumber: string;
  readonly codeHmac: Uint8Array;
  readonly wrongTries: number;
  readonly createdAt: Date;
  readonly expiresAt: Date;
};

export async function putPhoneCode(
  trx: Transaction,
  code: Omit<PhoneCode, "wrongTries"> & { readonly userId: string },
): Promise<void> {
  const values = {
    id: code.id,
    phone_number: code.phoneNumber,
    code_hmac: code.codeHmac,
    wrong_tries: 0,
    created_at: code.createdAt,
    expires_at: code.expiresAt,
  };
  await trx
    .insertInto("phone_codes")
    .values({ user_id: code.userId, ...values })
    .onConflict((conflict) => conflict.column("user_id").doUpdateSet(values))
    .execute();
}

export async function loadPhoneCode(reader: Reader, userId: string): Promise<PhoneCode | null> {
  const row = await reader
    .selectFrom("phone_codes")
    .select(["id", "phone_number", "code_hmac", "wrong_tries", "created_at", "expires_at"])
    .where("user_id", "=", userId)
    .executeTakeFirst();
  if (row === undefined) return null;
  return {
    id: row.id,
    phoneNumber: row.phone_number,
    codeHmac: row.code_hmac,
    wrongTries: row.wrong_tries,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}

export async function countPhoneTry(trx: Transaction, userId: string): Promise<void> {
  await trx
    .updateTable("phone_codes")
    .set((eb) => ({ wrong_tries: eb("wrong_tries", "+", 1) }))
    .where("user_id", "=", userId)
    .execute();
}

export async function markPhoneVerified(
  trx: Transaction,
  verified: { readonly userId: string; readonly now: Date },
): Promise<void> {
  await trx.deleteFrom("phone_codes").where("user_id", "=", verified.userId).execute();
  await trx
    .updateTable("users")
    .set({ phone_verified_at: verified.now, updated_at: verified.now })
    .where("id", "=", verified.userId)
    .execute();
}

export async function deleteEndedPhoneCodes(reader: Reader, before: Date): Promise<void> {
  await reader.deleteFrom("phone_codes").where("expires_at", "<", before).execute();
}

/** Identified by the token mailed to the new address. */
type AddressChange = {
  readonly tokenSha256: Uint8Array;
  readonly email: string;
  readonly emailKey: string;
};

export async function putAddressChange(
  trx: Transaction,
  change: AddressChange & {
    readonly userId: string;
    readonly createdAt: Date;
    readonly expiresAt: Date;
  },
): Promise<void> {
  const values = {
    token_sha256: change.tokenSha256,
    email: change.email,
    email_key: change.emailKey,
    created_at: change.createdAt,
    expires_at: change.expiresAt,
  };
  await trx
    .insertInto("address_changes")
    .values({ user_id: change.userId, ...values })
    .onConflict((conflict) => conflict.column("user_id").doUpdateSet(values))
    .execute();
}

export async function findAddressChange(
  reader: Reader,
  which: { readonly userId: string; readonly tokenSha256: Uint8Array; readonly now: Date },
): Promise<AddressChange | null> {
  const row = await reader
    .selectFrom("address_changes")
    .select(["token_sha256", "email", "email_key"])
    .where("user_id", "=", which.userId)
    .where("token_sha256", "=", which.tokenSha256)
    .where("expires_at", ">", which.now)
    .executeTakeFirst();
  return row === undefined
    ? null
    : { tokenSha256: row.token_sha256, email: row.email, emailKey: row.email_key };
}

export async function loadAskedAddress(reader: Reader, userId: string): Promise<string | null> {
  const row = await reader
    .selectFrom("address_changes")
    .select("email")
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return row?.email ?? null;
}

export async function deleteAddressChange(trx: Transaction, userId: string): Promise<void> {
  await trx.deleteFrom("address_changes").where("user_id", "=", userId).execute();
}

/** The address is confirmed: its link came back in the asker's session. */
export async function writeAddress(
  trx: Transaction,
  change: {
    readonly userId: string;
    readonly email: string;
    readonly emailKey: string;
    readonly now: Date;
  },
): Promise<void> {
  await trx
    .updateTable("users")
    .set({
      email: change.email,
      email_key: change.emailKey,
      address_confirmed_at: change.now,
      updated_at: change.now,
    })
    .where("id", "=", change.userId)
    .execute();
}

export async function deleteEndedAddressChanges(reader: Reader, before: Date): Promise<void> {
  await reader.deleteFrom("address_changes").where("expires_at", "<", before).execute();
}
