import type { MemberRole } from "@paraphe/contracts";
import { type RawBuilder, sql } from "kysely";
import type { Reader, Transaction } from "../../platform/database/database.ts";
import { isPermitted, rolesWith } from "./domain/permissions.ts";

export type Team = { readonly id: string; readonly name: string };
export type Place = { readonly id: string; readonly is_administrator: boolean };

export async function selectTeams(reader: Reader): Promise<readonly Team[]> {
  return reader
    .selectFrom("teams as t")
    .innerJoin("organisations as o", "o.id", "t.organisation_id")
    .select(["t.id", "t.name"])
    .where("o.is_host", "=", true)
    .orderBy(sql`lower(t.name)`)
    .execute();
}

export async function selectTeam(reader: Reader, id: string): Promise<Team | null> {
  return (await selectTeams(reader)).find((team) => team.id === id) ?? null;
}

export async function isNameTaken(reader: Reader, asked: Team): Promise<boolean> {
  const name = asked.name.toLowerCase();
  return (await selectTeams(reader)).some(
    (team) => team.id !== asked.id && team.name.toLowerCase() === name,
  );
}

export async function selectPlaces(reader: Reader, teamId: string): Promise<readonly Place[]> {
  return reader
    .selectFrom("team_members")
    .select(["member_id as id", "is_administrator"])
    .where("team_id", "=", teamId)
    .orderBy("member_id")
    .execute();
}

/** « {team} {member} » of each who administers a team. */
export async function selectAdministered(reader: Reader): Promise<ReadonlySet<string>> {
  const rows = await reader
    .selectFrom("team_members")
    .select(["team_id", "member_id"])
    .where("is_administrator", "=", true)
    .execute();
  return new Set(rows.map((row) => `${row.team_id} ${row.member_id}`));
}

/** Gives those who are members of the host. */
export async function selectMemberIds(
  reader: Reader,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await reader
    .selectFrom("organisation_members as m")
    .innerJoin("organisations as o", "o.id", "m.organisation_id")
    .select("m.user_id as id")
    .where("o.is_host", "=", true)
    .where("m.user_id", "in", [...ids])
    .execute();
  return new Set(rows.map(({ id }) => id));
}

export async function insertTeam(
  trx: Transaction,
  team: Team & { readonly organisationId: string; readonly now: Date },
): Promise<void> {
  const { id, name, organisationId, now } = team;
  await trx
    .insertInto("teams")
    .values({ id, organisation_id: organisationId, name, created_at: now })
    .execute();
}

export async function updateTeamName(trx: Transaction, { id, name }: Team): Promise<void> {
  await trx.updateTable("teams").set({ name }).where("id", "=", id).execute();
}

export async function deleteTeamRow(trx: Transaction, id: string): Promise<void> {
  await trx.deleteFrom("teams").where("id", "=", id).execute();
}

export async function insertPlace(
  trx: Transaction,
  { teamId, place, now }: { readonly teamId: string; readonly place: Place; readonly now: Date },
): Promise<void> {
  await sql`
    insert into team_members (team_id, organisation_id, member_id, is_administrator, created_at)
    select id, organisation_id, ${place.id}::uuid, ${place.is_administrator}, ${now}
    from teams where id = ${teamId}::uuid on conflict do nothing`.execute(trx);
}

export async function updatePlace(trx: Transaction, teamId: string, place: Place): Promise<void> {
  await trx
    .updateTable("team_members")
    .set({ is_administrator: place.is_administrator })
    .where("team_id", "=", teamId)
    .where("member_id", "=", place.id)
    .execute();
}

export async function deletePlace(
  trx: Transaction,
  teamId: string,
  memberId: string,
): Promise<void> {
  await trx
    .deleteFrom("team_members")
    .where("team_id", "=", teamId)
    .where("member_id", "=", memberId)
    .execute();
}

/**
 * Gives who receives what passes to a team: an administrator, else the first to join; `beyond`:
 * else whoever leads or works in the organisation. Null when nobody does.
 */
export async function selectTeamHeir(
  reader: Reader,
  asked: { readonly teamId: string; readonly except: string; readonly beyond?: boolean },
): Promise<{ readonly userId: string; readonly team: string } | null> {
  const { teamId, except, beyond = false } = asked;
  const { rows } = await sql<{ userId: string; team: string; role: MemberRole; isIn: boolean }>`
    select o.user_id as "userId", t.name as team, o.role, m.member_id is not null as "isIn"
    from teams t join organisations h on h.id = t.organisation_id and h.is_host
    join organisation_members o on o.organisation_id = t.organisation_id
    left join team_members m on m.team_id = t.id and m.member_id = o.user_id
    where t.id = ${teamId}::uuid and o.user_id <> ${except}::uuid
    order by m.is_administrator desc nulls last, m.created_at nulls last,
      o.role = 'owner' desc, o.role = 'administrator' desc, o.created_at, o.user_id`.execute(
    reader,
  );
  return (
    rows.find(({ role, isIn }) => (isIn || beyond) && isPermitted(role, "receive_work")) ?? null
  );
}

/** Gives organisations where nobody works any more, with their teams. */
export async function selectAbandoned(reader: Reader): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    select h.id from (select id, id as organisation_id from organisations
      union all select id, organisation_id from teams) h
    where not exists (select from organisation_members m
      where m.organisation_id = h.organisation_id
        and m.role = any(${sql.val(rolesWith("receive_work"))}::text[]))`.execute(reader);
  return rows.map(({ id }) => id);
}

/** Whether `selectTeamHeir` gives somebody for this row's team, beyond it too, once its owner goes. */
export function teamOutlives(row: string): RawBuilder<boolean> {
  return sql<boolean>`exists (
    select from teams t join organisations h on h.id = t.organisation_id and h.is_host
    join organisation_members m on m.organisation_id = t.organisation_id
    where t.id = ${sql.ref(`${row}.team_id`)} and m.user_id <> ${sql.ref(`${row}.owner_id`)}
      and m.role = any(${sql.val(rolesWith("receive_work"))}::text[]))`;
}
