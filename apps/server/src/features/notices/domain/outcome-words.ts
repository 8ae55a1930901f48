import { BATCH_ARCHIVE_DAYS } from "@paraphe/contracts";
import { formatInstant } from "@paraphe/kernel/french-dates";
import { batchName, batchTally, french, nameInSentence, replyToOf, shortTitle } from "./french.ts";
import { fit, name } from "./gsm-text.ts";
import { type MailModel, PLAIN_MAIL } from "./render-mail.ts";
import type { NoticeContents } from "./notice.ts";

export const outcomeMails = {
  trial: (content: NoticeContents["trial"]): MailModel => ({
    ...PLAIN_MAIL,
    subject: "Notification d’essai",
    preview: french`Les notifications de Paraphe vous parviennent bien.`,
    paragraphs: [
      french`Vous avez demandé une notification d'essai : elle vous est bien parvenue. Vous n'avez rien à faire.`,
    ],
    action: { label: "Mes notifications", link: content.link },
  }),

  summary: (
    { items, others = 0, settingsLink }: NoticeContents["summary"],
    { publicUrl }: { readonly publicUrl: string },
  ): MailModel => {
    const count = items.length + others;
    const rest = {
      words: french`et ${others} ${others > 1 ? "autres" : "autre"}, à voir dans votre tableau de bord`,
      moment: null,
      link: `${publicUrl}/dashboard`,
    };
    return {
      ...PLAIN_MAIL,
      subject: french`Résumé quotidien : ${count} ${count > 1 ? "notifications" : "notification"}`,
      preview: items[0]?.words ?? "",
      paragraphs: [french`Voici ce qui s'est passé depuis votre dernier résumé.`],
      list: [
        ...items.map(({ words, at, link }) => ({ words, moment: formatInstant(at), link })),
        ...(others > 0 ? [rest] : []),
      ],
      action: { label: "Mes notifications", link: settingsLink },
      notes: [
        french`Vous recevez un seul message par jour parce que vous l'avez choisi. Les heures sont celles de Paris.`,
      ],
    };
  },

  signed: (content: NoticeContents["signed"]): MailModel => ({
    ...PLAIN_MAIL,
    subject: french`${content.signerName} a signé « ${shortTitle(content.envelopeTitle)} »`,
    preview: tally(content),
    paragraphs: [
      french`${content.signerName} a signé « ${content.envelopeTitle} » le ${formatInstant(content.signedAt)} (heure de Paris).`,
      tally(content),
    ],
    action: { label: "Suivre l’enveloppe", link: content.link },
  }),

  batch_ended: (content: NoticeContents["batch_ended"]): MailModel => ({
    ...PLAIN_MAIL,
    subject: french`${batchName(content)} : ${batchTally(content)}`,
    preview: french`${batchTally(content)}.`,
    paragraphs: [
      french`La signature de ${nameInSentence(content)} s'est terminée le ${formatInstant(content.endedAt)} (heure de Paris).`,
      french`${batchTally(content)}.`,
      ...(content.failed > 0
        ? [
            french`La page du lot dit pourquoi, fichier par fichier, et permet de réessayer. Les autres documents ne sont pas concernés.`,
          ]
        : []),
      ...(content.done > 0
        ? [
            french`L'archive des documents signés s'y télécharge pendant ${BATCH_ARCHIVE_DAYS} jours ; chaque document reste ensuite dans « Complété(s) ».`,
          ]
        : []),
    ],
    action: { label: "Ouvrir le lot", link: content.link },
  }),

  completed: (content: NoticeContents["completed"]): MailModel => ({
    ...PLAIN_MAIL,
    subject: french`Document signé par tous : ${shortTitle(content.envelopeTitle)}`,
    preview: french`Toutes les signatures sont recueillies.`,
    paragraphs: [
      french`Toutes les signatures de « ${content.envelopeTitle} », envoyé par ${content.senderName}, ont été recueillies le ${formatInstant(content.completedAt)} (heure de Paris).`,
      french`Conservez le fichier PDF : il porte les signatures et leur preuve. Une copie imprimée n'a pas la même valeur.`,
    ],
    facts: content.proofLink === null ? [] : [["Page de vérification", content.proofLink]],
    action: { label: "Ouvrir mon exemplaire", link: content.link },
    notes: [french`Ce lien vous est personnel : ne le transmettez à personne.`],
  }),

  declined: (content: NoticeContents["declined"]): MailModel => ({
    ...PLAIN_MAIL,
    subject: french`${content.recipientName} a refusé de signer « ${shortTitle(content.envelopeTitle)} »`,
    preview: french`La demande de signature est close.`,
    paragraphs: [
      french`${content.recipientName} a refusé de signer « ${content.envelopeTitle} ». La demande est close : plus personne ne peut signer ce document.`,
    ],
    quote: content.reason === "" ? null : content.reason,
    action: content.link === null ? null : { label: "Voir l’enveloppe", link: content.link },
  }),

  cancelled: (content: NoticeContents["cancelled"]): MailModel => ({
    ...PLAIN_MAIL,
    senderName: content.senderName,
    replyTo: replyToOf(content),
    subject: french`Demande annulée : ${shortTitle(content.envelopeTitle)}`,
    preview: french`Vous n'avez rien à faire.`,
    paragraphs: [
      french`${content.senderName} a annulé sa demande de signature de « ${content.envelopeTitle} ». Le lien reçu ne fonctionne plus ; vous n'avez rien à faire.`,
      ...(content.consentVoid
        ? [
            french`Vous aviez donné votre accord, mais aucune signature n'a pu en être faite : cet accord est retiré, et rien n'est signé en votre nom.`,
          ]
        : []),
    ],
  }),

  expired: (content: NoticeContents["expired"]): MailModel => ({
    ...PLAIN_MAIL,
    subject: french`Délai de signature dépassé : ${shortTitle(content.envelopeTitle)}`,
    preview: french`L'échéance est passée.`,
    paragraphs: [
      french`L'échéance de « ${content.envelopeTitle} », envoyé par ${content.senderName}, est passée le ${formatInstant(content.deadlineAt)} (heure de Paris) avant que toutes les signatures soient recueillies.`,
    ],
    action: content.link === null ? null : { label: "Voir l’enveloppe", link: content.link },
  }),

  extension_requested: (content: NoticeContents["extension_requested"]): MailModel => ({
    ...PLAIN_MAIL,
    subject: french`${content.recipientName} demande une prolongation : ${shortTitle(content.envelopeTitle)}`,
    preview: french`L'échéance est passée.`,
    paragraphs: [
      french`L'échéance de « ${content.envelopeTitle} » est passée le ${formatInstant(content.deadlineAt)} (heure de Paris). ${content.recipientName} souhaite encore répondre et vous demande un délai.`,
      french`Vous pouvez prolonger l'échéance depuis la page de l'enveloppe : les liens déjà envoyés fonctionneront à nouveau.`,
    ],
    action: { label: "Prolonger l’échéance", link: content.link },
  }),
};

function tally(content: NoticeContents["signed"]): string {
  const signatures = content.signedCount > 1 ? "signatures" : "signature";
  return french`${content.signedCount} ${signatures} sur ${content.signerCount}.`;
}

export const outcomeTexts = {
  trial: (): string => fit(() => "Message d’essai de Paraphe. Vos SMS arrivent bien.", ""),
  extension_requested: (content: NoticeContents["extension_requested"]): string =>
    fit(
      (title) => `${name(content.recipientName)} demande plus de temps pour "${title}".`,
      content.envelopeTitle,
    ),
  batch_ended: (content: NoticeContents["batch_ended"]): string =>
    fit((title) => `${title} : ${batchTally(content)}.`, batchName(content)),
  signed: (content: NoticeContents["signed"]): string =>
    fit(
      (title) =>
        `${name(content.signerName)} a signé "${title}" (${content.signedCount} sur ${content.signerCount}).`,
      content.envelopeTitle,
    ),
  completed: (content: NoticeContents["completed"]): string =>
    fit(
      (title) => `"${title}" est signé par tous. Votre exemplaire vous attend dans Paraphe.`,
      content.envelopeTitle,
    ),
  declined: (content: NoticeContents["declined"]): string =>
    fit(
      (title) => `${name(content.recipientName)} a refusé de signer "${title}".`,
      content.envelopeTitle,
    ),
  cancelled: (content: NoticeContents["cancelled"]): string =>
    fit(
      (title) => `${name(content.senderName)} a annulé sa demande de signature de "${title}".`,
      content.envelopeTitle,
    ),
  expired: (content: NoticeContents["expired"]): string =>
    fit((title) => `Le délai de signature de "${title}" est dépassé.`, content.envelopeTitle),
};
