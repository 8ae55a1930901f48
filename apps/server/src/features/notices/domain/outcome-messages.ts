import {
  BATCH_ARCHIVE_DAYS,
  type Instant,
  MAIL_SUBJECTS,
  type Role,
  shortTitle,
} from "@paraphe/contracts";
import { formatInstant } from "@paraphe/kernel/french-dates";
import { andList, ofName, refusedBy } from "@paraphe/kernel/french-words";
import { french, replyToOf } from "./french.ts";
import { fit, name } from "./gsm-text.ts";
import { PLAIN_MAIL, type MailWriters, type TextWriters } from "./render-mail.ts";
import { DEEDS } from "./request-messages.ts";

/** Attached only if all stay under 10 MB. */
export type NoticeAttachment = {
  readonly name: string;
  readonly sha256: string;
  readonly sizeBytes: number;
};

export type OutcomeContents = {
  readonly trial: { readonly link: string };
  readonly extension_requested: {
    readonly envelopeTitle: string;
    readonly recipientName: string;
    readonly deadlineAt: Instant;
    readonly link: string;
  };
  readonly signed: {
    readonly envelopeTitle: string;
    readonly signerName: string;
    readonly signedAt: Instant;
    readonly signedCount: number;
    readonly signerCount: number;
    readonly link: string;
  };
  readonly returned: {
    readonly envelopeTitle: string;
    readonly recipientName: string;
    readonly reason: string;
    /** The sender is to correct it. */
    readonly toCorrect: boolean;
    /** The reader's answer, which the return voids. */
    readonly annulled?: { readonly role: Role; readonly senderName: string };
    readonly link: string | null;
  };
  readonly reassigned: {
    readonly envelopeTitle: string;
    readonly recipientName: string;
    readonly newHolder: string;
    readonly reason: string | null;
    readonly link: string;
  };
  /** The sender learns that the limit of these people's steps has passed. */
  readonly late: {
    readonly envelopeTitle: string;
    readonly names: readonly string[];
    readonly link: string;
  };
  readonly batch_ended: {
    readonly batchTitle: string | null;
    readonly total: number;
    readonly done: number;
    readonly failed: number;
    readonly endedAt: Instant;
    readonly link: string;
  };
  /** Goes to whoever sent a file's lines. */
  readonly mailing_ended: {
    readonly templateName: string;
    readonly sent: number;
    readonly failed: number;
    readonly endedAt: Instant;
    readonly link: string;
  };
  /** `proofLink` is present once the proof exists. */
  readonly completed: {
    readonly envelopeTitle: string;
    readonly senderName: string;
    readonly completedAt: Instant;
    readonly link: string;
    readonly proofLink: string | null;
    readonly attachments: readonly NoticeAttachment[];
  };
  readonly declined: {
    readonly envelopeTitle: string;
    readonly recipientName: string;
    readonly role: Role;
    readonly reason: string | null;
    readonly link: string | null;
  };
  readonly cancelled: {
    readonly envelopeTitle: string;
    readonly senderName: string;
    readonly senderEmail: string;
    readonly role: Role;
    /** The reader had consented, but not signed. */
    readonly consentVoid?: true;
  };
  /** The sender's has a link, recipients' none. */
  readonly expired: {
    readonly envelopeTitle: string;
    readonly senderName: string;
    readonly deadlineAt: Instant;
    readonly link: string | null;
  };
};

export const outcomeMails: MailWriters<OutcomeContents> = {
  trial: (content) => ({
    ...PLAIN_MAIL,
    subject: "Notification d’essai",
    preview: french`Les notifications de Paraphe vous parviennent bien.`,
    paragraphs: [
      french`Vous avez demandé une notification d'essai : elle vous est bien parvenue. Vous n'avez rien à faire.`,
    ],
    action: { label: "Mes notifications", link: content.link },
  }),

  signed: (content) => ({
    ...PLAIN_MAIL,
    subject: french`${content.signerName} a signé « ${shortTitle(content.envelopeTitle)} »`,
    preview: tally(content),
    paragraphs: [
      french`${content.signerName} a signé « ${content.envelopeTitle} » le ${formatInstant(content.signedAt)} (heure de Paris).`,
      tally(content),
    ],
    action: { label: "Suivre l’enveloppe", link: content.link },
  }),

  batch_ended: (content) => ({
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

  mailing_ended: (content) => ({
    ...PLAIN_MAIL,
    subject: french`${shortTitle(content.templateName)} : ${mailingTally(content)}`,
    preview: french`${mailingTally(content)}.`,
    paragraphs: [
      french`L'envoi par fichier du modèle « ${content.templateName} » s'est terminé le ${formatInstant(content.endedAt)} (heure de Paris).`,
      french`${mailingTally(content)}.`,
      ...(content.failed > 0
        ? [french`La page de l'envoi dit pourquoi, ligne par ligne, et permet de réessayer.`]
        : []),
    ],
    action: { label: "Ouvrir l’envoi", link: content.link },
  }),

  completed: (content) => ({
    ...PLAIN_MAIL,
    subject: MAIL_SUBJECTS.completed({ title: content.envelopeTitle }),
    preview: french`Toutes les signatures sont recueillies.`,
    paragraphs: [
      french`Toutes les signatures de « ${content.envelopeTitle} », envoyé par ${content.senderName}, ont été recueillies le ${formatInstant(content.completedAt)} (heure de Paris).`,
      french`Conservez le fichier PDF : il porte les signatures et leur preuve. Une copie imprimée n'a pas la même valeur.`,
    ],
    facts: content.proofLink === null ? [] : [["Page de vérification", content.proofLink]],
    action: { label: "Ouvrir mon exemplaire", link: content.link },
    notes: [french`Ce lien vous est personnel : ne le transmettez à personne.`],
  }),

  declined: (content) => ({
    ...PLAIN_MAIL,
    subject: MAIL_SUBJECTS.declined({
      title: content.envelopeTitle,
      declinedBy: content.recipientName,
      role: content.role,
    }),
    preview: french`La demande de signature est close.`,
    paragraphs: [
      french`${content.recipientName} ${refusalOf(content)} « ${content.envelopeTitle} ». La demande est close : plus personne ne peut signer ce document.`,
    ],
    quote: content.reason === "" ? null : content.reason,
    action: content.link === null ? null : { label: "Voir l’enveloppe", link: content.link },
  }),

  cancelled: (content) => ({
    ...PLAIN_MAIL,
    senderName: content.senderName,
    replyTo: replyToOf(content),
    subject: MAIL_SUBJECTS.cancelled({ title: content.envelopeTitle }),
    preview: french`Vous n'avez rien à faire.`,
    paragraphs: [
      french`${content.senderName} a annulé sa demande ${askedOf(content)} de « ${content.envelopeTitle} ». Le lien reçu ne fonctionne plus ; vous n'avez rien à faire.`,
      ...(content.consentVoid
        ? [
            french`Vous aviez donné votre accord, mais aucune signature n'a pu en être faite : cet accord est retiré, et rien n'est signé en votre nom.`,
          ]
        : []),
    ],
  }),

  expired: (content) => ({
    ...PLAIN_MAIL,
    subject: MAIL_SUBJECTS.expired({ title: content.envelopeTitle }),
    preview: french`L'échéance est passée.`,
    paragraphs: [
      french`L'échéance de « ${content.envelopeTitle} », envoyé par ${content.senderName}, est passée le ${formatInstant(content.deadlineAt)} (heure de Paris) avant que toutes les signatures soient recueillies.`,
    ],
    action: content.link === null ? null : { label: "Voir l’enveloppe", link: content.link },
  }),

  returned: (content) => ({
    ...PLAIN_MAIL,
    subject: content.annulled
      ? french`Document renvoyé : ${shortTitle(content.envelopeTitle)}`
      : french`${content.recipientName} ${content.toCorrect ? "vous renvoie" : "a renvoyé"} « ${shortTitle(content.envelopeTitle)} »`,
    preview: content.annulled ? annulledIn(content.annulled) : french`Motif : ${content.reason}`,
    quote: content.reason,
    paragraphs: [
      content.annulled
        ? french`${content.recipientName} a renvoyé « ${content.envelopeTitle} » ${content.toCorrect ? french`à ${content.annulled.senderName} pour correction` : "à une étape précédente"}, avec ce motif. ${annulledIn(content.annulled)} Vous n'avez rien à faire : vous recevrez une nouvelle demande si ${content.annulled.role === "visa" ? "votre visa est encore attendu" : "votre signature est encore attendue"}.`
        : content.toCorrect
          ? french`${content.recipientName} vous renvoie « ${content.envelopeTitle} » avec ce motif. Corrigez le document et envoyez-le de nouveau : visas et signatures seront redemandés.`
          : french`${content.recipientName} a renvoyé « ${content.envelopeTitle} » à une étape précédente, avec ce motif. Les signatures déjà données sur cette version sont annulées.`,
    ],
    action:
      content.link === null
        ? null
        : {
            label: content.toCorrect ? "Corriger le document" : "Suivre l’enveloppe",
            link: content.link,
          },
  }),

  reassigned: (content) => ({
    ...PLAIN_MAIL,
    subject: french`${content.recipientName} a confié son étape : ${shortTitle(content.envelopeTitle)}`,
    preview: french`${content.newHolder} répondra à sa place.`,
    quote: content.reason,
    paragraphs: [
      french`${content.recipientName} a confié à ${content.newHolder} son étape de « ${content.envelopeTitle} ». Vous n'avez rien à faire.`,
    ],
    action: { label: "Suivre l’enveloppe", link: content.link },
  }),

  late: (content) => ({
    ...PLAIN_MAIL,
    subject: french`Étape en retard : ${shortTitle(content.envelopeTitle)}`,
    preview: french`Sans réponse dans le délai : ${andList(content.names)}.`,
    paragraphs: [
      french`Le délai de l'étape est passé pour « ${content.envelopeTitle} », sans réponse ${andList(content.names.map(ofName))}. Nous venons de le leur rappeler.`,
    ],
    action: { label: "Suivre l’enveloppe", link: content.link },
  }),

  extension_requested: (content) => ({
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

function refusalOf({ role }: OutcomeContents["declined"]): string {
  return `${refusedBy(role)}${role === "visa" ? " sur" : ""}`;
}

function annulledIn({ role }: { readonly role: Role }): string {
  return role === "visa" ? "Votre visa est annulé." : "Votre signature est annulée.";
}

function tally(content: OutcomeContents["signed"]): string {
  const signatures = content.signedCount > 1 ? "signatures" : "signature";
  return french`${content.signedCount} ${signatures} sur ${content.signerCount}.`;
}

type Batch = OutcomeContents["batch_ended"];

function batchName({ batchTitle }: Pick<Batch, "batchTitle">): string {
  return batchTitle === null ? "Votre lot" : french`Lot « ${shortTitle(batchTitle)} »`;
}

function nameInSentence({ batchTitle }: Pick<Batch, "batchTitle">): string {
  return batchTitle === null ? "votre lot" : french`votre lot « ${batchTitle} »`;
}

function mailingTally({ sent, failed }: OutcomeContents["mailing_ended"]): string {
  const left = `${sent} ${sent > 1 ? "enveloppes envoyées" : "enveloppe envoyée"}`;
  return failed === 0 ? left : `${left}, ${failed} en échec`;
}

function batchTally({ total, done, failed }: Pick<Batch, "total" | "done" | "failed">): string {
  const signed = `${done} ${done > 1 ? "documents signés" : "document signé"} sur ${total}`;
  return failed === 0 ? signed : `${signed}, ${failed} en échec`;
}

export const outcomeTexts: TextWriters<OutcomeContents> = {
  trial: () => fit(() => "Message d’essai de Paraphe. Vos SMS arrivent bien.", ""),
  returned: (content) =>
    fit(
      (title) =>
        content.annulled
          ? `"${title}" est renvoyé par ${name(content.recipientName)}. ${annulledIn(content.annulled)}`
          : content.toCorrect
            ? `${name(content.recipientName)} vous renvoie "${title}" pour correction.`
            : `${name(content.recipientName)} a renvoyé "${title}" à une étape précédente.`,
      content.envelopeTitle,
    ),
  reassigned: (content) =>
    fit(
      (title) =>
        `${name(content.recipientName)} a confié à ${name(content.newHolder)} son étape de "${title}".`,
      content.envelopeTitle,
    ),
  late: (content) =>
    fit((title) => `Une étape de "${title}" est en retard.`, content.envelopeTitle),
  extension_requested: (content) =>
    fit(
      (title) => `${name(content.recipientName)} demande plus de temps pour "${title}".`,
      content.envelopeTitle,
    ),
  batch_ended: (content) =>
    fit((title) => `${title} : ${batchTally(content)}.`, batchName(content)),
  mailing_ended: (content) =>
    fit((name) => `${name} : ${mailingTally(content)}.`, content.templateName),
  signed: (content) =>
    fit(
      (title) =>
        `${name(content.signerName)} a signé "${title}" (${content.signedCount} sur ${content.signerCount}).`,
      content.envelopeTitle,
    ),
  completed: (content) =>
    fit(
      (title) => `"${title}" est signé par tous. Votre exemplaire vous attend dans Paraphe.`,
      content.envelopeTitle,
    ),
  declined: (content) =>
    fit(
      (title) => `${name(content.recipientName)} ${refusalOf(content)} "${title}".`,
      content.envelopeTitle,
    ),
  cancelled: (content) =>
    fit(
      (title) =>
        `${name(content.senderName)} a annulé sa demande ${askedOf(content)} de "${title}".`,
      content.envelopeTitle,
    ),
  expired: (content) =>
    fit((title) => `Le délai de signature de "${title}" est dépassé.`, content.envelopeTitle),
};

const askedOf = ({ role }: Pick<OutcomeContents["cancelled"], "role">): string =>
  ofName(DEEDS[role === "viewer" ? "signer" : role].noun);
