import type { MemberRole } from "@paraphe/contracts";
import { sql } from "kysely";
import type { Reader, Transaction } from "../../platform/database/database.ts";

/** Locks until the transaction ends; there may be no row to lock. */
export async function lockAddress(trx: Transaction, emailKey: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`address:${emailKey}`}, 0))`.execute(
    trx,
  );
}

export async function findActivated(reader: Reader, emailKey: string): Promise<string | null> {
  const row = await reader
    .selectFrom("users")
    .select("id")
    .where("email_key", "=", emailKey)
    .where("activated_at", "is not", null)
    .executeTakeFirst();
  return row?.id ?? null;
}

export async function listPending(
  reader: Reader,
  which: { readonly emailKey: string; readonly limit: number },
): Promise<readonly string[]> {
  const rows = await pendingOf(reader, which.emailKey).limit(which.limit).execute();
  return rows.map((row) => row.id);
}

export async function deleteOldestPending(
  trx: Transaction,
  which: { readonly emailKey: string; readonly kept: number },
): Promise<void> {
  await trx
    .deleteFrom("users")
    .where("id", "in", pendingOf(trx, which.emailKey).offset(which.kept))
    .execute();
}

function pendingOf(reader: Reader, emailKey: string) {
  return reader
    .selectFrom("users")
    .select("id")
    .where("email_key", "=", emailKey)
    .where("activated_at", "is", null)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc");
}

export async function deletePending(trx: Transaction, emailKey: string): Promise<void> {
  await trx
    .deleteFrom("users")
    .where("email_key", "=", emailKey)
    .where("activated_at", "is", null)
    .execute();
}

/** Requires a confirmed address: a mail filter may activate another's registration. */
export async function findConfirmed(reader: Reader, emailKey: string): Promise<string | null> {
  const row = await reader
    .selectFrom("users")
    .select("id")
    .where("email_key", "=", emailKey)
    .where("activated_at", "is not", null)
    .where("address_confirmed_at", "is not", null)
    .where("deactivated_at", "is", null)
    .executeTakeFirst();
  return row?.id ?? null;
}

type Administrator = { readonly email: string; readonly role: MemberRole; readonly since: Date };

export async function listAdministrators(reader: Reader): Promise<readonly Administrator[]> {
  const rows = await reader
    .selectFrom("organisation_members as m")
    .innerJoin("users as u", "u.id", "m.user_id")
    .select(["u.email", "m.role", "m.created_at as since"])
    .where("m.role", "in", ["owner", "administrator"])
    .where("u.activated_at", "is not", null)
    .where("u.deactivated_at", "is", null)
    .orderBy("m.created_at")
    .orderBy("u.email")
    .execute();
  return rows.map((row) => ({ ...row, role: row.role as MemberRole }));
}

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

/** Gives true for the first use of a valid link. */
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
