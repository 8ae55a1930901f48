import { Alert } from "../../ui/alert/alert.tsx";

/** In the place of what would ask for a link by mail, where none leaves. */
export function NoMail() {
  return <Alert tone="info">Ce service n’envoie pas d’email. Adressez-vous à la personne qui l’administre.</Alert>;
}
