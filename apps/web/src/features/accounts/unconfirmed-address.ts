/** Why nothing is listed of what was sent to an address that nobody has confirmed, and what to do. */
export const UNCONFIRMED_ADDRESS =
  "Les documents envoyés à votre adresse s’affichent une fois qu’elle est confirmée. Ouvrez le lien d’une invitation reçue par email en restant connecté.";
