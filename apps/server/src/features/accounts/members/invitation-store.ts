import type { MemberRole } from "@paraphe/contracts";
import type { Reader, Transaction } from "../../../platform/database/database.ts";
import { emailKey } from "../domain/names.ts";

/** `role`: in the host; null: an account alone. `email` is null unless mailed. */
export type Invitation = {
  readonly id: string;
  readonly role: MemberRole | null;
  readonly email: string | null;
  readonly emailKey: string | null;
  readonly invitedBy: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly acceptedAt: Date | null;
  readonly withdrawnAt: Date | null;
  /** The team that the invited person joins. */
  readonly teamId: string | null;
};

const COLUMNS = [
  "id",
  "role",
  "email",
  "email_key as emailKey",
  "invited_by as invitedBy",
  "created_at as createdAt",
  "expires_at as expiresAt",
  "accepted_at as acceptedAt",
  "withdrawn_at as withdrawnAt",
  "team_id as teamId",
] as const;

export function isUsable({ acceptedAt, withdrawnAt, expiresAt }: Invitation, now: Date): boolean {
  return acceptedAt === null && withdrawnAt === null && expiresAt > now;
}

type NewInvitation = {
  readonly id: string;
  readonly sha256: Uint8Array;
  readonly role: MemberRole | null;
  readonly email?: string | null;
  readonly invitedBy?: string;
  readonly teamId?: string | null;
  readonly now: Date;
  readonly expiresAt: Date;
};

export async function insertInvitation(
  trx: Transaction,
  { id, sha256, role, email = null, invitedBy, teamId = null, now, expiresAt }: NewInvitation,
): Promise<void> {
  const key = email === null ? null : emailKey(email);
  if (key !== null)
    await trx
      .updateTable("registration_invitations")
      .set({ withdrawn_at: now })
      .where("email_key", "=", key)
      .where("accepted_at", "is", null)
      .where("withdrawn_at", "is", null)
      .execute();
  await trx
    .insertInto("registration_invitations")
    .values({
      id,
      token_sha256: sha256,
      role,
      email,
      email_key: key,
      invited_by: invitedBy ?? null,
      team_id: teamId,
      created_at: now,
      expires_at: expiresAt,
    })
    .execute();
}

export async function findInvitation(
  reader: Reader,
  sha256: Uint8Array,
): Promise<Invitation | null> {
  const row = await reader
    .selectFrom("registration_invitations")
    .select(COLUMNS)
    .where("token_sha256", "=", sha256)
    .executeTakeFirst();
  return row === undefined ? null : { ...row, role: row.role as MemberRole | null };
}

/** Gives invitations mailed with a role, neither accepted nor withdrawn; expired ones too. */
export async function selectWaiting(reader: Reader): Promise<readonly Invitation[]> {
  const rows = await waiting(reader).orderBy("created_at", "desc").orderBy("email").execute();
  return rows.map((row) => ({ ...row, role: row.role as MemberRole | null }));
}

export async function lockWaiting(trx: Transaction, id: string): Promise<Invitation | null> {
  const row = await waiting(trx).where("id", "=", id).forUpdate().executeTakeFirst();
  return row === undefined ? null : { ...row, role: row.role as MemberRole | null };
}

function waiting(reader: Reader) {
  return reader
    .selectFrom("registration_invitations")
    .select(COLUMNS)
    .where("email", "is not", null)
    .where("role", "is not", null)
    .where("accepted_at", "is", null)
    .where("withdrawn_at", "is", null);
}

export async function renewInvitation(
  trx: Transaction,
  renewal: { readonly id: string; readonly sha256: Uint8Array; now: Date; expiresAt: Date },
): Promise<void> {
  await trx
    .updateTable("registration_invitations")
    .set({
      token_sha256: renewal.sha256,
      created_at: renewal.now,
      expires_at: renewal.expiresAt,
    })
    .where("id", "=", renewal.id)
    .execute();
}

export async function withdrawInvitation(
  trx: Transaction,
  end: { readonly id: string; readonly now: Date },
): Promise<void> {
  await trx
    .updateTable("registration_invitations")
    .set({ withdrawn_at: end.now })
    .where("id", "=", end.id)
    .execute();
}

export async function isAnybodyInvited(reader: Reader, now: Date): Promise<boolean> {
  const row = await open(reader, now)
    .where("role", "is distinct from", "owner")
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export async function isFirstStart(
  reader: Reader,
  { sha256, now }: { readonly sha256: Uint8Array; readonly now: Date },
): Promise<boolean> {
  const row = await open(reader, now)
    .where("role", "=", "owner")
    .where("token_sha256", "=", sha256)
    .executeTakeFirst();
  return row !== undefined;
}

export async function isFirstStartOpen(reader: Reader, now: Date): Promise<boolean> {
  const row = await open(reader, now).where("role", "=", "owner").limit(1).executeTakeFirst();
  return row !== undefined;
}

function open(reader: Reader, now: Date) {
  return reader
    .selectFrom("registration_invitations")
    .select("id")
    .where("accepted_at", "is", null)
    .where("withdrawn_at", "is", null)
    .where("expires_at", ">", now);
}

/** Serves once; null when used, withdrawn, too old, or for another address. */
export async function takeInvitation(
  trx: Transaction,
  taken: { readonly sha256: Uint8Array; readonly emailKey: string; readonly now: Date },
): Promise<Pick<Invitation, "id" | "role" | "teamId"> | null> {
  const row = await trx
    .updateTable("registration_invitations")
    .set({ accepted_at: taken.now })
    .where("token_sha256", "=", taken.sha256)
    .where("role", "is distinct from", "owner")
    .where("accepted_at", "is", null)
    .where("withdrawn_at", "is", null)
    .where("expires_at", ">", taken.now)
    .where((eb) => eb.or([eb("email_key", "is", null), eb("email_key", "=", taken.emailKey)]))
    .returning(["id", "role", "team_id as teamId"])
    .executeTakeFirst();
  return row === undefined ? null : { ...row, role: row.role as MemberRole | null };
}

export async function deleteFirstStarts(trx: Transaction): Promise<void> {
  await trx.deleteFrom("registration_invitations").where("role", "=", "owner").execute();
}

export async function deleteEndedInvitations(reader: Reader, before: Date): Promise<void> {
  await reader.deleteFrom("registration_invitations").where("expires_at", "<", before).execute();
}

export async function eraseInvitations(trx: Transaction, key: string): Promise<void> {
  await trx.deleteFrom("registration_invitations").where("email_key", "=", key).execute();
}
