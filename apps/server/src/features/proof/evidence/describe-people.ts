import {
  CONSENT_VERSION,
  type ReachShown,
  STATUS_LABELS,
  consentText,
  delegateConsentText,
  type DelegationScope,
  periodInWords,
  quotationOf,
  SCOPE_CHOICES,
  scopeInWords,
} from "@paraphe/contracts";
import { formatExactInstant } from "@paraphe/kernel/french-dates";
import { capitalised, ofName, onBehalf, refusedBy } from "@paraphe/kernel/french-words";
import {
  type JournalConsent,
  type JournalDelegate,
  type JournalFacts,
  type JournalParty,
  type JournalVisa,
  type Reach,
  readReaches,
  type SessionReach,
  type VouchedReach,
} from "@paraphe/proof/parts";
import type { Block, Line } from "../../../platform/pdf-document/create-typesetter.ts";
import type { StoredEvent } from "../../journal/public.ts";
import { isOverdue } from "../prints/build-proof.ts";
import type { ChainVerdict } from "../prints/read-record.ts";
import type { EvidenceFacts } from "./gather-facts.ts";
import {
  identificationOf,
  type IdentifyingEvent,
  type MeansOfAgreement,
} from "./identification.ts";

type Method = MeansOfAgreement["method"];

/**
 * Says what is proven and what is not. Source: security §3; eIDAS art. 3(10), 25, 41; Code civil
 * art. 1366 and 1367.
 */
export const describeScope = ({ record }: Pick<EvidenceFacts, "record">): readonly Block[] => [
  { kind: "heading", level: 2, text: "1. Ce que ce dossier établit" },
  {
    kind: "list",
    items: [
      "L’intégrité des documents\u00a0: l’empreinte SHA-256 de chaque fichier est donnée à la section\u00a04. Tout octet modifié depuis la signature est détecté.",
      "Le lien entre chaque signature et le document\u00a0: chaque signature, au format PAdES, est faite sur le fichier lui-même et le couvre en entier tel qu’il était alors.",
      `Le moment de chaque signature\u00a0: un jeton d’horodatage (RFC\u00a03161) l’accompagne${record.facts.completedAt === null ? "" : ", et un autre scelle l’ensemble à la fin"}.`,
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

/** Quoted to the letter. Source: Regulation (EU) No 910/2014; Code civil; décret n° 2017-1416. */
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

/** The journal names its version with each consent. */
const describeConsentText = ({ validated }: Pick<EvidenceFacts, "validated">): Block => ({
  kind: "paragraph",
  text: `Texte du consentement, version ${CONSENT_VERSION}\u00a0: «\u00a0${consentText(validated.length)}\u00a0»`,
});

const ROLES = {
  signer: "Signataire",
  approver: "Approbateur",
  visa: "Visa",
  viewer: "En copie",
} as const;

export function describeParties({ record }: EvidenceFacts): readonly Block[] {
  const { facts } = record;
  const signed = new Set(facts.signatures.map(({ recipient }) => recipient));
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
        [[senderName(record)], [facts.sender.email ?? ERASED], ["Expéditeur"], [""]],
        ...[...facts.parties].map(([id, party]) => [
          [partyName(party)],
          [party.email ?? ERASED, ...(party.phone === null ? [] : [party.phone])],
          [ROLES[party.role]],
          [stateOf(party, signed.has(id))],
        ]),
      ],
    },
  ];
}

const ERASED = "Donnée effacée";
/** Null: the delegate has not confirmed it. */
const accountOf = (party: JournalParty, delegate: JournalDelegate | undefined): string | null =>
  delegate?.email === null ? null : ((delegate ? delegate.email : party.email) ?? ERASED);

function senderName({ events, facts }: EvidenceFacts["record"]): string {
  const sent = events.findLastIndex(({ action }) => action === "envelope_sent");
  const passed = events.slice(0, sent + 1).findLast(({ action }) => action === "envelope_passed");
  const name = passed === undefined ? facts.sender.name : passed.personal["to_name"]?.value;
  return typeof name === "string" ? name : ERASED;
}

const partyName = ({ name }: JournalParty): string => name ?? "Nom effacé";
export const titleOf = ({ record }: Pick<EvidenceFacts, "record">): string =>
  record.facts.title ?? "Titre effacé";
const wordsOf = (at: string): string => formatExactInstant(new Date(at));

function stateOf(
  { role, consent, visa, declinedAt, viewedAt, isInvited }: JournalParty,
  signed: boolean,
): string {
  if (signed)
    return consent === undefined
      ? "A signé"
      : actInWords(consent.delegate, `a consenti le ${wordsOf(consent.since)}`);
  if (declinedAt !== null) return `A refusé le ${wordsOf(declinedAt)}`;
  if (role === "viewer") return "Reçoit une copie";
  if (visa !== null) return actInWords(visa.delegate, `a donné son visa le ${wordsOf(visa.at)}`);
  const undone = role === "visa" ? "N’a pas donné son visa" : "N’a pas signé";
  if (viewedAt !== null) return `${undone}, a ouvert les documents le ${wordsOf(viewedAt)}`;
  return isInvited ? undone : "N’a pas été invité";
}

const actInWords = (delegate: JournalDelegate | undefined, act: string) =>
  delegate ? `Par délégation, ${delegate.name ?? "Nom effacé"} ${act}` : capitalised(act);

/** Says how each person was identified at consent, what they agreed to, and from where. */
export function describeConsents(facts: EvidenceFacts): readonly Block[] {
  const { record } = facts;
  const events = record.events.map(identifyingEvent);
  const { reaches } = readReaches(
    record.events.map((event) => ({ ...event, at: event.at.toISOString() })),
  );
  const agreed = [...record.facts.parties].flatMap(([id, party]) =>
    party.consent === undefined ? [] : [{ id, party, consent: party.consent }],
  );
  const common = { documentCount: facts.validated.length, events };
  const reachOf = (id: string) => ({
    reach: presentReach(reaches.get(id)),
    vouched: reaches.get(id)?.vouched,
    session: reaches.get(id)?.session,
  });
  const visas = [...record.facts.parties].flatMap(([id, party]) =>
    party.visa === null ? [] : [{ id, party, visa: party.visa }],
  );
  return [
    {
      kind: "heading",
      level: 2,
      text: "5. L’identification et le consentement de chaque signataire",
    },
    agreed.length === 0
      ? { kind: "paragraph", text: "Personne n’a donné son consentement." }
      : describeConsentText(facts),
    ...agreed
      .toSorted((one, other) => one.consent.since.localeCompare(other.consent.since))
      .flatMap((one) =>
        describeConsent({
          ...one,
          ...common,
          ...reachOf(one.id),
          sealedAt: sealedAt(record.facts, one.id),
        }),
      ),
    ...visas
      .toSorted((one, other) => one.visa.at.localeCompare(other.visa.at))
      .flatMap((one) => describeVisa({ ...one, ...common, ...reachOf(one.id) })),
  ];
}

const sealedAt = ({ signatures }: JournalFacts, id: string): string | null =>
  signatures.find(({ recipient }) => recipient === id)?.at ?? null;

/** The address is masked here; parties and messages show it in full. */
function identifyingEvent({ at, actor, action, detail, personal }: StoredEvent): IdentifyingEvent {
  const destination = personal["destination"]?.value;
  return {
    at,
    actor,
    recipient: typeof detail["recipient"] === "string" ? detail["recipient"] : null,
    action,
    channel: channelOf(detail["channel"]) ?? "email",
    destination: typeof destination === "string" ? destination : null,
    code: typeof detail["code"] === "string" ? detail["code"] : null,
    linkChannel: channelOf(detail["link_channel"]),
  };
}

function channelOf(value: unknown): IdentifyingEvent["linkChannel"] {
  return value === "email" || value === "sms" || value === "either" ? value : null;
}

type Agreed = {
  readonly id: string;
  readonly party: JournalParty;
  readonly consent: JournalConsent;
  readonly events: readonly IdentifyingEvent[];
  readonly reach: ReachShown;
  readonly vouched: VouchedReach | undefined;
  readonly session: SessionReach | undefined;
  readonly sealedAt: string | null;
  readonly documentCount: number;
};

function presentReach(reach: Reach | undefined): ReachShown {
  if (reach === undefined) return null;
  const { by, link, code, confirmed } = reach;
  return { by, link, code, confirmed: [...confirmed] };
}

function describeConsent(agreed: Agreed): readonly Block[] {
  const { id, party, consent, events, reach, vouched, session } = agreed;
  const { delegate } = consent;
  const email = accountOf(party, delegate);
  const means = { method: consent.method as Method, at: new Date(consent.since) };
  return [
    { kind: "heading", level: 3, text: agreeingName(party, delegate) },
    {
      kind: "facts",
      rows: [
        ...(delegate ? [{ label: "Par délégation", values: delegationOf(agreed, delegate) }] : []),
        { label: "Adresse email", values: [email ?? "Adresse du compte non confirmée"] },
        {
          label: "Moyens d’identification",
          values: identificationOf({ id, email }, means, { events, reach, vouched, session }),
        },
        {
          label: "Consentement",
          values: [
            `Donné le ${wordsOf(consent.since)}, texte de la version ${consent.version ?? "inconnue"}.`,
          ],
        },
        { label: "Depuis", values: placeOf(consent) },
        readDocuments(consent),
        {
          label: "Scellement",
          values: [
            agreed.sealedAt === null
              ? "En cours\u00a0: la signature n’est pas encore apposée."
              : `Signature enregistrée le ${wordsOf(agreed.sealedAt)}.`,
          ],
        },
      ],
    },
  ];
}

type VisaGiven = Omit<Agreed, "consent" | "sealedAt"> & { readonly visa: JournalVisa };

function describeVisa({ id, party, visa, events, ...reached }: VisaGiven): readonly Block[] {
  const { delegate, at, code } = visa;
  const email = accountOf(party, delegate);
  const means = { method: code === null ? "authenticated" : "guest", at: new Date(at) } as const;
  return [
    { kind: "heading", level: 3, text: `Visa\u00a0: ${agreeingName(party, delegate)}` },
    {
      kind: "facts",
      rows: [
        ...(delegate
          ? [{ label: "Par délégation", values: [delegatedInWords(party, delegate, "visa")] }]
          : []),
        { label: "Adresse email", values: [email ?? "Adresse du compte non confirmée"] },
        {
          label: "Moyens d’identification",
          values: identificationOf({ id, email }, means, { events, ...reached }),
        },
        { label: "Visa", values: [`Donné le ${wordsOf(at)}. Un visa ne signe pas le document.`] },
        { label: "Depuis", values: placeOf(visa) },
        readDocuments(visa),
      ],
    },
  ];
}

const readDocuments = ({ documentsSha256 }: Pick<JournalConsent, "documentsSha256">) => ({
  label: "Documents lus",
  values: [
    "Empreinte de leur ensemble\u00a0:",
    { text: documentsSha256 ?? "", face: "mono" } as const,
  ],
});

function agreeingName(party: JournalParty, delegate: JournalDelegate | undefined): string {
  const name = partyName(party);
  return delegate === undefined ? name : onBehalf(delegate.name ?? "Nom effacé", name);
}

/** Quotes what was delegated, then the sentence accepted. */
function delegationOf(
  { party, documentCount }: Pick<Agreed, "party" | "documentCount">,
  delegate: JournalDelegate,
) {
  return [
    `${delegatedInWords(party, delegate, "signature")} Le certificat est au nom ${ofName(delegate.name ?? "Nom effacé")}.`,
    `Texte accepté\u00a0: «\u00a0${delegateConsentText(documentCount, partyName(party))}\u00a0»`,
  ];
}

function delegatedInWords(
  party: JournalParty,
  { name, from, to, scope, circuit }: JournalDelegate,
  act: "signature" | "visa",
): string {
  const what = act === "visa" ? "son visa" : "sa signature";
  const period = periodInWords({ starts_on: from, ends_on: to });
  const known = Object.keys(SCOPE_CHOICES).find((one) => one === scope) as
    | DelegationScope
    | undefined;
  const within =
    known === undefined || known === "all"
      ? ""
      : `, ${scopeInWords({ scope: known, circuit }, "ses")}`;
  return `${partyName(party)} a délégué ${what} à ${name ?? "Nom effacé"}, ${period}${within} (jours inclus, heure de Paris).`;
}

const placeOf = ({ ip, userAgent }: Pick<JournalConsent, "ip" | "userAgent">): readonly Line[] => [
  ip === undefined ? "Adresse effacée" : (ip ?? "Adresse non relevée"),
  userAgent === undefined ? "Navigateur effacé" : (userAgent ?? "Navigateur non communiqué"),
];

type Notice = Extract<Block, { kind: "notice" }>;

export function describeSummary(evidence: EvidenceFacts): readonly Block[] {
  const { record, madeAt, publicUrl, organization } = evidence;
  const { facts } = record;
  const when = (label: string, at: string | null) =>
    at === null ? [] : [{ label, values: [wordsOf(at)] }];
  const title = titleOf(evidence);
  return [
    { kind: "heading", level: 1, text: "Dossier de preuve" },
    { kind: "paragraph", text: { text: title, face: "title" }, tone: "accent" },
    { kind: "paragraph", text: "Les heures de ce dossier sont à l’heure de Paris.", tone: "soft" },
    ...stateNotices(evidence),
    verdictNotice(evidence),
    {
      kind: "facts",
      rows: [
        { label: "Enveloppe", values: [title, { text: record.id, face: "mono" }] },
        { label: "État", values: [STATUS_LABELS[facts.state]] },
        {
          label: "Expéditeur",
          values: [
            senderName(record),
            ...(facts.sender.email === null ? [] : [facts.sender.email]),
          ],
        },
        ...circuitRows(evidence),
        ...when("Créée le", facts.createdAt),
        ...when("Ouverte à la signature le", facts.sentAt),
        ...when("Terminée le", facts.completedAt),
        ...when("Échéance", facts.deadlineAt),
        ...when("Annulée le", facts.cancelledAt),
        { label: "Dossier établi le", values: [formatExactInstant(madeAt)] },
        { label: "Par", values: [serviceOf(organization), publicUrl] },
      ],
    },
  ];
}

function circuitRows({ record: { events } }: EvidenceFacts) {
  const sent = events.findLast(({ action }) => action === "envelope_sent");
  const { circuit, circuit_imposed: isImposed } = sent?.detail ?? {};
  if (typeof circuit !== "string") return [];
  const fixed = isImposed === true ? ", fixé par l’organisation" : "";
  return [{ label: "Circuit", values: [`${circuit}${fixed}`] }];
}

export function serviceOf(organization: string): string {
  return organization === "Paraphe" ? "Service Paraphe" : `${organization}, service Paraphe`;
}

export function brokenSentence({
  sequence,
  reason,
}: Extract<ChainVerdict, { intact: false }>): string {
  return reason === "broken"
    ? `La chaîne des événements se rompt à l’événement n°\u00a0${sequence}.`
    : `L’événement n°\u00a0${sequence} n’est pas celui qui est inscrit au journal de transparence.`;
}

/** A broken journal comes before what files show. */
function verdictNotice({ record: { chain, facts }, verdict }: EvidenceFacts): Notice {
  if (!chain.intact) {
    return {
      kind: "notice",
      tone: "bad",
      title: "L’historique a été altéré",
      text: `${brokenSentence(chain)} Ce dossier ne peut pas servir de preuve en l’état\u00a0: prévenez l’organisation qui exploite ce service.`,
    };
  }
  const moment =
    "Au moment où ce dossier a été établi, les fichiers conservés ont été relus et validés de nouveau, et la chaîne de l’historique recalculée.";
  const text = `${moment} ${verdict.reason}`;
  if (verdict.verdict === "valid") {
    const title =
      facts.state === "completed"
        ? "Toutes les signatures sont valides"
        : "Les signatures apposées sont valides";
    return { kind: "notice", tone: "good", title, text };
  }
  if (verdict.verdict === "invalid")
    return { kind: "notice", tone: "bad", title: "Signature non valide", text };
  return { kind: "notice", tone: "caution", title: "Résultat indéterminé", text };
}

/** A document not completed has no agreement of all. */
function stateNotices({ record: { facts }, madeAt }: EvidenceFacts): readonly Notice[] {
  const caution = (title: string, text: string): readonly Notice[] => [
    { kind: "notice", tone: "caution", title, text },
  ];
  switch (facts.state) {
    case "declined": {
      const who = [...facts.parties.values()].find(({ declinedAt }) => declinedAt !== null);
      const at = who?.declinedAt ? ` le ${wordsOf(who.declinedAt)}` : "";
      const reason = who?.declineReason
        ? ` Motif donné\u00a0: ${quotationOf(who.declineReason.replace(/\.$/, ""))}.`
        : "";
      return caution(
        "Enveloppe refusée",
        `${who?.name ?? "Un destinataire"} ${refusedBy(who?.role)}${at}.${reason} Aucune signature ne peut plus être recueillie.`,
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
      if (isOverdue(facts, madeAt))
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
