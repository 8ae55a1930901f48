import {
  failure,
  type MemberRole,
  problem,
  type Problem,
  type Result,
  success,
  type TeamRequest,
} from "@paraphe/contracts";
import { sql } from "kysely";
import type { Reader, Transaction } from "../../platform/database/database.ts";
import type { Platform } from "../../platform/platform.ts";
import type { OrganisationEventKind } from "./domain/journal-words.ts";
import { isPermitted, type Standing } from "./domain/permissions.ts";
import { noteEvent } from "./members.ts";
import { lockHost } from "./store.ts";

type Minting = Pick<Platform, "newId" | "clock">;
type Actor = { readonly id: string } & Standing;
type Team = { readonly id: string; readonly name: string };
type Place = { readonly id: string; readonly is_administrator: boolean };

const NAME_TAKEN = { name: ["Une équipe porte déjà ce nom."] };
const NO_MEMBER = { members: ["Une personne de la liste n’est plus membre de l’organisation."] };
const NO_TEAM = { teams: ["Une des équipes n’existe plus."] };

/** Errors: `validation` on `name` and `members`. */
export async function createTeam(
  trx: Transaction,
  platform: Minting,
  { actor, ...request }: TeamRequest & { readonly actor: Actor },
): Promise<Result<null, Problem>> {
  const host = await lockHost(trx, { id: platform.newId(), now: platform.clock() });
  const id = platform.newId();
  if (await isNameTaken(trx, { id, name: request.name }))
    return failure(problem("validation", { errors: NAME_TAKEN }));
  const { name } = request;
  await trx
    .insertInto("teams")
    .values({ id, organisation_id: host.id, name, created_at: platform.clock() })
    .execute();
  const note = noting(trx, platform, { actorId: actor.id, team: { id, name } });
  await note("team_created");
  return changePeople(trx, platform, { team: { id, name }, members: request.members, note });
}

/** Errors: `not_found`; `administrators_only`; `validation` on `name` and `members`. */
export async function changeTeam(
  trx: Transaction,
  platform: Minting,
  { id, actor, ...request }: TeamRequest & { readonly id: string; readonly actor: Actor },
): Promise<Result<null, Problem>> {
  await lockHost(trx, { id: platform.newId(), now: platform.clock() });
  const before = await selectTeam(trx, id);
  if (before === null) return failure(problem("not_found"));
  const place = actor.teams.find((one) => one.id === id) ?? null;
  if (!isPermitted(actor.role, "change_team", place))
    return failure(problem("administrators_only"));
  if (await isNameTaken(trx, { id, name: request.name }))
    return failure(problem("validation", { errors: NAME_TAKEN }));
  const team = { id, name: request.name };
  const note = noting(trx, platform, { actorId: actor.id, team });
  if (team.name !== before.name) {
    await trx.updateTable("teams").set({ name: team.name }).where("id", "=", id).execute();
    await note("team_renamed", { from: before.name });
  }
  return changePeople(trx, platform, { team, members: request.members, note });
}

/** What belonged to it is its owners' again. Errors: `not_found`. */
export async function deleteTeam(
  trx: Transaction,
  platform: Minting,
  { id, actor }: { readonly id: string; readonly actor: Actor },
): Promise<Result<null>> {
  await lockHost(trx, { id: platform.newId(), now: platform.clock() });
  const team = await selectTeam(trx, id);
  if (team === null) return failure(problem("not_found"));
  await trx.deleteFrom("teams").where("id", "=", id).execute();
  await noting(trx, platform, { actorId: actor.id, team })("team_deleted");
  return success(null);
}

/** All the teams of a member. Errors: `not_found`; `validation` on `teams`. */
export async function changeMemberTeams(
  trx: Transaction,
  platform: Minting,
  change: { readonly memberId: string; readonly teamIds: readonly string[]; actor: Actor },
): Promise<Result<null, Problem>> {
  const { memberId, teamIds, actor } = change;
  await lockHost(trx, { id: platform.newId(), now: platform.clock() });
  if ((await selectMemberIds(trx, [memberId])).size === 0) return failure(problem("not_found"));
  const teams = await selectTeams(trx);
  if (teamIds.some((id) => !teams.some((team) => team.id === id)))
    return failure(problem("validation", { errors: NO_TEAM }));
  for (const team of teams) {
    const people = await selectPlaces(trx, team.id);
    const isIn = people.some(({ id }) => id === memberId);
    if (isIn === teamIds.includes(team.id)) continue;
    const note = noting(trx, platform, { actorId: actor.id, team });
    if (isIn) await leave(trx, { team, memberId, note });
    else await join(trx, platform, { team, place: newPlace(memberId), note });
  }
  return success(null);
}

/** Of somebody who just became a member; a team that is gone meanwhile is left out. */
export async function joinTeam(
  trx: Transaction,
  platform: Minting,
  { userId, teamId }: { readonly userId: string; readonly teamId: string },
): Promise<void> {
  const team = await selectTeam(trx, teamId);
  if (team === null) return;
  const note = noting(trx, platform, { actorId: userId, team });
  await join(trx, platform, { team, place: newPlace(userId), note });
}

/**
 * Who takes over what passes to a team: an administrator of it first, then by time of joining.
 * Null when nobody in it works.
 */
export async function selectTeamHeir(
  reader: Reader,
  { teamId, except }: { readonly teamId: string; readonly except: string },
): Promise<{ readonly userId: string; readonly team: string } | null> {
  const { rows } = await sql<{ userId: string; team: string; role: MemberRole }>`
    select m.member_id as "userId", t.name as team, o.role
    from team_members m join teams t on t.id = m.team_id
    join organisations h on h.id = t.organisation_id and h.is_host
    join organisation_members o
      on o.organisation_id = m.organisation_id and o.user_id = m.member_id
    where m.team_id = ${teamId}::uuid and m.member_id <> ${except}::uuid
    order by m.is_administrator desc, m.created_at, m.member_id`.execute(reader);
  return rows.find(({ role }) => isPermitted(role, "receive_work")) ?? null;
}

type Note = (
  kind: OrganisationEventKind,
  more?: { readonly subjectId?: string; readonly from?: string },
) => Promise<void>;

function noting(
  trx: Transaction,
  platform: Minting,
  { actorId, team }: { readonly actorId: string; readonly team: Team },
): Note {
  return (kind, { subjectId = null, from } = {}) => {
    const detail = { team: team.name, ...(from === undefined ? {} : { from }) };
    return noteEvent(trx, platform, { kind, actorId, subjectId, detail });
  };
}

const newPlace = (id: string): Place => ({ id, is_administrator: false });

async function changePeople(
  trx: Transaction,
  platform: Minting,
  change: { readonly team: Team; readonly members: readonly Place[]; readonly note: Note },
): Promise<Result<null, Problem>> {
  const { team, members, note } = change;
  const wanted = new Map(members.map((place) => [place.id, place]));
  const before = await selectPlaces(trx, team.id);
  const here = new Set(before.map(({ id }) => id));
  const come = [...wanted.values()].filter(({ id }) => !here.has(id));
  const known = await selectMemberIds(
    trx,
    come.map(({ id }) => id),
  );
  if (come.some(({ id }) => !known.has(id)))
    return failure(problem("validation", { errors: NO_MEMBER }));
  for (const { id, is_administrator: was } of before) {
    const after = wanted.get(id);
    if (after === undefined) await leave(trx, { team, memberId: id, note });
    else if (after.is_administrator !== was) await setPlace(trx, { team, place: after, note });
  }
  for (const place of come) await join(trx, platform, { team, place, note });
  return success(null);
}

type Placing = { readonly team: Team; readonly place: Place; readonly note: Note };

async function join(trx: Transaction, platform: Minting, placing: Placing): Promise<void> {
  const { team, place, note } = placing;
  await sql`
    insert into team_members (team_id, organisation_id, member_id, is_administrator, created_at)
    select id, organisation_id, ${place.id}::uuid, ${place.is_administrator}, ${platform.clock()}
    from teams where id = ${team.id}::uuid on conflict do nothing`.execute(trx);
  await note("team_joined", { subjectId: place.id });
  if (place.is_administrator) await note("team_administered", { subjectId: place.id });
}

async function setPlace(trx: Transaction, { team, place, note }: Placing): Promise<void> {
  await trx
    .updateTable("team_members")
    .set({ is_administrator: place.is_administrator })
    .where("team_id", "=", team.id)
    .where("member_id", "=", place.id)
    .execute();
  const kind = place.is_administrator ? "team_administered" : "team_unadministered";
  await note(kind, { subjectId: place.id });
}

async function leave(
  trx: Transaction,
  { team, memberId, note }: { readonly team: Team; readonly memberId: string; readonly note: Note },
): Promise<void> {
  await trx
    .deleteFrom("team_members")
    .where("team_id", "=", team.id)
    .where("member_id", "=", memberId)
    .execute();
  await note("team_left", { subjectId: memberId });
}

/** Of the host, by name. */
export async function selectTeams(reader: Reader): Promise<readonly Team[]> {
  return reader
    .selectFrom("teams as t")
    .innerJoin("organisations as o", "o.id", "t.organisation_id")
    .select(["t.id", "t.name"])
    .where("o.is_host", "=", true)
    .orderBy(sql`lower(t.name)`)
    .execute();
}

async function selectTeam(reader: Reader, id: string): Promise<Team | null> {
  return (await selectTeams(reader)).find((team) => team.id === id) ?? null;
}

async function isNameTaken(reader: Reader, asked: Team): Promise<boolean> {
  const name = asked.name.toLowerCase();
  return (await selectTeams(reader)).some(
    (team) => team.id !== asked.id && team.name.toLowerCase() === name,
  );
}

async function selectPlaces(reader: Reader, teamId: string): Promise<readonly Place[]> {
  return reader
    .selectFrom("team_members")
    .select(["member_id as id", "is_administrator"])
    .where("team_id", "=", teamId)
    .orderBy("member_id")
    .execute();
}

/** Those of these people who are members of the host. */
async function selectMemberIds(
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
