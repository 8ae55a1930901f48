import {
  ACTIVATION_LINK_HOURS,
  ADDRESS_LINK_HOURS,
  EVIDENCE_RETENTION_YEARS,
  INVITATION_DAYS,
  type Instant,
  type MemberRole,
  RESET_LINK_HOURS,
  ROLE_NAMES,
  type Role,
  WAITS,
  shortTitle,
  teamLabel,
} from "@paraphe/contracts";
import { formatInstant, formatLongDay } from "@paraphe/kernel/french-dates";
import { formatCount, plural } from "@paraphe/kernel/french-numbers";
import { andList, ofName, onBehalf, uncapitalised } from "@paraphe/kernel/french-words";
import { french, unlinked } from "./french.ts";
import { DEEDS } from "./request-messages.ts";
import { type MailModel, PLAIN_MAIL, type MailContext, type MailWriters } from "./render-mail.ts";

export type FactorChange =
  | "passkey_added"
  | "passkey_removed"
  | "totp_added"
  | "totp_removed"
  | "codes_renewed"
  | "code_used"
  | "factors_reset"
  | "key_created"
  | "key_widened"
  | "sessions_ended"
  | "provider_linked";

/** These go by mail alone: a text proves no address, and carries no file or list. */
export type AccountContents = {
  readonly activation: {
    readonly username: string;
    readonly link: string;
    readonly insteadOfReset?: true;
  };
  /** The operator invites. `organisation` is null while unnamed. */
  readonly registration_invited: {
    readonly organisation: string | null;
    readonly link: string;
    readonly administrator: boolean;
  };
  readonly member_invited: {
    readonly organisation: string | null;
    readonly inviter: string;
    readonly role: MemberRole;
    readonly link: string;
  };
  readonly access_ended: { readonly organisation: string | null; readonly endedAt: Instant };
  /** `failing`: for three days; `gone`: the receiver answered 410. */
  readonly webhook_paused: {
    readonly why: "failing" | "gone";
    readonly host: string;
    readonly link: string;
  };
  /** `steps` of circuits are the recipient's, even where a team has the rest. */
  readonly work_received: {
    readonly from: string;
    readonly team: string | null;
    readonly counts: readonly string[];
    readonly steps: number;
    readonly link: string;
  };
  /** `by`: the day it becomes compulsory; `signs`: without one until then. */
  readonly factor_asked: {
    readonly organisation: string | null;
    readonly by: string;
    readonly signs: boolean;
    readonly link: string;
  };
  readonly leaver_awaited: {
    readonly leaver: string;
    readonly count: number;
    readonly link: string;
  };
  /** Both get it; `isDelegate` is true for the delegate's. */
  readonly delegation_given: {
    readonly delegator: string;
    readonly delegate: string;
    readonly isDelegate: boolean;
    readonly isOnlyVisas: boolean;
    readonly period: string;
    readonly scope: string;
    readonly link: string;
  };
  readonly delegation_ended: {
    readonly by: "delegator" | "delegate";
    /** The actor is no longer a member. */
    readonly hasLeft: boolean;
    readonly actor: string;
    readonly link: string;
  };
  readonly delegation_used: {
    readonly act: "signature" | "visa" | "return" | "reassign";
    readonly returned?: { readonly to: string; readonly reason: string };
    readonly delegate: string;
    readonly envelopeTitle: string;
    readonly signedAt: Instant;
    readonly link: string;
  };
  readonly delegation_returned: {
    readonly role: Role;
    readonly delegate: string;
    readonly envelopeTitle: string;
    readonly link: string;
  };
  readonly already_registered: { readonly loginLink: string; readonly resetLink: string };
  readonly reset: { readonly username: string; readonly link: string };
  readonly password_changed: { readonly changedAt: Instant; readonly resetLink: string };
  readonly factors_changed: {
    readonly change: FactorChange;
    readonly changedAt: Instant;
    readonly resetLink: string;
  };
  readonly address_confirmation: { readonly link: string };
  /** Goes to the current address, at request and change. `newAddress` is masked. */
  readonly address_changing: {
    readonly newAddress: string;
    readonly done: boolean;
    readonly resetLink: string;
  };
  readonly account_erased: {
    readonly erasedAt: Instant;
    readonly keepsEvidence: boolean;
    readonly privacyLink: string;
  };
  readonly summary: {
    readonly items: readonly {
      readonly words: string;
      readonly at: Instant;
      readonly link: string | null;
    }[];
    readonly others?: number;
    readonly settingsLink: string;
  };
  /** Goes to the operator's witness. `root`: hex; `file`: JSON. */
  readonly checkpoint: {
    readonly size: number;
    readonly root: string;
    readonly at: Instant;
    readonly file: { readonly name: string; readonly text: string };
  };
};

function checkpointMail(
  { size, root, at, file }: AccountContents["checkpoint"],
  { publicUrl }: MailContext,
): MailModel {
  const host = new URL(publicUrl).host;
  const count = plural(size, "empreinte");
  return {
    ...PLAIN_MAIL,
    subject: french`Point de contrôle à conserver : ${count}`,
    preview: french`L'état du journal de transparence, signé et horodaté.`,
    paragraphs: [
      french`La pièce jointe est l'état du journal de transparence de ${host} au ${formatInstant(at)} (heure de Paris), signé et horodaté.`,
      french`Conservez ce message, là où ceux qui administrent le service ne peuvent pas l'effacer. Il n'y a rien d'autre à faire. Tant que vous l'avez, personne ne peut changer ce qui s'est passé auparavant sans que cela se voie. Il ne contient aucun nom, aucune adresse, aucun titre.`,
      french`Le jour où il y a un doute : enregistrez la pièce jointe, puis déposez-la sur la page « Journal de transparence » du service, ou lancez, là où le programme est installé : paraphe log ${file.name}`,
    ],
    facts: [
      ["Empreintes", formatCount(size)],
      ["Racine (SHA-256)", root],
    ],
    action: {
      label: "Journal de transparence",
      link: new URL("/journal-de-transparence", publicUrl).href,
    },
    notes: [
      french`Vous recevez ce message parce que votre adresse est celle du réglage CHECKPOINT_MAIL, une fois par heure au plus, quand quelque chose a été ajouté au journal.`,
    ],
  };
}

const DELEGATED_ACTS = {
  signature: "signé",
  visa: "visé",
  return: "renvoyé",
  reassign: "confié à une autre personne",
} as const;

export const accountMails: MailWriters<AccountContents> = {
  activation: (content) => ({
    ...PLAIN_MAIL,
    subject: "Activez votre compte Paraphe",
    preview: french`Un dernier geste pour confirmer votre adresse.`,
    paragraphs: [
      content.insteadOfReset
        ? french`Vous avez demandé un nouveau mot de passe, mais ce compte n'est pas encore activé. Activez-le d'abord : vous pourrez ensuite vous connecter, ou choisir un autre mot de passe.`
        : french`Votre compte est créé. Confirmez votre adresse pour l'activer : vous pourrez ensuite vous connecter.`,
    ],
    facts: [shownName(content.username)],
    action: { label: "Activer mon compte", link: content.link },
    notes: [
      french`Ce lien est valable ${ACTIVATION_LINK_HOURS} heures.`,
      // A mail filter that opens links activates the account; the address's owner can block it.
      french`Ce n'est pas vous ? Choisissez un nouveau mot de passe pour bloquer ce compte : ${resetPage(content.link)}`,
    ],
  }),

  registration_invited: ({ organisation, link, administrator }, { publicUrl }) => ({
    ...PLAIN_MAIL,
    subject:
      organisation === null
        ? "Invitation à créer un compte Paraphe"
        : french`${organisation} vous invite à créer un compte`,
    preview: french`Le lien pour créer votre compte.`,
    paragraphs: [
      french`Vous êtes invité à créer un compte sur le service de signature électronique ${new URL(publicUrl).host}${organisation === null ? "" : `, de ${organisation}`}.`,
      ...(administrator ? [french`Ce compte pourra administrer le service.`] : []),
    ],
    action: { label: "Créer mon compte", link },
    notes: [
      french`Ce lien est valable ${INVITATION_DAYS} jours et ne sert qu'une fois : ne le transmettez pas.`,
      french`Vous n'attendiez pas cette invitation ? Ignorez ce message : aucun compte ne sera créé.`,
    ],
  }),

  member_invited: ({ organisation, inviter, role, link }, { publicUrl }) => ({
    ...PLAIN_MAIL,
    subject: french`${inviter} vous invite à rejoindre ${organisation ?? "son organisation"}`,
    preview: french`Le lien pour accepter l'invitation.`,
    paragraphs: [
      french`${inviter} vous invite à rejoindre ${organisation ?? "son organisation"} sur le service de signature électronique ${new URL(publicUrl).host}, comme ${uncapitalised(ROLE_NAMES[role])}.`,
    ],
    action: { label: "Voir l’invitation", link },
    notes: [
      french`Ce lien est valable ${INVITATION_DAYS} jours et ne sert qu'une fois : ne le transmettez pas.`,
      french`Vous n'attendiez pas cette invitation ? Ignorez ce message : rien ne changera.`,
    ],
  }),

  delegation_given: ({ delegator, delegate, isDelegate, isOnlyVisas, period, scope, link }) => {
    const [youAct, theyAct, yours, theirs, each] = isOnlyVisas
      ? ["visez", "vise", "vos visas", "ses visas", "chaque visa"]
      : ["signez", "signe", "votre signature", "sa signature", "chaque signature"];
    const only = isOnlyVisas ? "" : `\u00a0: ${scope}`;
    const said = onBehalf(delegate, delegator);
    const [subject, words] = isDelegate
      ? [
          french`Vous ${youAct} pour ${delegator}, ${period}`,
          french`${delegator} vous délègue ${theirs} ${period}${only}. Les documents qui l'attendent seront dans « Action requise ».`,
        ]
      : [
          french`${delegate} ${theyAct} pour vous, ${period}`,
          french`Vous déléguez ${yours} à ${delegate} ${period}${only}. Un message vous informera de ${each}.`,
        ];
    return {
      ...PLAIN_MAIL,
      subject,
      preview: isOnlyVisas
        ? french`La preuve le dira.`
        : french`Le document et la preuve le diront.`,
      paragraphs: [
        words,
        isOnlyVisas
          ? french`La preuve dira : « ${said} ».`
          : french`Le document et la preuve diront : « ${said} » ; le certificat est à ${isDelegate ? "votre" : "son"} nom.`,
      ],
      action: { label: "Mes délégations", link },
      notes: [
        isDelegate
          ? french`Vous pouvez refuser cette délégation sur cette page, à tout moment.`
          : french`Vous pouvez arrêter cette délégation sur cette page, à tout moment.`,
      ],
    };
  },

  delegation_ended: ({ by, hasLeft, actor, link }) => ({
    ...PLAIN_MAIL,
    subject:
      by === "delegator"
        ? french`Vous ne signez plus pour ${actor}`
        : french`${actor} ne signe ${hasLeft ? "plus" : "pas"} pour vous`,
    preview: french`Les signatures déjà données restent valables.`,
    paragraphs: [
      by === "delegator"
        ? french`${hasLeft ? `${actor} n’est plus membre de l’organisation\u00a0: la délégation qui vous était donnée est terminée` : `${actor} a mis fin à la délégation qui vous était donnée`}. Les signatures déjà données restent valables.`
        : french`${hasLeft ? `${actor} n’est plus membre de l’organisation\u00a0: votre délégation est terminée` : `${actor} a refusé votre délégation`}. Les signatures déjà données restent valables ; les documents qui attendent vous reviennent.`,
    ],
    action: { label: "Mes délégations", link },
  }),

  delegation_used: ({ act, returned, delegate, envelopeTitle, signedAt, link }) => {
    const end = act === "signature" ? " Le certificat est à son nom." : "";
    const back = returned === undefined ? "" : french` à ${returned.to}, avec ce motif,`;
    const done = DELEGATED_ACTS[act];
    return {
      ...PLAIN_MAIL,
      subject: french`${delegate} a ${done} pour vous « ${shortTitle(envelopeTitle)} »`,
      preview: french`Par la délégation que vous avez donnée.`,
      paragraphs: [
        french`${delegate} a ${done} pour vous, par délégation, « ${envelopeTitle} »${back} le ${formatInstant(signedAt)} (heure de Paris).${end}`,
      ],
      quote: returned?.reason ?? null,
      action: { label: "Voir le document", link },
    };
  },

  delegation_returned: ({ role, delegate, envelopeTitle, link }) => {
    const [act, done] = role === "visa" ? ["le visa", "visé"] : ["la signature", "signé"];
    return {
      ...PLAIN_MAIL,
      subject: french`« ${shortTitle(envelopeTitle)} » ${WAITS[role]}`,
      preview: french`La délégation s'est terminée avant ${act}.`,
      paragraphs: [
        french`La délégation ${ofName(delegate)} s'est terminée avant ${act} de « ${envelopeTitle} ». Rien n'a été ${done} : ce document vous revient.`,
      ],
      action: { label: DEEDS[role].label, link },
    };
  },

  access_ended: ({ organisation, endedAt }) => ({
    ...PLAIN_MAIL,
    subject: french`Vous n'avez plus accès à ${organisation ?? "ce service"}`,
    preview: french`Votre accès a pris fin.`,
    paragraphs: [
      french`Votre accès a pris fin le ${formatInstant(endedAt)} (heure de Paris), à la demande d'un administrateur.`,
      french`Les documents que vous avez signés et leurs preuves ne changent pas. Vos enveloppes et vos modèles sont confiés à une autre personne de l'organisation.`,
    ],
    notes: [french`Une question ? Adressez-vous à l'organisation.`],
  }),

  webhook_paused: ({ why, host, link }) => ({
    ...PLAIN_MAIL,
    subject: french`Webhook en pause : ${host}`,
    preview: french`Les événements suivants attendent.`,
    paragraphs: [
      why === "gone"
        ? french`${unlinked(host)} a répondu que cette adresse n'existe plus (410). Le webhook est en pause.`
        : french`${unlinked(host)} n'a pas accepté un événement depuis trois jours. Le webhook est en pause.`,
      french`Les événements attendent, 30 jours au plus. « Reprendre » les envoie dans l'ordre.`,
    ],
    action: { label: "Voir le webhook", link },
  }),

  factor_asked: ({ organisation, by, signs, link }) => ({
    ...PLAIN_MAIL,
    subject: french`Second facteur à ajouter avant le ${formatLongDay(by)}`,
    preview: french`Une clé d'accès, ou une application d'authentification.`,
    paragraphs: [
      french`${organisation ?? "Votre organisation"} demande une clé d'accès ou une application d'authentification avant le ${formatLongDay(by)}.`,
      french`À partir de ce jour, il faudra l'ajouter pour vous connecter, et vos clés d'API ne serviront plus sans elle.`,
      ...(signs
        ? []
        : [
            french`Pour signer ou approuver un document, il en faut une dès maintenant : elle vous sera demandée chaque fois.`,
          ]),
    ],
    action: { label: "Ouvrir Sécurité", link },
  }),

  work_received: ({ from, team, counts, steps, link }) => {
    const service = team === null || counts.length === 0 ? null : uncapitalised(teamLabel(team));
    const inCircuits = steps > 0 ? [plural(steps, "étape de circuit", "étapes de circuit")] : [];
    const own = service === null ? [...counts, ...inCircuits] : counts;
    return {
      ...PLAIN_MAIL,
      subject: french`Le travail ${ofName(from)} ${service === null ? "vous est confié" : `est confié au ${service}`}`,
      preview: french`Ses enveloppes, ses modèles et ses contacts sont maintenant ${service === null ? "les vôtres" : `ceux du ${service}`}.`,
      paragraphs: [
        french`${from} n'est plus membre de l'organisation. Un administrateur ${service === null ? "vous a confié" : `a confié au ${service}, dont vous faites partie,`} ${andList(own)}.`,
        ...(service === null || steps === 0
          ? []
          : [
              steps === 1
                ? french`L'étape de circuit à son nom vous revient, à vous.`
                : french`Les ${formatCount(steps)} étapes de circuit à son nom vous reviennent, à vous.`,
            ]),
        french`Les signatures déjà données ne changent pas.`,
      ],
      action: { label: "Voir ce qui est confié", link },
    };
  },

  leaver_awaited: ({ leaver, count, link }) => ({
    ...PLAIN_MAIL,
    subject:
      count === 1
        ? french`${leaver} n'a plus accès : un document attend sa réponse`
        : french`${leaver} n'a plus accès : ${count} documents attendent sa réponse`,
    preview: french`Demandez-la à quelqu'un d'autre, ou annulez.`,
    paragraphs: [
      french`${leaver} n'a plus accès au service. ${count === 1 ? "Un document que vous avez envoyé attend" : `${count} documents que vous avez envoyés attendent`} sa réponse, à son adresse. Personne ne répond à sa place.`,
      french`Corrigez le destinataire pour la demander à quelqu'un d'autre, ou annulez l'enveloppe. Le lien reçu à son adresse reste valable jusque-là.`,
      french`Les signatures déjà données ne changent pas.`,
    ],
    action: { label: "Voir les enveloppes", link },
  }),

  already_registered: (content) => ({
    ...PLAIN_MAIL,
    subject: "Vous avez déjà un compte Paraphe",
    preview: french`Votre adresse a été indiquée dans une demande.`,
    paragraphs: [
      french`Votre adresse vient d'être indiquée dans une inscription, ou comme nouvelle adresse d'un compte. Vous avez déjà un compte : connectez-vous avec votre nom d'utilisateur et votre mot de passe.`,
      french`Mot de passe oublié ? Choisissez-en un nouveau : ${content.resetLink}`,
    ],
    action: { label: "Se connecter", link: content.loginLink },
    notes: [
      french`Vous n'êtes pas à l'origine de cette demande ? Vous n'avez rien à faire : votre compte n'a pas changé.`,
    ],
  }),

  reset: (content) => ({
    ...PLAIN_MAIL,
    subject: "Réinitialisez votre mot de passe Paraphe",
    preview: french`Le lien pour choisir un nouveau mot de passe.`,
    paragraphs: [
      french`Vous avez demandé à choisir un nouveau mot de passe. Ouvrez ce lien pour le saisir.`,
    ],
    facts: [shownName(content.username)],
    action: { label: "Choisir un nouveau mot de passe", link: content.link },
    notes: [
      french`Ce lien est valable ${RESET_LINK_HOURS} heures et ne sert qu'une fois. Un lien demandé plus tard le remplace.`,
      french`Vous n'êtes pas à l'origine de cette demande ? Ignorez ce message : votre mot de passe n'a pas changé.`,
    ],
  }),

  password_changed: (content) => ({
    ...PLAIN_MAIL,
    subject: "Votre mot de passe Paraphe a été changé",
    preview: french`Vos autres sessions ont été fermées.`,
    paragraphs: [
      french`Le mot de passe de votre compte a été changé le ${formatInstant(content.changedAt)} (heure de Paris). Les autres sessions ouvertes ont été fermées.`,
    ],
    action: {
      label: french`Ce n'est pas moi : choisir un autre mot de passe`,
      link: content.resetLink,
    },
    notes: [french`Si ce changement vient de vous, vous n'avez rien à faire.`],
  }),

  factors_changed: ({ change, changedAt, resetLink }) => ({
    ...PLAIN_MAIL,
    subject: FACTOR_CHANGES[change].subject,
    preview: FACTOR_CHANGES[change].happened,
    paragraphs: [
      french`${FACTOR_CHANGES[change].happened} le ${formatInstant(changedAt)} (heure de Paris).`,
    ],
    action: {
      label: french`${change === "factors_reset" || change === "sessions_ended" ? "Je ne m’y attendais pas" : "Ce n’est pas moi"} : ${FACTOR_CHANGES[change].undo ?? "choisir un autre mot de passe"}`,
      link: resetLink,
    },
    notes: [
      change === "factors_reset" || change === "sessions_ended"
        ? french`Vous l'avez demandé à un administrateur ? Vous n'avez rien à faire. Sinon, choisissez un autre mot de passe, puis prévenez sans attendre l'organisation qui exploite ce service.`
        : french`Si ce changement vient de vous, vous n'avez rien à faire. Sinon, choisissez un autre mot de passe, puis prévenez sans attendre l'organisation qui exploite ce service.`,
    ],
  }),

  address_confirmation: (content) => ({
    ...PLAIN_MAIL,
    subject: "Confirmez cette adresse",
    preview: french`Un dernier geste pour que ce soit l'adresse de votre compte.`,
    paragraphs: [
      french`Un compte Paraphe demande à recevoir ses messages à cette adresse. Ouvrez ce lien dans le navigateur où vous êtes connecté, puis confirmez.`,
    ],
    action: { label: "Confirmer cette adresse", link: content.link },
    notes: [
      french`Ce lien est valable ${ADDRESS_LINK_HOURS} heures et ne sert qu'une fois. Un lien demandé plus tard le remplace.`,
      french`Vous n'êtes pas à l'origine de cette demande ? Ignorez ce message : rien ne changera.`,
    ],
  }),

  address_changing: (content) => ({
    ...PLAIN_MAIL,
    subject: content.done
      ? "L’adresse de votre compte Paraphe a été changée"
      : "Changement d’adresse demandé",
    preview: french`La nouvelle adresse : ${unlinked(content.newAddress)}.`,
    paragraphs: [
      content.done
        ? french`Votre compte reçoit désormais ses messages à ${unlinked(content.newAddress)}. Cette adresse-ci ne sert plus à s'y connecter.`
        : french`Il a été demandé que votre compte reçoive ses messages à ${unlinked(content.newAddress)}. Rien ne change tant que cette adresse n'est pas confirmée.`,
    ],
    notes: [
      content.done
        ? french`Ce changement ne vient pas de vous ? Prévenez sans attendre l'organisation qui exploite ce service.`
        : french`Cette demande ne vient pas de vous ? Quelqu'un connaît votre mot de passe. Choisissez-en un nouveau, ce qui annule la demande : ${content.resetLink}`,
    ],
  }),

  account_erased: (content) => ({
    ...PLAIN_MAIL,
    subject: "Votre compte Paraphe est supprimé",
    preview: french`C'est le dernier message que vous recevez de ce compte.`,
    paragraphs: [
      french`Votre compte a été supprimé le ${formatInstant(content.erasedAt)} (heure de Paris), à votre demande. Votre profil, vos sessions, vos préférences, vos brouillons et votre corbeille sont effacés.`,
      ...(content.keepsEvidence
        ? [
            french`Les enveloppes terminées que vous avez envoyées sont conservées ${EVIDENCE_RETENTION_YEARS} ans après leur dernière signature, avec les noms des signataires : elles servent de preuve aux autres parties.`,
          ]
        : []),
    ],
    action: { label: "Ce qui est conservé, et pourquoi", link: content.privacyLink },
    notes: [
      french`Votre nom d'utilisateur et votre adresse peuvent servir à un nouveau compte. Si vous n'êtes pas à l'origine de cette suppression, prévenez l'organisation qui exploite ce service.`,
    ],
  }),

  summary: ({ items, others = 0, settingsLink }, { publicUrl }) => {
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

  checkpoint: checkpointMail,
};

const FACTOR_CHANGES: Readonly<
  Record<
    FactorChange,
    { readonly subject: string; readonly happened: string; readonly undo?: string }
  >
> = {
  key_created: {
    subject: "Nouvelle clé d’API",
    happened:
      "Une clé d’API, qui permet à un programme d’agir en votre nom ou en celui de votre équipe, a été créée",
    undo: "révoquer la clé",
  },
  key_widened: {
    subject: "Clé d’API étendue",
    happened:
      "Une clé d’API, qui permet à un programme d’agir en votre nom ou en celui de votre équipe, a été étendue (droits, adresses ou sites)",
    undo: "révoquer la clé",
  },
  passkey_added: {
    subject: "Clé d’accès ajoutée à votre compte Paraphe",
    happened: "Une clé d’accès a été ajoutée à votre compte",
  },
  passkey_removed: {
    subject: "Clé d’accès retirée de votre compte Paraphe",
    happened: "Une clé d’accès a été retirée de votre compte",
  },
  totp_added: {
    subject: "Application d’authentification activée",
    happened: "Une application d’authentification a été activée pour votre compte",
  },
  totp_removed: {
    subject: "Application d’authentification retirée",
    happened: "L’application d’authentification de votre compte a été retirée",
  },
  codes_renewed: {
    subject: "Nouveaux codes de secours",
    happened: "Les codes de secours de votre compte ont été remplacés",
  },
  code_used: {
    subject: "Connexion par un code de secours",
    happened: "Un code de secours, qui ne sert qu’une fois, a ouvert votre compte",
  },
  provider_linked: {
    subject: "Nouveau moyen de connexion",
    happened:
      "Votre compte est relié à celui d’un fournisseur d’identité, qui permet désormais de se connecter",
  },
  factors_reset: {
    subject: "Second facteur réinitialisé",
    happened:
      "L’organisation qui exploite ce service a retiré les clés d’accès, l’application et les codes de secours de votre compte",
  },
  sessions_ended: {
    subject: "Vos sessions Paraphe ont été fermées",
    happened:
      "L’organisation qui exploite ce service a fermé les sessions ouvertes de votre compte",
  },
};

function resetPage(link: string): string {
  return new URL("/password-reset", link).href;
}

/** Somebody else may have chosen the name: it is cut, and never a link. */
const SHOWN_NAME_LENGTH = 40;

function shownName(username: string): readonly [label: string, value: string] {
  return ["Nom d’utilisateur", unlinked(shortTitle(username, SHOWN_NAME_LENGTH))];
}
