import type { MemberRole } from "@paraphe/contracts";

/** Role × action. A new action takes its row here. */
const PERMISSIONS = {
  read_settings: ["owner", "administrator"],
  change_identity: ["owner", "administrator"],
  change_registration: ["owner", "administrator"],
  change_providers: ["owner", "administrator"],
} as const satisfies Readonly<Record<string, readonly MemberRole[]>>;

export type OrganisationAction = keyof typeof PERMISSIONS;

/** `role`: null for whoever is no member. */
export function isPermitted(role: MemberRole | null, action: OrganisationAction): boolean {
  return (PERMISSIONS[action] as readonly (MemberRole | null)[]).includes(role);
}
