import { failure, problem, type Result, type Role, success } from "@paraphe/contracts";
import type { TemplateRole } from "./template.ts";

type Person = { readonly id: string; readonly role: Role; readonly order: number };
const WORDS: Readonly<Record<Role, string>> = { signer: "Signataire", approver: "Approbateur", viewer: "Copie" };

/**
 * Puts a role in the place of each recipient: the name it was given, or « Signataire 2 », say.
 * Errors: `validation` on `roles`, for a name given twice and for a recipient of another envelope.
 */
export function nameRoles(
  recipients: readonly Person[],
  given: readonly { readonly recipient: string; readonly label: string }[],
): Result<readonly TemplateRole[]> {
  const ids = new Set(recipients.map((recipient) => recipient.id));
  const labels = new Map<string, string>();
  const taken = new Set<string>();
  const errors: Record<string, string[]> = {};
  for (const [index, { recipient, label }] of given.entries()) {
    if (!ids.has(recipient) || labels.has(recipient)) errors[`roles.${index}.recipient`] = ["Ce destinataire n’est pas dans l’enveloppe"];
    else if (taken.has(key(label))) errors[`roles.${index}.label`] = ["Ce nom de rôle est déjà pris"];
    labels.set(recipient, label);
    taken.add(key(label));
  }
  if (Object.keys(errors).length > 0) return failure(problem("validation", { errors }));
  return success(
    recipients.map(({ id, role, order }) => {
      const label = labels.get(id) ?? firstFree(WORDS[role], taken);
      taken.add(key(label));
      return { label, role, order };
    }),
  );
}

function firstFree(word: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number++) if (!taken.has(key(`${word} ${number}`))) return `${word} ${number}`;
}

function key(label: string): string {
  return label.normalize("NFKC").toLowerCase();
}
