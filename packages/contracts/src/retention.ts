/**
 * Obeyed by the jobs, shown on the privacy page.
 * Source: GDPR art. 5(1)(e), 13 and 17; Code civil art. 1366 and 2224; security §4.
 */

/** Counted from the envelope's completion. */
export const EVIDENCE_RETENTION_YEARS = 10;

/** For an account never activated. */
export const PENDING_ACCOUNT_DAYS = 7;

/** A reused token is recognised so long. */
export const ENDED_SESSION_DAYS = 1;

/** A second opening of an activation link succeeds so long. */
export const ENDED_LINK_DAYS = 7;

export const ACCOUNT_NOTICE_DAYS = 90;

export const THROTTLE_DAYS = 2;

export const MAILBOX_DAYS = 7;

/** Counted from the batch's end; its envelopes stay. */
export const BATCH_ARCHIVE_DAYS = 7;

/** On the person's device, counted from the last change. */
export const UNSAVED_EDITS_DAYS = 30;

export const IDEMPOTENCY_HOURS = 24;

/** Needed for the daily count; the nightly sweep removes them. */
export const CODE_TRACE_HOURS = 24;

export const EXPORTS_PER_HOUR = 3;

export type RetentionRule = {
  readonly id: string;
  readonly data: string;
  readonly purpose: string;
  /** Legal basis (GDPR art. 6). */
  readonly basis: string;
  readonly duration: string;
};

const CONTRACT = "Exécution du service (art.\u00a06.1.b)";

const SECURITY = "Intérêt légitime : sécurité du service (art.\u00a06.1.f)";

const EVIDENCE = "Intérêt légitime : preuve en justice (art.\u00a06.1.f et 17.3.e)";

/** Every kind of personal data that the service keeps, in French. */
export const RETENTION_RULES: readonly RetentionRule[] = [
  {
    id: "profile",
    data: "Profil : nom d’utilisateur, email, prénom, nom, date de naissance, téléphone, genre, adresse, photo, préférences",
    purpose:
      "Vous reconnaître, vous écrire, remplir vos documents\u202f; la date de naissance vous distingue d’un homonyme, et n’est jamais montrée aux autres parties",
    basis: CONTRACT,
    duration: "Jusqu’à la suppression de votre compte",
  },
  {
    id: "organisation",
    data: "Rôle dans l’organisation\u202f; nom de son représentant, emails de contact et de son délégué à la protection des données",
    purpose: "Savoir qui administre le service, et dire qui l’exploite (mentions légales)",
    basis: "Exécution du service (art.\u00a06.1.b), obligation légale (art.\u00a06.1.c)",
    duration:
      "Le rôle jusqu’à la suppression de votre compte, le reste tant que l’organisation le publie",
  },
  {
    id: "organisation-journal",
    data: "Journal de l’organisation\u00a0: qui a invité, changé un rôle ou un réglage, retiré un membre",
    purpose: "Savoir qui a fait quoi dans l’administration du service",
    basis: SECURITY,
    duration: "3 ans, ou la durée que règle la personne qui exploite le service",
  },
  {
    id: "contacts",
    data: "Contacts d’un expéditeur\u00a0: nom, adresses email, téléphone, société, nombre d’envois et date du dernier",
    purpose: "Lui proposer les personnes à qui il écrit, sans les ressaisir",
    basis: "Intérêt légitime\u00a0: éviter une erreur d’adresse (art.\u00a06.1.f)",
    duration:
      "Jusqu’à ce que l’expéditeur les efface, ou la suppression de son compte\u202f; un fichier lu et non importé, un jour",
  },
  {
    id: "pending-account",
    data: "Compte demandé et jamais activé, son nom d’utilisateur réservé",
    purpose: "Vous laisser le temps d’ouvrir le lien d’activation",
    basis: CONTRACT,
    duration: `${PENDING_ACCOUNT_DAYS} jours`,
  },
  {
    id: "sessions",
    data: "Sessions : dates, appareil, adresse IP",
    purpose: "Vous garder connecté, vous montrer où vous l’êtes",
    basis: SECURITY,
    duration: "12 heures, ou 30 jours avec « Rester connecté », puis un jour",
  },
  {
    id: "programs",
    data: "Clés d’API et webhooks\u00a0: nom, adresses IP admises, sites, adresse appelée, dernier usage\u202f; leurs secrets, en empreinte ou chiffrés",
    purpose: "Laisser vos programmes agir en votre nom, et les prévenir",
    basis: CONTRACT,
    duration:
      "Jusqu’à leur suppression, celle de votre compte ou votre départ de l’organisation\u202f; ceux d’une équipe lui restent",
  },
  {
    id: "push",
    data: "Navigateurs abonnés aux notifications : adresse et clés données par le navigateur",
    purpose: "Vous prévenir dans ce navigateur",
    basis: "Consentement, retiré dans les paramètres (art. 6.1.a)",
    duration: "Jusqu’au désabonnement, ou à la fin de la session",
  },
  {
    id: "links",
    data: "Liens d’activation, de réinitialisation et de changement d’adresse, sous forme d’empreinte\u202f; adresse demandée",
    purpose: "Confirmer votre adresse ou en changer, choisir un nouveau mot de passe",
    basis: CONTRACT,
    duration: `24 heures, puis ${ENDED_LINK_DAYS} jours`,
  },
  {
    id: "drafts",
    data: "Brouillons et leurs fichiers",
    purpose: "Vous laisser préparer un envoi",
    basis: CONTRACT,
    duration: "Jusqu’à leur suppression, ou celle de votre compte",
  },
  {
    id: "batches",
    data: "Lots de signature en masse\u00a0: noms des fichiers, signature utilisée, adresse IP et navigateur, fichiers non signés",
    purpose: "Suivre le lot, réessayer un document, télécharger l’archive",
    basis: CONTRACT,
    duration: `${BATCH_ARCHIVE_DAYS} jours après la fin du lot`,
  },
  {
    id: "templates",
    data: "Modèles : fichiers, champs, message, noms des rôles ; aucun destinataire. Dispositions : places des champs",
    purpose: "Vous laisser repartir d’une enveloppe préparée",
    basis: CONTRACT,
    duration: "Jusqu’à leur suppression, ou celle de votre compte",
  },
  {
    id: "saved-signatures",
    data: "Signatures enregistrées : tracé, nom ou image, chiffrés",
    purpose: "Vous laisser signer de nouveau sans les refaire",
    basis: "Consentement, retiré en les supprimant (art.\u00a06.1.a)",
    duration: "Jusqu’à leur suppression, ou celle de votre compte",
  },
  {
    id: "open-envelopes",
    data: "Enveloppes envoyées et non terminées : documents, destinataires, champs",
    purpose: "Recueillir les signatures demandées",
    basis: CONTRACT,
    duration: `Jusqu’à leur suppression ; refusées ou expirées, ${EVIDENCE_RETENTION_YEARS} ans au plus`,
  },
  {
    id: "cancelled-envelopes",
    data: "Enveloppes annulées ou supprimées",
    purpose: "Permettre de les restaurer",
    basis: CONTRACT,
    duration: "10 jours ; il en reste des identifiants, des dates et des empreintes",
  },
  {
    id: "evidence",
    data: "Enveloppes terminées : documents signés, noms et emails des signataires, certificats, consentements avec adresse IP et navigateur, historique",
    purpose: "Prouver qui a signé quoi, et quand",
    basis: EVIDENCE,
    duration: `${EVIDENCE_RETENTION_YEARS} ans après la dernière signature, même si votre compte est supprimé ; il en reste des dates et des empreintes`,
  },
  {
    id: "codes",
    data: "Codes à usage unique et sessions d’invité, sous forme d’empreinte",
    purpose:
      "Vérifier l’identité d’un signataire invité, ou que votre numéro de téléphone est le vôtre",
    basis: CONTRACT,
    duration: `10 minutes pour un code, une heure pour une session ; effacés dans les ${2 * CODE_TRACE_HOURS} heures`,
  },
  {
    id: "notices",
    data: "Messages envoyés au sujet d’un compte : genre, adresse, date, réponse du serveur",
    purpose: "Savoir si un message est arrivé",
    basis: SECURITY,
    duration: `${ACCOUNT_NOTICE_DAYS} jours ; ceux d’une enveloppe restent avec elle. Leur contenu est effacé dès l’envoi`,
  },
  {
    id: "throttles",
    data: "Décomptes d’essais et de demandes, sous forme d’empreinte",
    purpose: "Empêcher de deviner un mot de passe ou un code",
    basis: SECURITY,
    duration: `${THROTTLE_DAYS} jours au plus`,
  },
  {
    id: "answers",
    data: "Réponses gardées pour qu’une demande envoyée deux fois ne compte qu’une fois",
    purpose: "Ne pas envoyer deux fois la même enveloppe",
    basis: CONTRACT,
    duration: `${IDEMPOTENCY_HOURS} heures`,
  },
];
/** Day (Paris) and SHA-256 of each text; a test fails when a text changed without them. */
export const LEGAL_VERSIONS = {
  conditions: {
    since: "2026-11-28",
    sha256: "aa34be7ef70bc795533ac5ed83c43fd12f885fafc4c49edefec82500e3f486c2",
  },
  privacy: {
    since: "2026-11-29",
    sha256: "5aaf2c7da471e049b7682ea00142f4a50b66db0342011b30d98d81d3e2fd5661",
  },
  certificationPolicy: {
    since: "2026-11-29",
    sha256: "86862bb1f99ae4830eb56cf6f2941e3795238a72f2214a944c9314f38f8e91f5",
  },
} as const;
