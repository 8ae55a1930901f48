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

export async function insertInvitation(
  reader: Reader,
  invitation: { sha256: Uint8Array; administrator: boolean; now: Date; expiresAt: Date },
): Promise<void> {
  await reader
    .insertInto("registration_invitations")
    .values({
      token_sha256: invitation.sha256,
      administrator: invitation.administrator,
      created_at: invitation.now,
      expires_at: invitation.expiresAt,
    })
    .execute();
}

export async function isInvited(
  reader: Reader,
  { sha256, now }: { sha256: Uint8Array; now: Date },
): Promise<boolean> {
  const row = await reader
    .selectFrom("registration_invitations")
    .select("administrator")
    .where("token_sha256", "=", sha256)
    .where("expires_at", ">", now)
    .executeTakeFirst();
  return row !== undefined;
}

export async function isAnybodyInvited(reader: Reader, now: Date): Promise<boolean> {
  const row = await reader
    .selectFrom("registration_invitations")
    .select("administrator")
    .where("expires_at", ">", now)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Null when it was used or is too old. */
export async function takeInvitation(
  trx: Transaction,
  { sha256, now }: { sha256: Uint8Array; now: Date },
): Promise<{ readonly administrator: boolean } | null> {
  const row = await trx
    .deleteFrom("registration_invitations")
    .where("token_sha256", "=", sha256)
    .where("expires_at", ">", now)
    .returning("administrator")
    .executeTakeFirst();
  return row ?? null;
}

export async function deleteEndedInvitations(reader: Reader, before: Date): Promise<void> {
  await reader.deleteFrom("registration_invitations").where("expires_at", "<", before).execute();
}

/** Only a confirmed address: a mail filter may have activated another person's registration. */
export async function promoteAccount(reader: Reader, emailKey: string): Promise<boolean> {
  const rows = await reader
    .updateTable("users")
    .set({ administrator: true })
    .where("email_key", "=", emailKey)
    .where("activated_at", "is not", null)
    .where("address_confirmed_at", "is not", null)
    .where("deactivated_at", "is", null)
    .returning("id")
    .execute();
  return rows.length === 1;
}

export async function listAdministrators(reader: Reader): Promise<readonly string[]> {
  const rows = await reader
    .selectFrom("users")
    .select("email")
    .where("administrator", "=", true)
    .where("activated_at", "is not", null)
    .where("deactivated_at", "is", null)
    .orderBy("email")
    .execute();
  return rows.map(({ email }) => email);
}
