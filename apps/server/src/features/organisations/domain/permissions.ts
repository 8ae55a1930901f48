import type { MemberRole, ProgramHolder } from "@paraphe/contracts";

/** Null: no member, so alone in the service. */
type Role = MemberRole | null;
export type TeamPlace = {
  readonly id: string;
  readonly name: string;
  readonly isAdministrator: boolean;
};
/** Role and teams decide what a person may do. */
export type Standing = {
  readonly role: Role;
  readonly teams: readonly TeamPlace[];
};

const LEADERS = ["owner", "administrator"] as const;
const WORKERS = ["owner", "administrator", "member"] as const;
const EVERY_MEMBER = ["owner", "administrator", "member", "reader"] as const;

/** A new action takes its row here; `TEAM_PERMISSIONS` adds who may in a team they administer. */
const PERMISSIONS = {
  read_settings: LEADERS,
  change_identity: LEADERS,
  change_appearance: LEADERS,
  change_registration: LEADERS,
  change_access: LEADERS,
  change_providers: LEADERS,
  list_members: EVERY_MEMBER,
  watch_members: LEADERS,
  invite_members: LEADERS,
  change_role: LEADERS,
  change_owner: ["owner"],
  end_sessions: LEADERS,
  reset_factors: LEADERS,
  remove_member: LEADERS,
  receive_work: WORKERS,
  read_journal: LEADERS,
  use_circuits: EVERY_MEMBER,
  change_circuits: LEADERS,
  delegate: EVERY_MEMBER,
  sign_by_delegation: WORKERS,
  list_teams: EVERY_MEMBER,
  manage_teams: LEADERS,
  change_team: LEADERS,
  manage_programs: LEADERS,
  /**
   * Prepares, sends and signs for the organisation, alone or in a team; a team's readers are in it,
   * whatever the role.
   */
  do_work: [null, ...WORKERS],
} as const satisfies Readonly<Record<string, readonly Role[]>>;

/** Rights of a team's administrator, in it alone. */
const TEAM_PERMISSIONS: Readonly<Partial<Record<OrganisationAction, readonly Role[]>>> = {
  change_team: WORKERS,
  manage_programs: WORKERS,
};

export type OrganisationAction = keyof typeof PERMISSIONS;

/** `team`: the one the action is about. */
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

export function refusalOf(
  action: OrganisationAction,
): "members_only" | "administrators_only" | "readers_only_read" {
  if (action === "do_work") return "readers_only_read";
  return PERMISSIONS[action] === EVERY_MEMBER ? "members_only" : "administrators_only";
}

export function rolesWith(action: OrganisationAction, team?: "team"): readonly MemberRole[] {
  return EVERY_MEMBER.filter((role) =>
    isPermitted(role, action, team && { isAdministrator: true }),
  );
}

/** `holder`: whose key calls, instead of the person. */
export type Holding = {
  readonly id: string;
  readonly teams: readonly Pick<TeamPlace, "id">[];
  readonly holder?: ProgramHolder | undefined;
};

export const selfOf = ({ id, holder }: Holding): string => holder?.id ?? id;

export function holdersOf(user: Holding): readonly string[] {
  return [...new Set([selfOf(user), ...user.teams.map(({ id }) => id)])];
}
