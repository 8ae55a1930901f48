import type { Reader, Transaction } from "../../platform/database/database.ts";

/** The code that an account waits for; it proves the number it went to, and no other. */
export type PhoneCode = {
  readonly id: string;
  readonly phoneNumber: string;
  readonly codeHmac: Uint8Array;
  readonly wrongTries: number;
  readonly createdAt: Date;
  readonly expiresAt: Date;
};

/** Keeps a code in the place of the one before it. */
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

/** Gives the code that an account waits for, live or not, or null. */
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

/** Counts a wrong try. */
export async function countPhoneTry(trx: Transaction, userId: string): Promise<void> {
  await trx
    .updateTable("phone_codes")
    .set((eb) => ({ wrong_tries: eb("wrong_tries", "+", 1) }))
    .where("user_id", "=", userId)
    .execute();
}

/** Takes the number as its owner's; the code has served. */
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

/** Removes the codes that ended before that moment. */
export async function deleteEndedPhoneCodes(reader: Reader, before: Date): Promise<void> {
  await reader.deleteFrom("phone_codes").where("expires_at", "<", before).execute();
}

/** The address an account asked for, and the hash of the token that was sent there. */
type AddressChange = {
  readonly tokenSha256: Uint8Array;
  readonly email: string;
  readonly emailKey: string;
};

/** Keeps a request in the place of the one before it. */
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

/** Gives the request of this account that this token confirms, if it still may. */
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

/** Gives the address an account waits to have, or null. */
export async function loadAskedAddress(reader: Reader, userId: string): Promise<string | null> {
  const row = await reader
    .selectFrom("address_changes")
    .select("email")
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return row?.email ?? null;
}

/** Forgets what an account asked for. */
export async function deleteAddressChange(trx: Transaction, userId: string): Promise<void> {
  await trx.deleteFrom("address_changes").where("user_id", "=", userId).execute();
}

/** Gives an account its new address, which its link came back from in the session that asked for it: it is confirmed. */
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

/** Removes the requests that ended before that moment. */
export async function deleteEndedAddressChanges(reader: Reader, before: Date): Promise<void> {
  await reader.deleteFrom("address_changes").where("expires_at", "<", before).execute();
}
