import { sql } from "kysely";
import type { Reader, Transaction } from "../../platform/database/database.ts";

/** Serialises work on one address until the transaction ends: a row to lock may not exist yet. */
export async function lockAddress(trx: Transaction, emailKey: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`address:${emailKey}`}, 0))`.execute(
    trx,
  );
}

/** Closed accounts included. */
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

/** A confirmed address only: a mail filter may have activated another person's registration. */
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

type Administrator = { readonly email: string; readonly since: Date };

/** Owners too. The first is the one since the longest. */
export async function listAdministrators(reader: Reader): Promise<readonly Administrator[]> {
  return reader
    .selectFrom("organisation_members as m")
    .innerJoin("users as u", "u.id", "m.user_id")
    .select(["u.email", "m.created_at as since"])
    .where("m.role", "in", ["owner", "administrator"])
    .where("u.activated_at", "is not", null)
    .where("u.deactivated_at", "is", null)
    .orderBy("m.created_at")
    .orderBy("u.email")
    .execute();
}
