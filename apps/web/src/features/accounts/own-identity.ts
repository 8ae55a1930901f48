import type { User } from "@paraphe/contracts";
import { serviceRules } from "../../lib/api/service-rules.ts";

export function unconfirmedAddress(): string {
  return serviceRules().mail
    ? "Ouvrez, en restant connecté, le lien d’une invitation reçue par email\u00a0: les documents envoyés à votre adresse s’afficheront ensuite ici."
    : "Les documents envoyés à votre adresse s’affichent une fois qu’elle est confirmée, par un email que ce service n’envoie pas. Adressez-vous à la personne qui l’administre.";
}

/** The name a person signs with; the username without one. */
export function fullName({
  first_name: firstName,
  last_name: lastName,
  username,
}: Pick<User, "first_name" | "last_name" | "username">): string {
  return `${firstName} ${lastName}`.trim() || username;
}
