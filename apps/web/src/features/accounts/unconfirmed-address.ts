import { serviceRules } from "../../lib/service-rules.ts";

/** Why nothing is listed of what was sent to an address that nobody has confirmed, and what to do. */
export function unconfirmedAddress(): string {
  return serviceRules().mail
    ? "Les documents envoyés à votre adresse s’affichent une fois qu’elle est confirmée. Ouvrez le lien d’une invitation reçue par email en restant connecté."
    : "Les documents envoyés à votre adresse s’affichent une fois qu’elle est confirmée, par un email que ce service n’envoie pas. Adressez-vous à la personne qui l’administre.";
}
