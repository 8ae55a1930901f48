import * as z from "zod/mini";
import { MEMBER_ROLES, type MemberRole } from "./account.ts";
import {
  emailSchema,
  idSchema,
  instantSchema,
  namedLineSchema,
  teamChoice,
  teamRef,
} from "./schema.ts";

export const ROLE_NAMES = {
  owner: "Propriétaire",
  administrator: "Administrateur",
  member: "Membre",
  reader: "Lecteur",
} as const satisfies Readonly<Record<MemberRole, string>>;

const role = z.enum(MEMBER_ROLES);
/** An owner is named by another owner only. */
export const INVITED_ROLES = ["member", "reader", "administrator"] as const;
const invitedRole = z.enum(INVITED_ROLES);
export type InvitedRole = z.infer<typeof invitedRole>;

/** `has_second_factor`, `seen_at`: null for whoever does not manage members. */
export const organisationMember = z.strictObject({
  id: idSchema,
  name: z.string(),
  email: z.string(),
  role,
  joined_at: instantSchema,
  has_second_factor: z.nullable(z.boolean()),
  /** The last use of a session; null also when none is left. */
  seen_at: z.nullable(instantSchema),
  teams: z.array(teamRef),
});
export type OrganisationMember = z.infer<typeof organisationMember>;

/** `open_invitations` is null for the same readers. */
export const memberList = z.strictObject({
  members: z.array(organisationMember),
  open_invitations: z.nullable(z.int()),
});
export type MemberList = z.infer<typeof memberList>;

/** `from`: the role that was shown; another one is refused. */
export const roleRequest = z.strictObject({ role, from: role });
export type RoleRequest = z.infer<typeof roleRequest>;

export const MOST_INVITED = 50;
export const inviteRequest = z.strictObject({
  emails: z
    .array(emailSchema)
    .check(
      z.minLength(1, "Indiquez au moins une adresse."),
      z.maxLength(MOST_INVITED, `${MOST_INVITED} adresses au maximum`),
    ),
  role: invitedRole,
  team: teamChoice,
});
export type InviteRequest = z.infer<typeof inviteRequest>;

export const invitationRow = z.strictObject({
  id: idSchema,
  email: z.string(),
  role,
  invited_by: z.nullable(z.string()),
  team: z.nullable(teamRef),
  sent_at: instantSchema,
  expires_at: instantSchema,
});
export type InvitationRow = z.infer<typeof invitationRow>;
export const invitationList = z.strictObject({ invitations: z.array(invitationRow) });
export type InvitationList = z.infer<typeof invitationList>;

export const invitationToken = z.strictObject({
  token: z.string().check(z.minLength(1), z.maxLength(128)),
});
/** `account`: whether the invited address has one. */
export const invitationAnswer = z.strictObject({
  organisation: z.nullable(z.string()),
  email: z.string(),
  role: z.nullable(role),
  invited_by: z.nullable(z.string()),
  expires_at: instantSchema,
  account: z.enum(["none", "open", "closed"]),
});
export type InvitationAnswer = z.infer<typeof invitationAnswer>;

/** What passes to somebody else when a member leaves. */
export const holdings = z.strictObject({
  open_envelopes: z.int(),
  closed_envelopes: z.int(),
  drafts: z.int(),
  templates: z.int(),
  layouts: z.int(),
  contacts: z.int(),
  /** Of circuits and of envelopes under way, that name this person. */
  circuit_steps: z.int(),
  /** Documents that wait for this person's signature: they stay theirs. */
  to_sign: z.int(),
});
export type Holdings = z.infer<typeof holdings>;
/** Names a member who is no reader, or a team that has one. */
export const removalRequest = z.union([
  z.strictObject({ heir_id: idSchema }),
  z.strictObject({ team_id: idSchema }),
]);
export type RemovalRequest = z.infer<typeof removalRequest>;

export const MOST_TEAM_MEMBERS = 500;
const teamName = namedLineSchema(60, { required: "Nom requis", kind: "nom" });
const teamMember = z.strictObject({ id: idSchema, is_administrator: z.boolean() });
/** `can_change`: name and people. */
export const team = z.strictObject({
  ...teamRef.shape,
  members: z.array(z.strictObject({ ...teamMember.shape, name: z.string() })),
  templates: z.int(),
  open_envelopes: z.int(),
  can_change: z.boolean(),
});
export type Team = z.infer<typeof team>;
export const teamList = z.strictObject({ teams: z.array(team) });
export type TeamList = z.infer<typeof teamList>;
const teamPeople = z
  .array(teamMember)
  .check(z.maxLength(MOST_TEAM_MEMBERS, `${MOST_TEAM_MEMBERS} personnes au maximum`));
export const newTeamRequest = z.strictObject({
  name: teamName,
  members: z._default(teamPeople, []),
});
export type NewTeamRequest = z.input<typeof newTeamRequest>;
export const teamRequest = z.strictObject({ name: teamName, members: teamPeople });
export type TeamRequest = z.infer<typeof teamRequest>;
export const memberTeamsRequest = z.strictObject({
  teams: z.array(idSchema).check(z.maxLength(MOST_TEAM_MEMBERS, "Trop d’équipes")),
});

export const journalEntry = z.strictObject({
  id: idSchema,
  at: instantSchema,
  kind: z.string(),
  /** « Console du serveur » for the operator's command. */
  actor: z.string(),
  sentence: z.string(),
});
export type JournalEntry = z.infer<typeof journalEntry>;
/** `next`: the `before` of older entries; null at the end. */
export const organisationJournal = z.strictObject({
  entries: z.array(journalEntry),
  next: z.nullable(idSchema),
});
export type OrganisationJournal = z.infer<typeof organisationJournal>;
export const journalQuery = z.strictObject({ before: z.optional(idSchema) });
export const journalExportQuery = z.strictObject({ format: z.enum(["csv", "json"]) });
