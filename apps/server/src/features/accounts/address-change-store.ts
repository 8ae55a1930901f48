import type { Reader, Transaction } from "../../platform/database/database.ts";

/** The address an account asked for, and the hash of the token that was sent there. */
export type AddressChange = { readonly tokenSha256: Uint8Array; readonly email: string; readonly emailKey: string };

/** Keeps a request in the place of the one before it. */
export async function putAddressChange(
  trx: Transaction,
  change: AddressChange & { readonly userId: string; readonly createdAt: Date; readonly expiresAt: Date },
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
  return row === undefined ? null : { tokenSha256: row.token_sha256, email: row.email, emailKey: row.email_key };
}

/** Gives the address an account waits to have, or null. */
export async function loadAskedAddress(reader: Reader, userId: string): Promise<string | null> {
  const row = await reader.selectFrom("address_changes").select("email").where("user_id", "=", userId).executeTakeFirst();
  return row?.email ?? null;
}

/** Forgets what an account asked for. */
export async function deleteAddressChange(trx: Transaction, userId: string): Promise<void> {
  await trx.deleteFrom("address_changes").where("user_id", "=", userId).execute();
}

/** Gives an account its new address, which its link came back from in the session that asked for it: it is confirmed. */
export async function writeAddress(
  trx: Transaction,
  change: { readonly userId: string; readonly email: string; readonly emailKey: string; readonly now: Date },
): Promise<void> {
  await trx
    .updateTable("users")
    .set({ email: change.email, email_key: change.emailKey, address_confirmed_at: change.now, updated_at: change.now })
    .where("id", "=", change.userId)
    .execute();
}

/** Removes the requests that ended before that moment. */
export async function deleteEndedAddressChanges(reader: Reader, before: Date): Promise<void> {
  await reader.deleteFrom("address_changes").where("expires_at", "<", before).execute();
}
