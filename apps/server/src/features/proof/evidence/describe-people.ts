import {
  CONSENT_VERSION,
  consentText,
  plainText,
  quotationOf,
  type ReachShown,
  STATUS_LABELS,
} from "@paraphe/contracts";
import { formatExactInstant } from "@paraphe/kernel/french-dates";
import { type Reach, readReaches } from "@paraphe/proof/parts";
import type { Block, Line } from "../../../platform/pdf-document/document-model.ts";
import { maskEmail, maskPhone } from "../../accounts/public.ts";
import type { EnvelopeRecipient } from "../../envelopes/public.ts";
import type { StoredEvent } from "../../journal/public.ts";
import { identificationOf, type IdentifyingEvent } from "./domain/identification.ts";
import type { EvidenceFacts } from "./evidence-facts.ts";
import type { ToldAct } from "./told-by-journal.ts";

/**
 * What such a file is worth, and what it is not: the same for every envelope, but for what only a completed one has, so that nobody reads more in it than there is.
 * Source: security §3 ('Promised', 'Not promised'); eIDAS art. 3(10), 25, 41; Code civil art. 1366 and 1367.
 */
export const describeScope = ({ envelope }: Pick<EvidenceFacts, "envelope">): readonly Block[] => [
  { kind: "heading", level: 2, text: "1. Ce que ce dossier établit" },
  {
    kind: "list",
    items: [
      "L’intégrité des documents\u00a0: l’empreinte SHA-256 de chaque fichier est donnée à la section\u00a04. Tout octet modifié depuis la signature est détecté.",
      "Le lien entre chaque signature et le document\u00a0: chaque signature, au format PAdES, est faite sur le fichier lui-même et le couvre en entier tel qu’il était alors.",
      `Le moment de chaque signature\u00a0: un jeton d’horodatage (RFC\u00a03161) l’accompagne${envelope.completedAt === null ? "" : ", et un autre scelle l’ensemble à la fin"}.`,
      "Les moyens par lesquels chaque signataire a été identifié, et ce qu’il a accepté\u00a0: section\u00a05.",
      "La suite des événements\u00a0: chacun porte l’empreinte du précédent. Un événement passé qui serait modifié ou retiré est détecté par quiconque détient un point de contrôle postérieur du journal de transparence (sections\u00a08 et\u00a09).",
    ],
  },
  { kind: "heading", level: 2, text: "2. Ce qu’il n’établit pas" },
  {
    kind: "list",
    items: [
      "L’identité civile des signataires\u00a0: le service a vérifié l’accès à une adresse email, à un numéro de téléphone ou à un compte, et non un titre d’identité.",
      "Une signature avancée ou qualifiée\u00a0: il s’agit de signatures électroniques simples, au sens de l’article\u00a03, point\u00a010), du règlement (UE) n°\u00a0910/2014 (eIDAS).",
      "Un horodatage qualifié au sens de l’article\u00a042 du même règlement.",
      "Que personne n’ait pu supprimer de données\u00a0: une modification se voit, une suppression ne peut pas être empêchée.",
      "Qu’un message ait été lu\u00a0: la réponse d’un serveur dit qu’il a accepté le message, rien de plus.",
    ],
  },
];

/** Source: Regulation (EU) No 910/2014; Code civil; décret n° 2017-1416. The quotations are to the letter. */
export const LAW: readonly Block[] = [
  { kind: "heading", level: 2, text: "10. Cadre juridique" },
  {
    kind: "list",
    items: [
      "Règlement (UE) n°\u00a0910/2014, article\u00a025, paragraphe\u00a01\u00a0: «\u00a0L’effet juridique et la recevabilité d’une signature électronique comme preuve en justice ne peuvent être refusés au seul motif que cette signature se présente sous une forme électronique ou qu’elle ne satisfait pas aux exigences de la signature électronique qualifiée.\u00a0»",
      "Code civil, article\u00a01366\u00a0: «\u00a0L’écrit électronique a la même force probante que l’écrit sur support papier, sous réserve que puisse être dûment identifiée la personne dont il émane et qu’il soit établi et conservé dans des conditions de nature à en garantir l’intégrité.\u00a0»",
      "Code civil, article\u00a01367\u00a0: lorsqu’elle est électronique, la signature «\u00a0consiste en l’usage d’un procédé fiable d’identification garantissant son lien avec l’acte auquel elle s’attache\u00a0». La présomption de fiabilité du même article, que le décret n°\u00a02017-1416 réserve à la signature qualifiée, ne s’applique pas ici\u00a0: ce dossier donne au juge de quoi apprécier la fiabilité du procédé.",
    ],
  },
];

/** What a signer accepts; the journal names its version with each consent. */
const describeConsentText = ({ validated }: Pick<EvidenceFacts, "validated">): Block => ({
  kind: "paragraph",
  text: `Texte du consentement, version ${CONSENT_VERSION}\u00a0: «\u00a0${consentText(validated.length)}\u00a0»`,
});

const ROLES = { signer: "Signataire", approver: "Approbateur", viewer: "En copie" } as const;

/** Who took part, and as what. */
export function describeParties({
  envelope,
  recipients,
  senderEmail,
  unsaid,
}: EvidenceFacts): readonly Block[] {
  return [
    { kind: "heading", level: 2, text: "3. Les parties" },
    {
      kind: "table",
      columns: [
        { title: "Nom", share: 0.3 },
        { title: "Coordonnées", share: 0.34 },
        { title: "Qualité", share: 0.14 },
        { title: "État", share: 0.22 },
      ],
      rows: [
        [
          [envelope.createdByName],
          senderEmail === null
            ? ["Compte fermé depuis"]
            : [senderEmail, ...(unsaid.senderEmail ? [FROM_ACCOUNT] : [])],
          ["Expéditeur"],
          [""],
        ],
        ...recipients.map((recipient) => [
          [recipient.fullName, ...(unsaid.people.has(recipient.id) ? [FROM_TABLES] : [])],
          [recipient.email, ...(recipient.phoneNumber === null ? [] : [recipient.phoneNumber])],
          [ROLES[recipient.role]],
          [stateOf(recipient)],
        ]),
      ],
    },
    ...(unsaid.roles
      ? [{ kind: "paragraph", text: ROLES_FROM_TABLES, tone: "soft" } as const]
      : []),
  ];
}

/** Said of an address that no event commits to. */
const FROM_ACCOUNT =
  "D’après le compte, à la date de ce dossier\u00a0: l’historique ne dit pas cette adresse.";
const FROM_TABLES = "D’après la base du service\u00a0: aucun événement ne nomme cette personne.";
const ROLES_FROM_TABLES =
  "L’historique de cette enveloppe ne dit pas qui reçoit une copie, ni la qualité de chacun\u00a0: cela vient de la base du service.";

function stateOf({ status, role, signedAt, declinedAt, viewedAt }: EnvelopeRecipient): string {
  if (status === "signed")
    return signedAt === null ? "A signé" : `A consenti le ${formatExactInstant(signedAt)}`;
  if (status === "declined")
    return declinedAt === null ? "A refusé" : `A refusé le ${formatExactInstant(declinedAt)}`;
  if (role === "viewer") return "Reçoit une copie";
  if (viewedAt !== null)
    return `N’a pas signé, a ouvert les documents le ${formatExactInstant(viewedAt)}`;
  return status === "waiting" ? "N’a pas été invité" : "N’a pas signé";
}

/** How each person was identified when they agreed, to what they agreed, and from where. */
export function describeConsents(facts: EvidenceFacts): readonly Block[] {
  const events = facts.events.map(identifyingEvent);
  const { reaches } = readReaches(
    facts.events.map((event) => ({ ...event, at: event.at.toISOString() })),
  );
  const agreed = facts.acts.flatMap((act) => {
    const recipient = facts.recipients.find(({ id }) => id === act.recipientId);
    return recipient === undefined ? [] : [{ act, recipient }];
  });
  return [
    {
      kind: "heading",
      level: 2,
      text: "5. L’identification et le consentement de chaque signataire",
    },
    agreed.length === 0
      ? { kind: "paragraph", text: "Personne n’a donné son consentement." }
      : describeConsentText(facts),
    ...agreed.flatMap(({ act, recipient }) =>
      describeConsent({ act, recipient, events, reach: presentReach(reaches.get(recipient.id)) }),
    ),
  ];
}

/** Where a link or a code went is masked, the same way: the address and number stand in full among the parties and the messages. */
function identifyingEvent({ at, actor, action, detail, personal }: StoredEvent): IdentifyingEvent {
  const told = (name: string, mask: (value: string) => string) => {
    const value = personal[name]?.value;
    return typeof value === "string" ? [mask(value)] : [];
  };
  // Of a journal that keeps no masked one, it is made here.
  const [destination = null] = [
    ...told("destination", (value) => value),
    ...told("phone_number", maskPhone),
    ...told("email", maskEmail),
  ];
  return {
    at,
    actor,
    recipient: typeof detail["recipient"] === "string" ? detail["recipient"] : null,
    action,
    channel: channelOf(detail["channel"]) ?? "email",
    destination,
    code: typeof detail["code"] === "string" ? detail["code"] : null,
    linkChannel: channelOf(detail["link_channel"]),
  };
}

function channelOf(value: unknown): IdentifyingEvent["linkChannel"] {
  return value === "email" || value === "sms" || value === "either" ? value : null;
}

type Agreed = {
  readonly act: ToldAct;
  readonly recipient: EnvelopeRecipient;
  readonly events: readonly IdentifyingEvent[];
  readonly reach: ReachShown;
};

function presentReach(reach: Reach | undefined): ReachShown {
  return reach === undefined ? null : { ...reach, confirmed: [...reach.confirmed] };
}

function describeConsent({ act, recipient, events, reach }: Agreed): readonly Block[] {
  const from: readonly Line[] = [
    act.ip ?? (act.erased.ip ? "Adresse effacée" : "Adresse non relevée"),
    act.userAgent ?? (act.erased.userAgent ? "Navigateur effacé" : "Navigateur non communiqué"),
  ];
  return [
    { kind: "heading", level: 3, text: recipient.fullName },
    {
      kind: "facts",
      rows: [
        { label: "Adresse email", values: [recipient.email] },
        {
          label: "Moyens d’identification",
          values: identificationOf(
            recipient,
            { method: act.method, at: act.signedAt },
            { events, reach },
          ),
        },
        {
          label: "Consentement",
          values: [
            `Donné le ${formatExactInstant(act.signedAt)}, texte de la version ${act.consentVersion}.`,
          ],
        },
        { label: "Depuis", values: from },
        {
          label: "Documents lus",
          values: [
            "Empreinte de leur ensemble\u00a0:",
            { text: Buffer.from(act.documentsSha256).toString("hex"), face: "mono" },
          ],
        },
        {
          label: "Scellement",
          values: [
            act.sealedAt === null
              ? "En cours\u00a0: la signature n’est pas encore apposée."
              : `Signature enregistrée le ${formatExactInstant(act.sealedAt)}.`,
          ],
        },
      ],
    },
  ];
}

type Notice = Extract<Block, { kind: "notice" }>;

/** What the file is about, and what looking at everything again gave: the first page. */
export function describeSummary(facts: EvidenceFacts): readonly Block[] {
  const { envelope, madeAt, publicUrl, organization, unsaid } = facts;
  const when = (label: string, at: Date | null, ...more: readonly Line[]) =>
    at === null ? [] : [{ label, values: [formatExactInstant(at), ...more] }];
  return [
    { kind: "heading", level: 1, text: "Dossier de preuve" },
    { kind: "paragraph", text: { text: envelope.title, face: "title" }, tone: "accent" },
    { kind: "paragraph", text: "Les heures de ce dossier sont à l’heure de Paris.", tone: "soft" },
    ...stateNotices(facts),
    verdictNotice(facts),
    ...describeDifferences(facts),
    {
      kind: "facts",
      rows: [
        { label: "Enveloppe", values: [envelope.title, { text: envelope.id, face: "mono" }] },
        { label: "État", values: [STATUS_LABELS[envelope.status]] },
        { label: "Expéditeur", values: senderLines(facts) },
        ...when("Créée le", envelope.createdAt),
        ...when("Ouverte à la signature le", envelope.sentAt),
        ...when("Terminée le", envelope.completedAt),
        ...when(
          "Échéance",
          envelope.deadlineAt,
          ...(unsaid.deadline ? [DEADLINE_FROM_TABLES] : []),
        ),
        ...when("Annulée le", envelope.cancelledAt),
        { label: "Dossier établi le", values: [formatExactInstant(madeAt)] },
        { label: "Par", values: [serviceOf(organization), publicUrl] },
      ],
    },
  ];
}

const DEADLINE_FROM_TABLES = "D’après la base du service\u00a0: l’historique ne la dit pas.";

/** Who made the file: the service, and who runs it where their names differ. */
export function serviceOf(organization: string): string {
  return organization === "Paraphe" ? "Service Paraphe" : `${organization}, service Paraphe`;
}

/** What was changed beside the journal, each as both have it. */
function describeDifferences({ differences }: EvidenceFacts): readonly Block[] {
  return differences.length === 0 ? [] : [{ kind: "list", items: differences.map(plainText) }];
}

function senderLines({ envelope, senderEmail, unsaid }: EvidenceFacts): readonly Line[] {
  return [
    envelope.createdByName,
    ...(senderEmail === null ? [] : [senderEmail, ...(unsaid.senderEmail ? [FROM_ACCOUNT] : [])]),
  ];
}

/** Where a journal stops being the one that was written. */
export function brokenSentence({
  sequence,
  reason,
}: Extract<EvidenceFacts["chain"], { ok: false }>): string {
  return reason === "broken"
    ? `La chaîne des événements se rompt à l’événement n°\u00a0${sequence}.`
    : `L’événement n°\u00a0${sequence} n’est pas celui qui est inscrit au journal de transparence.`;
}

/** A journal that does not hold is told before anything that was found of the files. */
function verdictNotice({ chain, judgement, envelope, differences }: EvidenceFacts): Notice {
  if (!chain.ok) {
    return {
      kind: "notice",
      tone: "bad",
      title: "L’historique a été altéré",
      text: `${brokenSentence(chain)} Ce dossier ne peut pas servir de preuve en l’état\u00a0: prévenez l’organisation qui exploite ce service.`,
    };
  }
  if (differences.length > 0) {
    return {
      kind: "notice",
      tone: "bad",
      title: "Des données de cette enveloppe ont été modifiées hors de son historique",
      text: "L’historique est entier, et la base du service ne dit pas la même chose que lui. Ce dossier rapporte ce que dit l’historique, et ces différences\u00a0: prévenez l’organisation qui exploite ce service.",
    };
  }
  const moment =
    "Au moment où ce dossier a été établi, les fichiers conservés ont été relus et validés de nouveau, et la chaîne de l’historique recalculée.";
  const text = `${moment} ${judgement.reason}`;
  if (judgement.verdict === "valid") {
    const title =
      envelope.status === "completed"
        ? "Toutes les signatures sont valides"
        : "Les signatures apposées sont valides";
    return { kind: "notice", tone: "good", title, text };
  }
  if (judgement.verdict === "invalid")
    return { kind: "notice", tone: "bad", title: "Signature non valide", text };
  return { kind: "notice", tone: "caution", title: "Résultat indéterminé", text };
}

/** What keeps an envelope that is not completed from being an agreement of all. */
function stateNotices({ envelope, recipients, madeAt }: EvidenceFacts): readonly Notice[] {
  const caution = (title: string, text: string): readonly Notice[] => [
    { kind: "notice", tone: "caution", title, text },
  ];
  switch (envelope.status) {
    case "declined": {
      const who = recipients.find(({ status }) => status === "declined");
      const at = who?.declinedAt ? ` le ${formatExactInstant(who.declinedAt)}` : "";
      const reason = who?.declineReason
        ? ` Motif donné\u00a0: ${quotationOf(who.declineReason.replace(/\.$/, ""))}.`
        : "";
      return caution(
        "Enveloppe refusée",
        `${who?.fullName ?? "Un destinataire"} a refusé de signer${at}.${reason} Aucune signature ne peut plus être recueillie.`,
      );
    }
    case "expired":
      return caution(
        "Enveloppe expirée",
        "L’échéance est passée avant que tous aient signé. Ce dossier rapporte ce qui a été demandé, et ce qui a été fait jusque-là.",
      );
    case "cancelled":
      return caution(
        "Enveloppe annulée",
        "L’expéditeur a annulé cette enveloppe. Ce dossier rapporte ce qui s’est passé jusque-là\u202f; l’enveloppe sera purgée.",
      );
    case "sent":
    case "pending":
      if (envelope.deadlineAt !== null && envelope.deadlineAt <= madeAt)
        return caution(
          "Échéance passée",
          "L’échéance est passée avant que tous aient signé\u00a0: plus personne ne peut signer, et l’enveloppe est en train d’être close. Un dossier établi ensuite remplacera celui-ci.",
        );
      return caution(
        "Dossier provisoire",
        "Des signatures sont encore attendues. Un dossier établi une fois l’enveloppe terminée remplacera celui-ci.",
      );
    default:
      return [];
  }
}
