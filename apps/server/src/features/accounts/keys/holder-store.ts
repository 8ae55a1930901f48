import type { ProgramHolder } from "@paraphe/contracts";
import { type RawBuilder, sql } from "kysely";
import type { Reader } from "../../../platform/database/database.ts";
import {
  type Holding,
  isPermitted,
  rolesWith,
  selfOf,
  type Standing,
} from "../../organisations/public.ts";

/** The row of a key or webhook: `user_id`, `team_id`, `organisation_id`. */
const column = (row: string, name: string) => sql.ref(`${row}.${name}`);

const FULL_NAME = sql`coalesce(nullif(trim(u.first_name || ' ' || u.last_name), ''), u.username)`;

export const holderColumns = ({ kind, id }: ProgramHolder) => ({
  team_id: kind === "team" ? id : null,
  organisation_id: kind === "organisation" ? id : null,
});

/** Gives the holder of a row as JSON. */
export function holderOf(row: string): RawBuilder<ProgramHolder> {
  return sql<ProgramHolder>`(case
    when ${column(row, "team_id")} is not null then (select jsonb_build_object(
      'kind', 'team', 'id', t.id, 'name', t.name) from teams t where t.id = ${column(row, "team_id")})
    when ${column(row, "organisation_id")} is not null then (select jsonb_build_object(
      'kind', 'organisation', 'id', o.id, 'name', o.name)
      from organisations o where o.id = ${column(row, "organisation_id")})
    else (select jsonb_build_object('kind', 'person', 'id', u.id, 'name', ${FULL_NAME})
      from users u where u.id = ${column(row, "user_id")}) end)`;
}

export const nameOf = (user: RawBuilder<unknown>) =>
  sql<string>`coalesce((select ${FULL_NAME} from users u where u.id = ${user}), '')`;

/**
 * Gives who stands behind a row: who made it or took it over, as long as they may; then as for a
 * team's envelopes, and in the end the first owner.
 */
export function behindOf(row: string): RawBuilder<string> {
  const [user, team] = [column(row, "user_id"), column(row, "team_id")];
  const leaders = sql.val(rolesWith("manage_programs"));
  const workers = sql.val(rolesWith("manage_programs", "team"));
  const members = sql`from organisation_members m
    join users u on u.id = m.user_id and u.activated_at is not null and u.deactivated_at is null
    left join team_members t on t.team_id = ${team} and t.member_id = m.user_id
      and m.role = any(${workers}::text[])
    where m.organisation_id = coalesce(${column(row, "organisation_id")},
      (select organisation_id from teams where id = ${team}))`;
  return sql<string>`(case when ${team} is null and ${column(row, "organisation_id")} is null then ${user}
    else coalesce(
      (select m.user_id ${members} and m.user_id = ${user}
        and (m.role = any(${leaders}::text[]) or t.is_administrator)),
      (select m.user_id ${members} and (m.role = 'owner' or t.member_id is not null)
        order by t.is_administrator desc nulls last, t.created_at, m.created_at, m.user_id limit 1)) end)`;
}

type ProgramUser = Standing & Pick<Holding, "id" | "holder">;

/** Says whether a caller may see and change a key or webhook: a team's key what the team has. */
export function isManagedBy(user: ProgramUser, row: string): RawBuilder<boolean> {
  const holder = column(row, "holder_id");
  const own = [
    selfOf(user),
    ...user.teams
      .filter(
        (team) => user.holder !== undefined || isPermitted(user.role, "manage_programs", team),
      )
      .map(({ id }) => id),
  ];
  const among = sql<boolean>`${holder} = any(${sql.val(own)}::uuid[])`;
  if (user.holder !== undefined || !isPermitted(user.role, "manage_programs")) return among;
  return sql<boolean>`(${among} or ${holder} in (select id from organisations where is_host
    union all select t.id from teams t join organisations o on o.id = t.organisation_id and o.is_host))`;
}

/** Gives who may have a key or webhook that this caller makes, the most likely first. */
export async function selectHolders(
  reader: Reader,
  user: ProgramUser & { readonly full_name: string },
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

/** Gives those who may manage a row: its person, its team's administrators, the organisation's. */
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
