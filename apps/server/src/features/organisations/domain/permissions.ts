import type { MemberRole } from "@paraphe/contracts";

/** Null: no member of the organisation, who uses the service alone. */
type Role = MemberRole | null;
/** A team that a person is in. */
export type TeamPlace = {
  readonly id: string;
  readonly name: string;
  readonly isAdministrator: boolean;
};
/** What decides on a person: the role in the organisation, and the teams. */
export type Standing = {
  readonly role: Role;
  readonly teams: readonly TeamPlace[];
};

const LEADERS = ["owner", "administrator"] as const;
const WORKERS = ["owner", "administrator", "member"] as const;
const EVERY_MEMBER = ["owner", "administrator", "member", "reader"] as const;

/**
 * Role × action. A new action takes its row here; a row of
 * `TEAM_PERMISSIONS` adds who may in a team of which they are administrators.
 */
const PERMISSIONS = {
  read_settings: LEADERS,
  change_identity: LEADERS,
  change_appearance: LEADERS,
  change_registration: LEADERS,
  change_access: LEADERS,
  change_providers: LEADERS,
  list_members: EVERY_MEMBER,
  /** Factors, last use, invitations: what only those who manage members see. */
  watch_members: LEADERS,
  invite_members: LEADERS,
  change_role: LEADERS,
  change_owner: ["owner"],
  end_sessions: LEADERS,
  reset_factors: LEADERS,
  remove_member: LEADERS,
  /** What a leaver had. */
  receive_work: WORKERS,
  read_journal: LEADERS,
  use_circuits: EVERY_MEMBER,
  change_circuits: LEADERS,
  /** To name a delegate, and to be told of one's own. */
  delegate: EVERY_MEMBER,
  sign_by_delegation: WORKERS,
  list_teams: EVERY_MEMBER,
  manage_teams: LEADERS,
  /** The name and the people of one team. */
  change_team: LEADERS,
  /**
   * To prepare, send and sign for the organisation, alone or in a team; whoever reads a team's work
   * is in the team, whatever the role.
   */
  do_work: [null, ...WORKERS],
} as const satisfies Readonly<Record<string, readonly Role[]>>;

/** Of a team's administrator, in that team alone. */
const TEAM_PERMISSIONS: Readonly<Partial<Record<OrganisationAction, readonly Role[]>>> = {
  change_team: WORKERS,
};

export type OrganisationAction = keyof typeof PERMISSIONS;

/** `team`: the one that the action is about, for whoever is in it. */
export function isPermitted(
  role: Role,
  action: OrganisationAction,
  team: Pick<TeamPlace, "isAdministrator"> | null = null,
): boolean {
  const allowed: readonly Role[] = PERMISSIONS[action];
  return (
    allowed.includes(role) ||
    (team?.isAdministrator === true && TEAM_PERMISSIONS[action]?.includes(role) === true)
  );
}

/** The refusal that names who may. */
export function refusalOf(
  action: OrganisationAction,
): "members_only" | "administrators_only" | "readers_only_read" {
  if (action === "do_work") return "readers_only_read";
  return PERMISSIONS[action] === EVERY_MEMBER ? "members_only" : "administrators_only";
}

/** Whose envelopes, templates, layouts and contacts a person sees: their own, and those of teams. */
export function holdersOf({
  id,
  teams,
}: {
  readonly id: string;
  readonly teams: readonly Pick<TeamPlace, "id">[];
}): readonly string[] {
  return [id, ...teams.map((team) => team.id)];
}
