import type { MemberRole, TeamRef } from "@paraphe/contracts";
import { sql } from "kysely";
import type { Reader, Transaction } from "../../../platform/database/database.ts";

export type MemberRow = {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly role: MemberRole;
  readonly joinedAt: Date;
  readonly hasSecondFactor: boolean;
  /** The latest use among sessions still stored. */
  readonly seenAt: Date | null;
  readonly teams: readonly TeamRef[];
};

const NAME = sql`coalesce(nullif(trim(u.first_name || ' ' || u.last_name), ''), u.username)`;

export async function selectMembers(reader: Reader): Promise<readonly MemberRow[]> {
  const { rows } = await sql<MemberRow>`
    select u.id, ${NAME} as name,
      u.email, m.role, m.created_at as "joinedAt",
      exists (select from passkeys p where p.user_id = u.id)
        or exists (select from totp_factors t where t.user_id = u.id) as "hasSecondFactor",
      (select max(s.last_used_at) from sessions s where s.user_id = u.id) as "seenAt",
      coalesce((
        select jsonb_agg(jsonb_build_object('id', t.id, 'name', t.name) order by lower(t.name))
        from team_members p join teams t on t.id = p.team_id
        where p.member_id = u.id and p.organisation_id = o.id), '[]') as teams
    from organisation_members m
    join organisations o on o.id = m.organisation_id and o.is_host
    join users u on u.id = m.user_id
    where u.activated_at is not null and u.deactivated_at is null
    order by lower(u.last_name), lower(u.first_name), u.id`.execute(reader);
  return rows;
}

export async function selectColleagues(
  reader: Reader,
  userId: string,
): Promise<readonly Pick<MemberRow, "name" | "email">[]> {
  const { rows } = await sql<Pick<MemberRow, "name" | "email">>`
    select ${NAME} as name, u.email
    from organisation_members own
    join organisations o on o.id = own.organisation_id and o.is_host
    join organisation_members m on m.organisation_id = o.id and m.user_id <> own.user_id
    join users u on u.id = m.user_id
    where own.user_id = ${userId}::uuid and u.activated_at is not null and u.deactivated_at is null
    order by lower(u.last_name), lower(u.first_name), u.id`.execute(reader);
  return rows;
}

/** Gives those of the addresses that have a closed account and no member. */
export async function selectFormerMembers(
  reader: Reader,
  emailKeys: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ email_key: string }>`
    select u.email_key from users u
    where u.email_key = any(${emailKeys}::text[]) and u.deactivated_at is not null
      and not exists (select from users v join organisation_members m on m.user_id = v.id
        where v.email_key = u.email_key)`.execute(reader);
  return new Set(rows.map((row) => row.email_key));
}

export async function selectNames(
  reader: Reader,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await reader
    .selectFrom("users")
    .select(["id", "username", "first_name", "last_name", "erased_at"])
    .where("id", "in", [...new Set(ids)])
    .execute();
  return new Map(
    rows.map((row) => [
      row.id,
      row.erased_at === null
        ? `${row.first_name} ${row.last_name}`.trim() || row.username
        : "Compte effacé",
    ]),
  );
}

/** Closes the account to new sessions and keeps its address from anybody else. */
export async function deactivate(
  trx: Transaction,
  closing: { readonly id: string; readonly now: Date },
): Promise<void> {
  await trx
    .updateTable("users")
    .set({ deactivated_at: closing.now, updated_at: closing.now })
    .where("id", "=", closing.id)
    .where("deactivated_at", "is", null)
    .execute();
}

export async function reopen(
  trx: Transaction,
  opening: { readonly id: string; readonly now: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable("users")
    .set({ deactivated_at: null, updated_at: opening.now })
    .where("id", "=", opening.id)
    .where("erased_at", "is", null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}
