import type { ApiKey, KeyChange, KeyScope, ProgramHolder } from "@paraphe/contracts";
import { type RawBuilder, sql } from "kysely";
import type { Database, Reader, Transaction } from "../../../platform/database/database.ts";
import {
  type Holding,
  holdersOf,
  rolesWith,
  type Standing,
  standingOf,
  teamsUnder,
} from "../../organisations/public.ts";
import { SECOND_FACTOR_BY } from "../session-store.ts";
import type { SessionUser } from "../sessions.ts";

export type FoundKey = {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly KeyScope[];
  readonly addresses: readonly string[];
  readonly expiresAt: Date | null;
  readonly lastUsedAt: Date | null;
  readonly holder: ProgramHolder;
  readonly user: {
    readonly id: string;
    readonly username: string;
    readonly email: string;
    readonly emailKey: string;
    readonly firstName: string;
    readonly lastName: string;
    readonly secondFactorBy: Date | null;
  } & Standing;
};

/** Null once revoked or closed. Most keys are a person's, whose statement is short. */
export async function findKey(db: Database, sha256: Uint8Array): Promise<FoundKey | null> {
  return (await readKey(db, sha256, "person")) ?? (await readKey(db, sha256, "shared"));
}

export async function updateLastUse(
  db: Database,
  { id, at }: { readonly id: string; readonly at: Date },
): Promise<void> {
  await db.updateTable("api_keys").set({ last_used_at: at }).where("id", "=", id).execute();
}

async function readKey(
  db: Database,
  sha256: Uint8Array,
  kind: "person" | "shared",
): Promise<FoundKey | null> {
  const isOwn = kind === "person";
  // `offset 0` keeps the planner from evaluating it for each account.
  const behind = isOwn
    ? sql`(select ${sql.ref("key.user_id")} as id)`
    : sql`(select ${behindOf("key")} as id offset 0)`;
  const [role, teams] = standingOf(sql.ref("user.id"));
  const row = await db
    .selectFrom("api_keys as key")
    .innerJoinLateral(behind.$castTo<{ id: string }>().as<"behind">(sql.ref("behind")), (join) =>
      join.onTrue(),
    )
    .innerJoin("users as user", "user.id", "behind.id")
    .select(["key.id as key_id", "key.name", "key.scopes", "key.addresses"])
    .select(["key.expires_at", "key.last_used_at", "user.id", "user.username", "user.email"])
    .select(["user.email_key", "user.first_name", "user.last_name", role])
    .select(isOwn ? teams : teamsUnder(sql.ref("key.holder_id")).as("teams"))
    .select((isOwn ? personAs("user") : holderOf("key")).as("holder"))
    // Whoever signs in at a provider has its factor, as in sessions.
    .select(
      sql<Date | null>`case when not exists (
        select from provider_identities p where p.user_id = "user".id) then ${SECOND_FACTOR_BY} end`.as(
        "second_factor_by",
      ),
    )
    .where("key.secret_sha256", "=", sha256)
    .whereRef("key.holder_id", isOwn ? "=" : "<>", "key.user_id")
    .where("user.activated_at", "is not", null)
    .where("user.deactivated_at", "is", null)
    .executeTakeFirst();
  if (row === undefined) return null;
  return {
    id: row.key_id,
    name: row.name,
    scopes: row.scopes as KeyScope[],
    addresses: row.addresses,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
    holder: row.holder,
    user: {
      id: row.id,
      username: row.username,
      email: row.email,
      emailKey: row.email_key,
      firstName: row.first_name,
      lastName: row.last_name,
      secondFactorBy: row.second_factor_by,
      role: row.role,
      teams: row.teams,
    },
  };
}

export async function selectKeys(
  reader: Reader,
  which: { readonly user: SessionUser; readonly id?: string },
): Promise<ApiKey[]> {
  const { id } = which;
  const rows = await reader
    .selectFrom("api_keys as key")
    .select(["id", "name", "hint", "scopes", "addresses", "origins"])
    .select(["created_at", "expires_at", "last_used_at"])
    .select([holderOf("key").as("holder"), nameOf(behindOf("key")).as("by")])
    .where(isManagedBy(which.user, "key"))
    .$if(id !== undefined, (query) => query.where("id", "=", id as string))
    .orderBy("id", "desc")
    .execute();
  return rows.map((row) => ({
    ...row,
    scopes: row.scopes as KeyScope[],
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at?.toISOString() ?? null,
    last_used_at: row.last_used_at?.toISOString() ?? null,
  }));
}

export async function countKeys(reader: Reader, holderId: string): Promise<number> {
  const row = await reader
    .selectFrom("api_keys")
    .select(({ fn }) => fn.countAll<string>().as("count"))
    .where("holder_id", "=", holderId)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

type NewKey = Pick<ApiKey, "id" | "name" | "hint" | "scopes" | "addresses" | "origins"> & {
  readonly holder: ProgramHolder;
  readonly userId: string;
  readonly sha256: Uint8Array;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
};

export async function insertKey(trx: Transaction, key: NewKey): Promise<void> {
  await trx
    .insertInto("api_keys")
    .values({
      id: key.id,
      user_id: key.userId,
      ...holderColumns(key.holder),
      secret_sha256: key.sha256,
      name: key.name,
      hint: key.hint,
      scopes: [...key.scopes],
      addresses: [...key.addresses],
      origins: [...key.origins],
      created_at: key.createdAt,
      expires_at: key.expiresAt,
    })
    .execute();
}

export async function updateKey(
  trx: Transaction,
  { id, ...change }: KeyChange & { readonly id: string },
): Promise<void> {
  await trx.updateTable("api_keys").set(change).where("id", "=", id).execute();
}

export async function deleteKey(trx: Transaction, id: string): Promise<void> {
  await trx.deleteFrom("api_keys").where("id", "=", id).execute();
}

/** A team's or the organisation's go on. */
export async function deleteKeysOf(trx: Transaction, userId: string): Promise<void> {
  await trx.deleteFrom("api_keys").where("holder_id", "=", userId).execute();
}

/** `name`: the column with a key's id, if any. */
export const isKeyGone = (name: string) => sql<boolean>`(${sql.ref(name)} is not null
  and not exists (select from api_keys k where k.id = ${sql.ref(name)}))`;

export async function selectOrigins(reader: Reader, keyId: string): Promise<readonly string[]> {
  const row = await reader
    .selectFrom("api_keys")
    .select("origins")
    .where("id", "=", keyId)
    .executeTakeFirst();
  return row?.origins ?? [];
}

const column = (row: string, name: string) => sql.ref(`${row}.${name}`);

const fullNameOf = (user: string) =>
  sql`coalesce(nullif(trim(${column(user, "first_name")} || ' ' || ${column(user, "last_name")}), ''),
    ${column(user, "username")})`;

const personAs = (user: string) =>
  sql<ProgramHolder>`jsonb_build_object('kind', 'person', 'id', ${column(user, "id")}, 'name', ${fullNameOf(user)})`;

export const holderColumns = ({ kind, id }: ProgramHolder) => ({
  team_id: kind === "team" ? id : null,
  organisation_id: kind === "organisation" ? id : null,
});

export function holderOf(row: string): RawBuilder<ProgramHolder> {
  return sql<ProgramHolder>`(case
    when ${column(row, "team_id")} is not null then (select jsonb_build_object(
      'kind', 'team', 'id', t.id, 'name', t.name) from teams t where t.id = ${column(row, "team_id")})
    when ${column(row, "organisation_id")} is not null then (select jsonb_build_object(
      'kind', 'organisation', 'id', o.id, 'name', o.name)
      from organisations o where o.id = ${column(row, "organisation_id")})
    else (select ${personAs("u")} from users u where u.id = ${column(row, "user_id")}) end)`;
}

export const nameOf = (user: RawBuilder<unknown>) =>
  sql<string>`coalesce((select ${fullNameOf("u")} from users u where u.id = ${user}), '')`;

/** Gives who stands behind a key: its maker while they may, else as for a team's envelopes. */
export function behindOf(row: string): RawBuilder<string> {
  const [user, team, whole] = ["user_id", "team_id", "organisation_id"].map((name) =>
    column(row, name),
  );
  const organisation = sql`coalesce(${whole}, (select organisation_id from teams where id = ${team}))`;
  const leaders = sql.val(rolesWith("manage_programs"));
  const workers = sql.val(rolesWith("manage_programs", "team"));
  const active = sql`join users u on u.id = m.user_id and u.activated_at is not null and u.deactivated_at is null`;
  return sql<string>`(case when ${team} is null and ${whole} is null then ${user} else coalesce(
    (select m.user_id from organisation_members m ${active}
      left join team_members t on t.team_id = ${team} and t.member_id = m.user_id
      where m.organisation_id = ${organisation} and m.user_id = ${user}
        and (m.role = any(${leaders}::text[]) or t.is_administrator and m.role = any(${workers}::text[]))),
    (select m.user_id from team_members t join organisation_members m
        on m.organisation_id = t.organisation_id and m.user_id = t.member_id ${active}
      where t.team_id = ${team} and m.role = any(${workers}::text[])
      order by t.is_administrator desc, t.created_at, m.user_id limit 1),
    (select m.user_id from organisation_members m ${active}
      where m.organisation_id = ${organisation} and m.role = 'owner'
      order by m.created_at, m.user_id limit 1)) end)`;
}

/** Gives who acts in a holder's name now; null when nobody may, or the team is gone. */
export async function selectBehind(
  reader: Reader,
  shared: { readonly userId: string; readonly holderId: string },
): Promise<{ userId: string; holder: ProgramHolder; teams: Standing["teams"] } | null> {
  const holder = sql`${shared.holderId}::uuid`;
  const { rows } = await sql<{
    userId: string;
    holder: ProgramHolder;
    teams: Standing["teams"];
  }>`
    select behind.id as "userId", ${holderOf("held")} as holder, ${teamsUnder(holder)} as teams
    from (
      select ${shared.userId}::uuid as user_id, id as team_id, null::uuid as organisation_id
      from teams where id = ${holder}
      union all select ${shared.userId}::uuid, null, id from organisations where id = ${holder}) held
    cross join lateral (select ${behindOf("held")} as id) behind where behind.id is not null`.execute(
    reader,
  );
  return rows[0] ?? null;
}

/** A person's standing is read with the rows: it may change while their request comes in. */
export function isManagedBy(user: Holding, row: string): RawBuilder<boolean> {
  const holder = column(row, "holder_id");
  if (user.holder !== undefined)
    return sql<boolean>`${holder} = any(${sql.val(holdersOf(user))}::uuid[])`;
  const leaders = sql.val(rolesWith("manage_programs"));
  const workers = sql.val(rolesWith("manage_programs", "team"));
  return sql<boolean>`(${holder} = ${user.id}::uuid or ${holder} in (
    select h.id from organisations o join organisation_members m
        on m.organisation_id = o.id and m.user_id = ${user.id}::uuid
      cross join lateral (select o.id, false as led union all select t.id, p.is_administrator
        from teams t left join team_members p on p.team_id = t.id and p.member_id = m.user_id
        where t.organisation_id = o.id) h
      where o.is_host and (
        m.role = any(${leaders}::text[]) or h.led and m.role = any(${workers}::text[]))))`;
}

export async function selectHolders(
  reader: Reader,
  user: Holding & { readonly full_name: string },
): Promise<readonly ProgramHolder[]> {
  const { rows } = await sql<ProgramHolder>`
    select 'organisation' as kind, r.id, r.name from
      (select id, name, id as holder_id from organisations where is_host) r where ${isManagedBy(user, "r")}
    union all select team.kind, team.id, team.name from (select 'team' as kind, r.id, r.name from
      (select t.id, t.name, t.id as holder_id from teams t
        join organisations o on o.id = t.organisation_id and o.is_host) r
      where ${isManagedBy(user, "r")} order by lower(r.name)) team`.execute(reader);
  return user.holder === undefined
    ? [...rows, { kind: "person", id: user.id, name: user.full_name }]
    : rows;
}

export async function selectManagers(
  reader: Reader,
  row: {
    readonly user_id: string;
    readonly team_id: string | null;
    readonly organisation_id: string | null;
  },
): Promise<readonly string[]> {
  if (row.team_id === null && row.organisation_id === null) return [row.user_id];
  const { rows } = await sql<{ id: string }>`
    select m.user_id as id from organisation_members m
    left join team_members t on t.team_id = ${row.team_id}::uuid and t.member_id = m.user_id
      and t.is_administrator and m.role = any(${sql.val(rolesWith("manage_programs", "team"))}::text[])
    where m.organisation_id = coalesce(${row.organisation_id}::uuid,
        (select organisation_id from teams where id = ${row.team_id}::uuid))
      and (m.role = any(${sql.val(rolesWith("manage_programs"))}::text[]) or t.member_id is not null)
    order by m.created_at, m.user_id`.execute(reader);
  return rows.map(({ id }) => id);
}
