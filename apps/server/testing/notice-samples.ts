import type { MailKind, NoticeContents } from "../src/features/notices/domain/notice.ts";

const ORIGIN = "https://sign.exemple.fr";
const request = {
  envelopeTitle: "Bail – 12 rue Haute <b>& Cie</b>",
  senderName: "Paul Martin",
  senderEmail: "paul.martin@exemple.fr",
  role: "signer",
  deadlineAt: "2026-11-28T17:00:00.000Z",
  message: "Bonjour Zoë,\nmerci de signer <script>alert(1)</script> avant vendredi.",
  link: `${ORIGIN}/sign/01990000-0000-7000-8000-000000000001?token=${"t".repeat(43)}`,
} as const;

/** One of each kind, with a title that looks like HTML. */
export const NOTICE_SAMPLES: NoticeContents = {
  activation: { username: "zoe", link: `${ORIGIN}/api/signature/activate/u/t/` },
  registration_invited: {
    organisation: "Cabinet Aubry & Associés",
    link: `${ORIGIN}/register?invitation=${"t".repeat(43)}`,
    administrator: true,
  },
  member_invited: {
    organisation: "Cabinet Aubry & Associés",
    inviter: "Clémence Aubry-Lefèvre",
    role: "reader",
    link: `${ORIGIN}/invitation#${"t".repeat(43)}`,
  },
  access_ended: {
    organisation: "Cabinet Aubry & Associés",
    endedAt: "2026-11-21T14:16:00.000Z",
  },
  webhook_paused: {
    why: "failing",
    host: "paie.exemple.fr",
    link: `${ORIGIN}/settings/programmes`,
  },
  delegation_given: {
    delegator: "Clémence Aubry-Lefèvre",
    delegate: "Maximilien Vandenbroucke",
    isDelegate: true,
    isOnlyVisas: false,
    period: "du 16 au 27\u00a0novembre 2026",
    scope: "toutes ses étapes",
    link: `${ORIGIN}/settings/delegations`,
  },
  delegation_ended: {
    by: "delegator",
    hasLeft: false,
    actor: "Clémence Aubry-Lefèvre",
    link: `${ORIGIN}/settings/delegations`,
  },
  delegation_used: {
    act: "signature",
    delegate: "Maximilien Vandenbroucke",
    envelopeTitle: "Bail",
    signedAt: "2026-11-21T14:16:00.000Z",
    link: `${ORIGIN}/signature/detail/e`,
  },
  delegation_returned: {
    role: "visa",
    delegate: "Maximilien Vandenbroucke",
    envelopeTitle: "Bail",
    link: `${ORIGIN}/signature/sign/e`,
  },
  work_received: {
    from: "Fanny Delaunay",
    team: "Service Urbanisme",
    counts: ["8 enveloppes en cours", "3 brouillons"],
    steps: 2,
    link: `${ORIGIN}/signature/envelopes/sent`,
  },
  factor_asked: {
    organisation: "Cabinet Aubry",
    by: "2026-11-30T23:00:00.000Z",
    signs: false,
    link: `${ORIGIN}/settings/security`,
  },
  leaver_awaited: {
    leaver: "Fanny Delaunay",
    count: 2,
    link: `${ORIGIN}/signature/envelopes/sent?search=fanny%40exemple.fr`,
  },
  already_registered: { loginLink: `${ORIGIN}/login`, resetLink: `${ORIGIN}/password-reset` },
  reset: { username: "zoe", link: `${ORIGIN}/reset-password/u/t` },
  password_changed: {
    changedAt: "2026-11-21T14:16:00.000Z",
    resetLink: `${ORIGIN}/password-reset`,
  },
  factors_changed: {
    change: "passkey_added",
    changedAt: "2026-11-21T14:16:00.000Z",
    resetLink: `${ORIGIN}/password-reset`,
  },
  address_confirmation: { link: `${ORIGIN}/profile?email=${"t".repeat(43)}` },
  address_changing: {
    newAddress: "z•••@exemple.fr",
    done: false,
    resetLink: `${ORIGIN}/password-reset`,
  },
  account_erased: {
    erasedAt: "2026-11-21T14:16:00.000Z",
    keepsEvidence: true,
    privacyLink: `${ORIGIN}/confidentialite`,
  },
  checkpoint: {
    size: 1_234,
    root: "5f".repeat(32),
    at: "2026-11-21T14:16:00.000Z",
    file: { name: "checkpoint-000000001234.json", text: '{\n  "size": 1234\n}\n' },
  },
  summary: {
    items: [
      {
        words: "Zoë Œuvrard a signé «\u00a0Bail – 12 rue Haute <b>& Cie</b>\u00a0»",
        at: "2026-11-21T14:16:00.000Z",
        link: `${ORIGIN}/signature/detail/e`,
      },
      { words: "Demande annulée\u00a0: Mandat", at: "2026-11-21T15:00:00.000Z", link: null },
    ],
    settingsLink: `${ORIGIN}/settings/notifications`,
  },
  trial: { link: `${ORIGIN}/settings/notifications` },
  invitation: request,
  code: {
    code: "482913",
    envelopeTitle: request.envelopeTitle,
    senderName: "Paul Martin",
    role: "signer",
  },
  phone_code: { code: "482913" },
  reminder: request,
  expiring: { ...request, deadlineAt: "2026-11-28T17:00:00.000Z", daysLeft: 2, waitingFor: null },
  extended: { ...request, deadlineAt: "2026-12-05T17:00:00.000Z", reopened: true },
  extension_requested: {
    envelopeTitle: request.envelopeTitle,
    recipientName: "Zoë Œuvrard",
    deadlineAt: "2026-11-20T17:00:00.000Z",
    link: `${ORIGIN}/signature/detail/e`,
  },
  reassigned: {
    envelopeTitle: request.envelopeTitle,
    recipientName: "Zoë Œuvrard",
    newHolder: "Paul Morel",
    reason: "En congé",
    link: `${ORIGIN}/signature/detail/e`,
  },
  late: {
    envelopeTitle: request.envelopeTitle,
    names: ["Zoë Œuvrard"],
    link: `${ORIGIN}/signature/detail/e`,
  },
  returned: {
    envelopeTitle: request.envelopeTitle,
    recipientName: "Zoë Œuvrard",
    reason: "L’article 3 est à revoir",
    toCorrect: false,
    link: `${ORIGIN}/signature/detail/e`,
  },
  signed: {
    envelopeTitle: request.envelopeTitle,
    signerName: "Zoë Œuvrard",
    signedAt: "2026-11-21T14:16:00.000Z",
    signedCount: 1,
    signerCount: 2,
    link: `${ORIGIN}/signature/detail/e`,
  },
  batch_ended: {
    batchTitle: request.envelopeTitle,
    total: 500,
    done: 498,
    failed: 2,
    endedAt: "2026-11-21T14:16:00.000Z",
    link: `${ORIGIN}/signature/bulk-same?lot=01990000-0000-7000-8000-000000000001`,
  },
  mailing_ended: {
    templateName: request.envelopeTitle,
    sent: 44,
    failed: 1,
    endedAt: "2026-11-21T14:16:00.000Z",
    link: `${ORIGIN}/signature/templates/t/csv?envoi=m`,
  },
  completed: {
    envelopeTitle: request.envelopeTitle,
    senderName: "Paul Martin",
    completedAt: "2026-11-21T14:16:00.000Z",
    link: `${ORIGIN}/sign/e?token=t`,
    proofLink: `${ORIGIN}/verify/p?sig=s`,
    attachments: [],
  },
  declined: {
    envelopeTitle: request.envelopeTitle,
    recipientName: "Zoë Œuvrard",
    role: "signer",
    reason: "Erreur dans le document",
    link: `${ORIGIN}/signature/detail/e`,
  },
  cancelled: {
    envelopeTitle: request.envelopeTitle,
    senderName: "Paul Martin",
    senderEmail: "paul.martin@exemple.fr",
    role: "signer",
  },
  expired: {
    envelopeTitle: request.envelopeTitle,
    senderName: "Paul Martin",
    deadlineAt: "2026-11-20T17:00:00.000Z",
    link: null,
  },
};

/** Subject, a sentence and the link of each mail of `NOTICE_SAMPLES`. */
export const EXPECTED_MAILS: Readonly<
  Record<MailKind, readonly [subject: string, sentence: string, link: string | null]>
> = {
  activation: [
    "Activez votre compte Paraphe",
    "Ce lien est valable 24 heures.",
    NOTICE_SAMPLES.activation.link,
  ],
  registration_invited: [
    "Cabinet Aubry & Associés vous invite à créer un compte",
    "Ce lien est valable 7 jours et ne sert qu’une fois",
    NOTICE_SAMPLES.registration_invited.link,
  ],
  member_invited: [
    "Clémence Aubry-Lefèvre vous invite à rejoindre Cabinet Aubry & Associés",
    "comme lecteur.",
    NOTICE_SAMPLES.member_invited.link,
  ],
  access_ended: [
    "Vous n’avez plus accès à Cabinet Aubry & Associés",
    "Votre accès a pris fin le 21\u00a0novembre 2026",
    null,
  ],
  webhook_paused: [
    "Webhook en pause\u00a0: paie.exemple.fr",
    "n’a pas accepté un événement depuis trois jours",
    NOTICE_SAMPLES.webhook_paused.link,
  ],
  delegation_given: [
    "Vous signez pour Clémence Aubry-Lefèvre, du 16 au 27\u00a0novembre 2026",
    "diront\u00a0: «\u00a0Maximilien Vandenbroucke, pour Clémence Aubry-Lefèvre, par délégation\u00a0»\u202f; le certificat est à votre nom.",
    NOTICE_SAMPLES.delegation_given.link,
  ],
  delegation_ended: [
    "Vous ne signez plus pour Clémence Aubry-Lefèvre",
    "Les signatures déjà données restent valables.",
    NOTICE_SAMPLES.delegation_ended.link,
  ],
  delegation_used: [
    "Maximilien Vandenbroucke a signé pour vous «\u00a0Bail\u00a0»",
    "le 21\u00a0novembre 2026 à\u00a015\u00a0h\u00a016 (heure de Paris). Le certificat est à son nom.",
    NOTICE_SAMPLES.delegation_used.link,
  ],
  delegation_returned: [
    "«\u00a0Bail\u00a0» attend votre visa",
    "Rien n’a été visé\u00a0: ce document vous revient.",
    NOTICE_SAMPLES.delegation_returned.link,
  ],
  work_received: [
    "Le travail de Fanny Delaunay est confié au service Urbanisme",
    "Un administrateur a confié au service Urbanisme, dont vous faites partie, 8 enveloppes en cours et 3 brouillons.",
    NOTICE_SAMPLES.work_received.link,
  ],
  factor_asked: [
    "Second facteur à ajouter avant le 1er\u00a0décembre 2026",
    "Cabinet Aubry demande une clé d’accès ou une application d’authentification avant le 1er\u00a0décembre 2026.",
    NOTICE_SAMPLES.factor_asked.link,
  ],
  leaver_awaited: [
    "Fanny Delaunay n’a plus accès\u00a0: 2 documents attendent sa réponse",
    "2 documents que vous avez envoyés attendent sa réponse, à son adresse. Personne ne répond à sa place.",
    NOTICE_SAMPLES.leaver_awaited.link,
  ],
  already_registered: [
    "Vous avez déjà un compte Paraphe",
    // The same mail serves a registration and a change of address.
    "Votre adresse vient d’être indiquée dans une inscription, ou comme nouvelle adresse d’un compte. Vous avez déjà un compte\u00a0: connectez-vous",
    NOTICE_SAMPLES.already_registered.loginLink,
  ],
  reset: [
    "Réinitialisez votre mot de passe Paraphe",
    "Ce lien est valable 24 heures et ne sert qu’une fois.",
    NOTICE_SAMPLES.reset.link,
  ],
  password_changed: [
    "Votre mot de passe Paraphe a été changé",
    "a été changé le 21\u00a0novembre 2026 à\u00a015\u00a0h\u00a016 (heure de Paris)",
    NOTICE_SAMPLES.password_changed.resetLink,
  ],
  factors_changed: [
    "Clé d’accès ajoutée à votre compte Paraphe",
    "Une clé d’accès a été ajoutée à votre compte le 21\u00a0novembre 2026 à\u00a015\u00a0h\u00a016 (heure de Paris)",
    NOTICE_SAMPLES.factors_changed.resetLink,
  ],
  address_confirmation: [
    "Confirmez cette adresse",
    "Ce lien est valable 24 heures et ne sert qu’une fois.",
    NOTICE_SAMPLES.address_confirmation.link,
  ],
  address_changing: [
    "Changement d’adresse demandé",
    "Rien ne change tant que",
    NOTICE_SAMPLES.address_changing.resetLink,
  ],
  account_erased: [
    "Votre compte Paraphe est supprimé",
    "Votre compte a été supprimé le 21\u00a0novembre 2026",
    NOTICE_SAMPLES.account_erased.privacyLink,
  ],
  checkpoint: [
    "Point de contrôle à conserver\u00a0: 1\u202f234 empreintes",
    "paraphe log checkpoint-000000001234.json",
    "https://localhost:8443/journal-de-transparence",
  ],
  summary: [
    "Résumé quotidien\u00a0: 2 notifications",
    "- Demande annulée\u00a0: Mandat\n  21\u00a0novembre 2026 à\u00a016\u00a0h\u00a000",
    NOTICE_SAMPLES.summary.settingsLink,
  ],
  trial: ["Notification d’essai", "elle vous est bien parvenue", NOTICE_SAMPLES.trial.link],
  invitation: [
    `Document à signer\u00a0: ${request.envelopeTitle}`,
    `Paul Martin (paul.martin@exemple.fr) vous demande de signer «\u00a0${request.envelopeTitle}\u00a0».`,
    NOTICE_SAMPLES.invitation.link,
  ],
  code: [
    "482\u202f913 est votre code de signature",
    "Il est valable 10 minutes et ne sert qu’une fois.",
    null,
  ],
  reminder: [
    "Rappel\u00a0: Paul Martin attend votre signature (échéance le 28\u00a0novembre)",
    "Échéance\u00a0: 28\u00a0novembre 2026 à\u00a018\u00a0h\u00a000 (heure de Paris)",
    NOTICE_SAMPLES.reminder.link,
  ],
  expiring: [
    `Plus que 2 jours pour signer\u00a0: ${request.envelopeTitle}`,
    "Passé l’échéance, le lien ne servira plus.",
    NOTICE_SAMPLES.expiring.link,
  ],
  extended: [
    `Nouvelle échéance\u00a0: ${request.envelopeTitle}`,
    "Votre lien fonctionne à nouveau.",
    NOTICE_SAMPLES.extended.link,
  ],
  extension_requested: [
    `Zoë Œuvrard demande une prolongation\u00a0: ${request.envelopeTitle}`,
    "les liens déjà envoyés fonctionneront à nouveau.",
    NOTICE_SAMPLES.extension_requested.link,
  ],
  reassigned: [
    `Zoë Œuvrard a confié son étape\u00a0: ${request.envelopeTitle}`,
    "Zoë Œuvrard a confié à Paul Morel son étape de",
    NOTICE_SAMPLES.reassigned.link,
  ],
  late: [
    `Étape en retard\u00a0: ${request.envelopeTitle}`,
    "sans réponse de Zoë Œuvrard. Nous venons de le leur rappeler.",
    NOTICE_SAMPLES.late.link,
  ],
  returned: [
    `Zoë Œuvrard a renvoyé «\u00a0${request.envelopeTitle}\u00a0»`,
    "Les signatures déjà données sur cette version sont annulées.",
    NOTICE_SAMPLES.returned.link,
  ],
  signed: [
    `Zoë Œuvrard a signé «\u00a0${request.envelopeTitle}\u00a0»`,
    "1 signature sur 2.",
    NOTICE_SAMPLES.signed.link,
  ],
  batch_ended: [
    `Lot «\u00a0${request.envelopeTitle}\u00a0»\u00a0: 498 documents signés sur 500, 2 en échec`,
    "La page du lot dit pourquoi, fichier par fichier, et permet de réessayer.",
    NOTICE_SAMPLES.batch_ended.link,
  ],
  mailing_ended: [
    `${request.envelopeTitle}\u00a0: 44 enveloppes envoyées, 1 en échec`,
    "La page de l’envoi dit pourquoi, ligne par ligne, et permet de réessayer.",
    NOTICE_SAMPLES.mailing_ended.link,
  ],
  completed: [
    `Document signé par tous\u00a0: ${request.envelopeTitle}`,
    "Conservez le fichier PDF\u00a0: il porte les signatures et leur preuve.",
    NOTICE_SAMPLES.completed.link,
  ],
  declined: [
    `Zoë Œuvrard a refusé de signer «\u00a0${request.envelopeTitle}\u00a0»`,
    "> Erreur dans le document",
    NOTICE_SAMPLES.declined.link,
  ],
  cancelled: [
    `Demande annulée\u00a0: ${request.envelopeTitle}`,
    "Le lien reçu ne fonctionne plus\u202f; vous n’avez rien à faire.",
    null,
  ],
  expired: [
    `Délai de signature dépassé\u00a0: ${request.envelopeTitle}`,
    "est passée le 20\u00a0novembre 2026 à\u00a018\u00a0h\u00a000 (heure de Paris)",
    null,
  ],
};
