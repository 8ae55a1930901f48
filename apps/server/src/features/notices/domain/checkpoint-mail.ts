import { french } from "./french.ts";
import { frenchMoment } from "./french-dates.ts";
import { type MailModel, PLAIN_MAIL } from "./mail-model.ts";
import type { NoticeContents } from "./notice.ts";

const COUNT = new Intl.NumberFormat("fr-FR");

/** The mail that brings a state of the transparency log to whoever keeps it: what it is, what to do with it, and how it is used one day. */
export function checkpointMail(
  { size, root, at, file }: NoticeContents["checkpoint"],
  { publicUrl }: { readonly publicUrl: string },
): MailModel {
  const host = new URL(publicUrl).host;
  const count = `${COUNT.format(size)} empreinte${size > 1 ? "s" : ""}`;
  return {
    ...PLAIN_MAIL,
    subject: french`Point de contrôle à conserver : ${count}`,
    preview: french`L'état du journal de transparence, signé et horodaté.`,
    paragraphs: [
      french`La pièce jointe est l'état du journal de transparence de ${host} au ${frenchMoment(at)} (heure de Paris), signé et horodaté.`,
      french`Conservez ce message, là où ceux qui administrent le service ne peuvent pas l'effacer. Il n'y a rien d'autre à faire. Tant que vous l'avez, personne ne peut changer ce qui s'est passé auparavant sans que cela se voie. Il ne contient aucun nom, aucune adresse, aucun titre.`,
      french`Le jour où il y a un doute : enregistrez la pièce jointe, puis déposez-la sur la page « Journal de transparence » du service, ou lancez, là où le programme est installé : paraphe log ${file.name}`,
    ],
    facts: [
      ["Empreintes", COUNT.format(size)],
      ["Racine (SHA-256)", root],
    ],
    action: { label: "Journal de transparence", link: new URL("/journal-de-transparence", publicUrl).href },
    notes: [
      french`Vous recevez ce message parce que votre adresse est celle du réglage CHECKPOINT_MAIL, une fois par heure au plus, quand quelque chose a été ajouté au journal.`,
    ],
  };
}
