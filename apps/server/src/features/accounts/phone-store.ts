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
export async function putPhoneCode(trx: Transaction, code: Omit<PhoneCode, "wrongTries"> & { readonly userId: string }): Promise<void> {
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
export async function markPhoneVerified(trx: Transaction, verified: { readonly userId: string; readonly now: Date }): Promise<void> {
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
