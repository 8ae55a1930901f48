import type { Reader, Transaction } from "../../platform/database/database.ts";

export type LinkPurpose = "activation" | "reset";

export type StoredLink = {
  readonly userId: string;
  readonly expiresAt: Date;
  readonly usedAt: Date | null;
};

export async function insertLink(
  trx: Transaction,
  link: { sha256: Uint8Array; userId: string; purpose: LinkPurpose; now: Date; expiresAt: Date },
): Promise<void> {
  await trx
    .insertInto("account_tokens")
    .values({
      token_sha256: link.sha256,
      user_id: link.userId,
      purpose: link.purpose,
      created_at: link.now,
      expires_at: link.expiresAt,
    })
    .execute();
}

/** Null for another account's id too. */
export async function findLink(
  reader: Reader,
  which: { sha256: Uint8Array; userId: string; purpose: LinkPurpose },
): Promise<StoredLink | null> {
  const row = await reader
    .selectFrom("account_tokens")
    .select(["user_id", "expires_at", "used_at"])
    .where("token_sha256", "=", which.sha256)
    .where("purpose", "=", which.purpose)
    .executeTakeFirst();
  return row?.user_id === which.userId
    ? { userId: row.user_id, expiresAt: row.expires_at, usedAt: row.used_at }
    : null;
}

/** True for the first caller only. */
export async function useLink(
  trx: Transaction,
  use: { sha256: Uint8Array; now: Date },
): Promise<boolean> {
  const rows = await trx
    .updateTable("account_tokens")
    .set({ used_at: use.now })
    .where("token_sha256", "=", use.sha256)
    .where("used_at", "is", null)
    .where("expires_at", ">", use.now)
    .returning("user_id")
    .execute();
  return rows.length === 1;
}

/** The rows stay: they count how many links were asked for. */
export async function expireUnusedLinks(
  trx: Transaction,
  which: { userId: string; purpose: LinkPurpose; now: Date },
): Promise<void> {
  await trx
    .updateTable("account_tokens")
    .set({ expires_at: which.now })
    .where("user_id", "=", which.userId)
    .where("purpose", "=", which.purpose)
    .where("used_at", "is", null)
    .where("expires_at", ">", which.now)
    .execute();
}

export async function listLinkTimes(
  reader: Reader,
  which: { userId: string; purpose: LinkPurpose; since: Date },
): Promise<readonly Date[]> {
  const rows = await reader
    .selectFrom("account_tokens")
    .select("created_at")
    .where("user_id", "=", which.userId)
    .where("purpose", "=", which.purpose)
    .where("created_at", ">=", which.since)
    .orderBy("created_at", "desc")
    .execute();
  return rows.map((row) => row.created_at);
}

export async function deleteEndedLinks(reader: Reader, before: Date): Promise<void> {
  await reader.deleteFrom("account_tokens").where("expires_at", "<", before).execute();
}
