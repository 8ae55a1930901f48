import { failure, problem, type RecipientRequest, type Result, success, type UseTemplateRequest } from "@paraphe/contracts";
import type { TemplateRole } from "./template.ts";

/**
 * Gives the recipients of an envelope made of a template: one person for every role, in the template's order.
 * Errors: `validation`, each role without its person under `roles.<index>`, and each person for a role that is not there or is held already.
 */
export function fillRoles(roles: readonly TemplateRole[], people: UseTemplateRequest["people"]): Result<readonly RecipientRequest[]> {
  const errors: Record<string, string[]> = {};
  const holders = new Map<number, UseTemplateRequest["people"][number]>();
  for (const [index, person] of people.entries()) {
    if (roles[person.role_index] === undefined) errors[`people.${index}.role_index`] = ["Ce rôle n’est pas dans le modèle"];
    else if (holders.has(person.role_index)) errors[`people.${index}.role_index`] = ["Ce rôle a déjà une personne"];
    holders.set(person.role_index, person);
  }
  const filled = roles.flatMap(({ label, role, order }, index) => {
    const holder = holders.get(index);
    if (holder === undefined) {
      errors[`roles.${index}`] = [`Indiquez une personne pour le rôle «\u00a0${label}\u00a0»`];
      return [];
    }
    const { email, full_name, phone_number } = holder;
    return [{ email, full_name, phone_number, role, order }];
  });
  return Object.keys(errors).length === 0 ? success(filled) : failure(problem("validation", { errors }));
}
