import {
  type Instant,
  MAIL_SUBJECTS,
  OTP_VALIDITY_S,
  type Role,
  WAITS,
  shortTitle,
} from "@paraphe/contracts";
import { formatInstant, formatLongDay, formatLongDayMonth } from "@paraphe/kernel/french-dates";
import { ofName } from "@paraphe/kernel/french-words";
import {
  type Corrected,
  correctedWords,
  french,
  groupedCode,
  replyToOf,
  senderOf,
  unlinked,
} from "./french.ts";
import { ask, fit } from "./gsm-text.ts";
import {
  type MailModel,
  PLAIN_MAIL,
  type MailContext,
  type MailWriters,
  type TextWriters,
} from "./render-mail.ts";

type RequestContent = {
  readonly envelopeTitle: string;
  readonly senderName: string;
  readonly senderEmail: string;
  readonly senderTeam?: string;
  readonly role: Role;
  readonly deadlineAt: Instant | null;
  readonly dueDay?: string;
  readonly message: string | null;
  /** A later step sent the document back. */
  readonly returned?: true;
  readonly corrected?: Corrected;
  /** For whom its reader may answer, and the last day. */
  readonly behalf?: { readonly name: string; readonly until: string };
  /** Where the document waits besides the link, or instead of it. */
  readonly account?: "also" | "only";
  readonly link: string;
};

export type RequestContents = {
  readonly invitation: RequestContent;
  readonly code: {
    readonly code: string;
    readonly envelopeTitle: string;
    readonly senderName: string;
    readonly role: Role;
  };
  readonly phone_code: { readonly code: string };
  readonly reminder: RequestContent;
  readonly expiring: Omit<RequestContent, "message" | "deadlineAt"> & {
    readonly deadlineAt: Instant;
    readonly daysLeft: 1 | 2;
    readonly waitingFor: readonly string[] | null;
  };
  /**
   * `reopened`: the former deadline had passed. `fixed`: none before, or later. `knownDeadlineAt`:
   * the last one this reader got, or null.
   */
  readonly extended: Omit<RequestContent, "deadlineAt"> & {
    readonly deadlineAt: Instant;
    readonly reopened: boolean;
    readonly fixed?: boolean;
    readonly knownDeadlineAt?: Instant | null;
  };
};

export const DEEDS = {
  signer: {
    verb: "signer",
    noun: "signature",
    asks: "vous demande de signer",
    label: "Lire et signer",
  },
  approver: {
    verb: "approuver",
    noun: "approbation",
    asks: "vous demande d’approuver",
    label: "Lire et approuver",
  },
  visa: {
    verb: "viser",
    noun: "visa",
    asks: "vous demande votre visa sur",
    label: "Lire et viser",
  },
  viewer: {
    verb: "consulter",
    noun: "lecture",
    asks: "vous transmet pour information",
    label: "Consulter le document",
  },
} as const;

export const requestMails: MailWriters<Omit<RequestContents, "phone_code">> = {
  invitation: (content, context) => {
    const deed = DEEDS[content.role];
    return {
      ...requestMail(content, context),
      subject: withBehalf(
        content.returned
          ? french`Document renvoyé : ${shortTitle(content.envelopeTitle)}`
          : content.corrected
            ? french`Version corrigée : ${shortTitle(content.envelopeTitle)}`
            : MAIL_SUBJECTS.invitation({ role: content.role, title: content.envelopeTitle }),
        content,
      ),
      preview: french`${content.senderName} ${deed.asks} ce document.`,
      paragraphs: [
        french`${senderOf(content)} ${deed.asks} « ${content.envelopeTitle} ».`,
        ...(content.corrected ? [correctedWords(content.corrected, content.behalf)] : []),
        ...howTo(content),
      ],
    };
  },

  reminder: (content, context) => {
    const due =
      content.deadlineAt === null
        ? ""
        : french` (échéance le ${formatLongDayMonth(content.deadlineAt)})`;
    return {
      ...requestMail(content, context),
      subject: withBehalf(MAIL_SUBJECTS.reminder(content) + due, content),
      preview: french`« ${content.envelopeTitle} »`,
      paragraphs: [
        french`${senderOf(content)} ${WAITS[content.role]} : « ${content.envelopeTitle} ».`,
        ...howTo(content),
      ],
    };
  },

  expiring: (content, context) =>
    content.waitingFor === null
      ? deadlineNear(content, context)
      : deadlineNearForSender(content, content.waitingFor),

  extended: (content, context) => {
    const deed = DEEDS[content.role];
    const made = content.fixed === true ? "a fixé l’échéance" : "a prolongé le délai";
    const links = content.reopened
      ? " Votre lien fonctionne à nouveau."
      : " Vos liens précédents restent valables.";
    const works = content.behalf === undefined ? links : "";
    return {
      ...requestMail(content, context),
      subject: withBehalf(MAIL_SUBJECTS.extended({ title: content.envelopeTitle }), content),
      preview: french`Vous avez jusqu'au ${formatLongDayMonth(content.deadlineAt)} pour ${deed.verb}.`,
      paragraphs: [
        french`${senderOf(content)} ${made} de « ${content.envelopeTitle} » : vous avez jusqu'au ${formatInstant(content.deadlineAt)} (heure de Paris) pour ${deed.verb}.${works}`,
        ...howTo(content),
      ],
    };
  },

  /** Has no link: a message with one asks for no code (security line 36). */
  code: (content) => ({
    ...PLAIN_MAIL,
    subject: french`${groupedCode(content.code)} est votre code ${ofName(DEEDS[content.role].noun)}`,
    preview: french`Valable ${OTP_VALIDITY_S / 60} minutes.`,
    paragraphs: [
      french`Voici le code à usage unique pour ${content.role === "viewer" ? "" : "lire et "}${DEEDS[content.role].verb} « ${unlinked(content.envelopeTitle)} », envoyé par ${unlinked(content.senderName)}.`,
    ],
    code: groupedCode(content.code),
    notes: [
      french`Il est valable ${OTP_VALIDITY_S / 60} minutes et ne sert qu'une fois.`,
      french`Ne le communiquez à personne. Nous ne vous le demanderons jamais par téléphone.`,
      french`Vous n'avez pas demandé ce code ? Ignorez ce message : sans lui, personne ne peut ${DEEDS[content.role].verb} à votre place.`,
    ],
  }),
};

function requestMail(content: RequestContent, context: MailContext) {
  return {
    ...PLAIN_MAIL,
    senderName: content.senderName,
    replyTo: replyToOf(content),
    quote: content.message === "" ? null : content.message,
    facts: [
      ...(content.dueDay === undefined
        ? []
        : ([
            ["Réponse attendue", french`au plus tard le ${formatLongDay(content.dueDay)}`],
          ] as const)),
      ...(content.deadlineAt === null
        ? []
        : ([["Échéance", french`${formatInstant(content.deadlineAt)} (heure de Paris)`]] as const)),
    ],
    action: { label: DEEDS[content.role].label, link: content.link },
    notes: [
      content.behalf === undefined
        ? french`Ce lien vous est personnel : ne le transmettez à personne.`
        : french`Vous pouvez refuser cette délégation à tout moment, dans Paramètres, Délégations.`,
      french`Vous ne connaissez pas l'expéditeur ? Vérifiez que l'adresse du lien commence par ${context.publicUrl}/ et, dans le doute, demandez-lui confirmation par un autre moyen.`,
    ],
  };
}

function deadlineNear(content: RequestContents["expiring"], context: MailContext): MailModel {
  const deed = DEEDS[content.role];
  const left = content.daysLeft === 1 ? "24 heures" : "2 jours";
  return {
    ...requestMail({ ...content, message: null }, context),
    subject: withBehalf(
      french`Plus que ${left} pour ${deed.verb} : ${shortTitle(content.envelopeTitle)}`,
      content,
    ),
    preview: french`${content.senderName} ${WAITS[content.role]}.`,
    paragraphs: [
      french`${senderOf(content)} ${WAITS[content.role]} : « ${content.envelopeTitle} ». Passé l'échéance, ${content.behalf === undefined ? "le lien ne servira plus" : "il sera trop tard"}.`,
      ...howTo(content),
    ],
  };
}

function deadlineNearForSender(
  content: RequestContents["expiring"],
  waitingFor: readonly string[],
): MailModel {
  const count = waitingFor.length;
  const told =
    count > 1
      ? french`Les personnes attendues viennent d'en être averties.`
      : french`La personne attendue vient d'en être avertie.`;
  return {
    ...PLAIN_MAIL,
    subject: french`Échéance proche : ${shortTitle(content.envelopeTitle)}`,
    preview: french`${count} ${count > 1 ? "réponses manquent" : "réponse manque"} encore.`,
    paragraphs: [
      french`L'échéance de « ${content.envelopeTitle} » est le ${formatInstant(content.deadlineAt)} (heure de Paris), et toutes les réponses ne sont pas recueillies. ${told}`,
    ],
    facts: [[count > 1 ? "Personnes attendues" : "Personne attendue", waitingFor.join(", ")]],
    action: { label: "Suivre l’enveloppe", link: content.link },
  };
}

function withBehalf(subject: string, { behalf }: Pick<RequestContent, "behalf">): string {
  return behalf === undefined ? subject : french`${subject} (pour ${behalf.name})`;
}

function howTo({
  role,
  behalf,
  account,
}: Pick<RequestContent, "role" | "behalf" | "account">): readonly string[] {
  if (role === "viewer") return [];
  if (behalf !== undefined)
    return [
      french`Vous répondez pour ${behalf.name}, par délégation, jusqu'au ${formatLongDay(behalf.until)}. Le document vous attend dans « Action requise » : connectez-vous pour le lire.`,
    ];
  if (account === "only")
    return [
      french`Votre organisation demande un second facteur avant chaque signature : le document vous attend dans votre compte, sous « Action requise ». Connectez-vous pour y répondre.`,
    ];
  if (account === "also")
    return [
      french`Le document vous attend aussi dans votre compte, sous « Action requise ». Sans vous connecter, suivez le lien : un code à usage unique confirmera votre identité.`,
    ];
  return [
    french`Aucun compte n'est nécessaire : un code à usage unique confirmera votre identité, puis vous pourrez lire le document et répondre.`,
  ];
}

export const requestTexts: TextWriters<RequestContents> = {
  // The code is bound to our origin: WICG « Origin-bound one-time codes » §3.
  code: (content, host) =>
    fit(
      (title) =>
        `${content.code} : code pour ${DEEDS[content.role].verb} "${title}". Valable ${OTP_VALIDITY_S / 60} min. Ne le transmettez pas.\n@${host} #${content.code}`,
      content.envelopeTitle,
    ),
  phone_code: (content, host) =>
    fit(
      () =>
        `${content.code} : code pour vérifier votre numéro. Valable ${OTP_VALIDITY_S / 60} min. Ne le transmettez pas.\n@${host} #${content.code}`,
      "",
    ),
  invitation: (content) => ask(content.corrected ? "Corrigé, " : "", content),
  reminder: (content) => ask("Rappel, ", content),
  expiring: (content) =>
    content.waitingFor === null
      ? ask(`Plus que ${content.daysLeft === 1 ? "24 h" : "2 jours"}, `, content)
      : fit(
          (title) =>
            `L'échéance de "${title}" est proche. Réponses attendues : ${content.waitingFor?.length}.`,
          content.envelopeTitle,
        ),
  extended: (content) =>
    ask(content.fixed === true ? "Nouvelle échéance, " : "Délai prolongé, ", content),
};
