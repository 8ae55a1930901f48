import type { Database } from "../database/database.ts";

/** The private half is wrapped. */
export type StoredVapidKeys = {
  readonly publicKey: Uint8Array;
  readonly privateKeyWrapped: Uint8Array;
};

export async function loadVapidKeys(db: Database): Promise<StoredVapidKeys | null> {
  const row = await db
    .selectFrom("vapid_keys")
    .select(["public_key", "private_key_wrapped"])
    .executeTakeFirst();
  return row
    ? {
        publicKey: new Uint8Array(row.public_key),
        privateKeyWrapped: new Uint8Array(row.private_key_wrapped),
      }
    : null;
}

/** The first one written stays. */
export async function insertVapidKeys(
  db: Database,
  keys: StoredVapidKeys & { readonly createdAt: Date },
): Promise<void> {
  await db
    .insertInto("vapid_keys")
    .values({
      id: 1,
      public_key: keys.publicKey,
      private_key_wrapped: keys.privateKeyWrapped,
      created_at: keys.createdAt,
    })
    .onConflict((conflict) => conflict.column("id").doNothing())
    .execute();
}
