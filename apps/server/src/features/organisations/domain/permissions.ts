import type { MemberRole } from "@paraphe/contracts";

const LEADERS = ["owner", "administrator"] as const;
const EVERY_MEMBER = ["owner", "administrator", "member", "reader"] as const;

/** Role × action. A new action takes its row here. */
const PERMISSIONS = {
  read_settings: LEADERS,
  change_identity: LEADERS,
  change_appearance: LEADERS,
  change_registration: LEADERS,
  change_providers: LEADERS,
  list_members: EVERY_MEMBER,
  /** Factors, last use, invitations: what only those who manage members see. */
  watch_members: LEADERS,
  invite_members: LEADERS,
  change_role: LEADERS,
  change_owner: ["owner"],
  end_sessions: LEADERS,
  remove_member: LEADERS,
  /** What a leaver had. */
  receive_work: ["owner", "administrator", "member"],
  read_journal: LEADERS,
  use_circuits: EVERY_MEMBER,
  change_circuits: LEADERS,
} as const satisfies Readonly<Record<string, readonly MemberRole[]>>;

export type OrganisationAction = keyof typeof PERMISSIONS;

/** `role`: null for whoever is no member. */
export function isPermitted(role: MemberRole | null, action: OrganisationAction): boolean {
  return (PERMISSIONS[action] as readonly (MemberRole | null)[]).includes(role);
}

/** The refusal that names who may. */
export function refusalOf(action: OrganisationAction): "members_only" | "administrators_only" {
  return PERMISSIONS[action] === EVERY_MEMBER ? "members_only" : "administrators_only";
}
