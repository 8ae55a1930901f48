import type { MemberRole } from "@paraphe/contracts";
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

/** `role`: in the host organisation; null: an account alone. */
type Invitation = { readonly role: MemberRole | null };

export async function insertInvitation(
  reader: Reader,
  invitation: Invitation & { sha256: Uint8Array; now: Date; expiresAt: Date },
): Promise<void> {
  await reader
    .insertInto("registration_invitations")
    .values({
      token_sha256: invitation.sha256,
      role: invitation.role,
      created_at: invitation.now,
      expires_at: invitation.expiresAt,
    })
    .execute();
}

type AskedInvitation = { readonly sha256: Uint8Array; readonly now: Date };

type SoughtInvitation = {
  readonly isOwner: boolean;
  readonly now: Date;
  readonly sha256?: Uint8Array;
};

/** The owner's invitation is the address of the first start. Without `sha256`: any invitation. */
async function isOpen(
  reader: Reader,
  { isOwner, now, sha256 }: SoughtInvitation,
): Promise<boolean> {
  const open = reader
    .selectFrom("registration_invitations")
    .select("created_at")
    .where("role", isOwner ? "=" : "is distinct from", "owner")
    .where("expires_at", ">", now)
    .limit(1);
  const row = await (sha256 === undefined
    ? open
    : open.where("token_sha256", "=", sha256)
  ).executeTakeFirst();
  return row !== undefined;
}

export const isInvited = (reader: Reader, asked: AskedInvitation): Promise<boolean> =>
  isOpen(reader, { isOwner: false, ...asked });

export const isAnybodyInvited = (reader: Reader, now: Date): Promise<boolean> =>
  isOpen(reader, { isOwner: false, now });

export const isFirstStart = (reader: Reader, asked: AskedInvitation): Promise<boolean> =>
  isOpen(reader, { isOwner: true, ...asked });

export const isFirstStartOpen = (reader: Reader, now: Date): Promise<boolean> =>
  isOpen(reader, { isOwner: true, now });

/** Null when it was used or is too old. */
export async function takeInvitation(
  trx: Transaction,
  { sha256, now }: AskedInvitation,
): Promise<Invitation | null> {
  const row = await trx
    .deleteFrom("registration_invitations")
    .where("token_sha256", "=", sha256)
    .where("role", "is distinct from", "owner")
    .where("expires_at", ">", now)
    .returning("role")
    .executeTakeFirst();
  return row === undefined ? null : { role: row.role as MemberRole | null };
}

export async function deleteFirstStarts(trx: Transaction): Promise<void> {
  await trx.deleteFrom("registration_invitations").where("role", "=", "owner").execute();
}

export async function deleteEndedInvitations(reader: Reader, before: Date): Promise<void> {
  await reader.deleteFrom("registration_invitations").where("expires_at", "<", before).execute();
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
