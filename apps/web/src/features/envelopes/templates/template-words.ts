import type { Template } from "@paraphe/contracts";
import { plural } from "../../../lib/format-numbers.ts";

/** « Bail.pdf, Annexe.pdf · 3 champs ». */
export function templateSummary(template: Template): string {
  return `${template.documents.map((document) => document.name).join(", ")} · ${plural(template.field_count, "champ")}`;
}

/** « Locataire, Bailleur ». */
export function roleNames(template: Template): string {
  return template.roles.length === 0 ? "Aucun rôle" : template.roles.map((role) => role.label).join(", ");
}

const ROLES = { signer: "signataire", approver: "approbateur", viewer: "en copie" } as const;

/** « Locataire (signataire, 2 champs) ». */
export function roleLegend(role: Template["roles"][number]): string {
  return `${role.label} (${ROLES[role.role]}${role.field_count > 0 ? `, ${plural(role.field_count, "champ")}` : ""})`;
}
