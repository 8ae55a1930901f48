import {
  failure,
  problem,
  type Problem,
  type Result,
  success,
  type TeamRequest,
} from "@paraphe/contracts";
import type { Transaction } from "../../platform/database/database.ts";
import type { Platform } from "../../platform/platform.ts";
import type { OrganisationEventKind } from "./domain/journal-words.ts";
import { isPermitted } from "./domain/permissions.ts";
import { checkPermission, noteEvent } from "./members.ts";
import { lockHost, selectStanding } from "./store.ts";
import {
  deletePlace,
  deleteTeamRow,
  insertPlace,
  insertTeam,
  isNameTaken,
  type Place,
  selectMemberIds,
  selectPlaces,
  selectTeam,
  selectTeams,
  type Team,
  updatePlace,
  updateTeamName,
} from "./team-store.ts";

type Minting = Pick<Platform, "newId" | "clock">;
type Actor = { readonly id: string };

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
  const permitted = await checkPermission(trx, actor.id, "manage_teams");
  if (!permitted.ok) return permitted;
  const id = platform.newId();
  if (await isNameTaken(trx, { id, name: request.name }))
    return failure(problem("validation", { errors: NAME_TAKEN }));
  const { name } = request;
  await insertTeam(trx, { id, organisationId: host.id, name, now: platform.clock() });
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
  const { role, teams } = await selectStanding(trx, actor.id);
  const place = teams.find((one) => one.id === id) ?? null;
  if (!isPermitted(role, "change_team", place)) return failure(problem("administrators_only"));
  if (await isNameTaken(trx, { id, name: request.name }))
    return failure(problem("validation", { errors: NAME_TAKEN }));
  const team = { id, name: request.name };
  const note = noting(trx, platform, { actorId: actor.id, team });
  if (team.name !== before.name) {
    await updateTeamName(trx, team);
    await note("team_renamed", { from: before.name });
  }
  return changePeople(trx, platform, { team, members: request.members, note });
}

/** Its things stay with their owners. Errors: `not_found`. */
export async function deleteTeam(
  trx: Transaction,
  platform: Minting,
  { id, actor }: { readonly id: string; readonly actor: Actor },
): Promise<Result<null>> {
  await lockHost(trx, { id: platform.newId(), now: platform.clock() });
  const permitted = await checkPermission(trx, actor.id, "manage_teams");
  if (!permitted.ok) return permitted;
  const team = await selectTeam(trx, id);
  if (team === null) return failure(problem("not_found"));
  await deleteTeamRow(trx, id);
  await noting(trx, platform, { actorId: actor.id, team })("team_deleted");
  return success(null);
}

/** Sets all teams of a member. Errors: `not_found`; `validation` on `teams`. */
export async function changeMemberTeams(
  trx: Transaction,
  platform: Minting,
  change: { readonly memberId: string; readonly teamIds: readonly string[]; actor: Actor },
): Promise<Result<null, Problem>> {
  const { memberId, teamIds, actor } = change;
  await lockHost(trx, { id: platform.newId(), now: platform.clock() });
  const permitted = await checkPermission(trx, actor.id, "manage_teams");
  if (!permitted.ok) return permitted;
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

/** Leaves out teams that are gone meanwhile. */
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
  await insertPlace(trx, { teamId: team.id, place, now: platform.clock() });
  await note("team_joined", { subjectId: place.id });
  if (place.is_administrator) await note("team_administered", { subjectId: place.id });
}

async function setPlace(trx: Transaction, { team, place, note }: Placing): Promise<void> {
  await updatePlace(trx, team.id, place);
  const kind = place.is_administrator ? "team_administered" : "team_unadministered";
  await note(kind, { subjectId: place.id });
}

async function leave(
  trx: Transaction,
  { team, memberId, note }: { readonly team: Team; readonly memberId: string; readonly note: Note },
): Promise<void> {
  await deletePlace(trx, team.id, memberId);
  await note("team_left", { subjectId: memberId });
}
