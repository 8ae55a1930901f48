import { toHex } from "@paraphe/kernel/bytes";
import { formatDigitsInstant, formatExactInstant } from "@paraphe/kernel/french-dates";
import { capitalised, ofName } from "@paraphe/kernel/french-words";
import { MESSAGE_NAMES, eventRules, quotationOf } from "@paraphe/contracts";
import type { Block, Line } from "../../../platform/pdf-document/create-typesetter.ts";
import {
  actorName,
  type Naming,
  namingsIn,
  nameThen,
  type StoredEvent,
} from "../../journal/public.ts";
import { brokenSentence } from "./describe-people.ts";
import type { EvidenceFacts } from "./gather-facts.ts";

/** More rows take over a second of layout; the attached files have all. */
const MOST_ROWS = { events: 1_000, messages: 500 } as const;
const mono = (text: string): Line => ({ text, face: "mono" });

export function describeMessages({ messages, record }: EvidenceFacts): readonly Block[] {
  const namings = namingsIn(record.events);
  const shown = messages.slice(0, MOST_ROWS.messages);
  return [
    { kind: "heading", level: 2, text: "7. Les messages" },
    {
      kind: "paragraph",
      text: "Ces lignes viennent du registre des envois du service. À la différence des événements de la section\u00a08, elles ne sont pas enchaînées par leurs empreintes.",
      tone: "soft",
    },
    shown.length === 0
      ? { kind: "paragraph", text: "Aucun message n’a été écrit au sujet de cette enveloppe." }
      : {
          kind: "table",
          columns: [
            { title: "Message", share: 0.18 },
            { title: "À", share: 0.27 },
            { title: "Date", share: 0.17 },
            { title: "Réponse du serveur et Message-ID", share: 0.38 },
          ],
          rows: shown.map((message) => [
            [messageKind(message.kind), message.channel === "sms" ? "SMS" : "Email"],
            [
              ...(message.delegatorId === null
                ? []
                : [
                    toDelegate(nameThen(namings, message.delegatorId, new Date(message.createdAt))),
                  ]),
              message.destination,
            ],
            [formatDigitsInstant(message.sentAt ?? message.createdAt)],
            [
              message.unsentBecause === null
                ? messageState(message.state)
                : `Non envoyé\u00a0: ${message.unsentBecause}`,
              ...(message.openedAt === null
                ? []
                : [`Lien ouvert le ${formatDigitsInstant(message.openedAt)}`]),
              ...(message.serverAnswer === null ? [] : [mono(message.serverAnswer)]),
              ...(message.messageId === null ? [] : [mono(message.messageId)]),
            ],
          ]),
        },
    ...restOf(messages.length, shown.length, "messages.json"),
  ];
}

const toDelegate = (name: string | null | undefined): string =>
  name ? `Au délégué ${ofName(name)}` : "À un délégué";

export function describeJournal({ record }: EvidenceFacts): readonly Block[] {
  const { events, chain } = record;
  const shown = events.slice(0, MOST_ROWS.events);
  const namings = namingsIn(events);
  return [
    { kind: "heading", level: 2, text: "8. L’historique" },
    {
      kind: "paragraph",
      text: chain.intact
        ? `Chaîne recalculée à la date de ce dossier\u00a0: ${chain.count}\u00a0événement${chain.count > 1 ? "s" : ""}, sans lacune ni altération. Empreinte du dernier\u00a0:`
        : `Chaîne recalculée à la date de ce dossier. ${brokenSentence(chain)}`,
    },
    ...(chain.intact ? [{ kind: "paragraph", text: mono(toHex(chain.head)) } as const] : []),
    {
      kind: "table",
      columns: [
        { title: "N°", share: 0.06 },
        { title: "Date et heure", share: 0.19 },
        { title: "Événement", share: 0.43 },
        { title: "Auteur, adresse IP, navigateur", share: 0.32 },
      ],
      rows: shown.map((event) => [
        [String(event.sequence)],
        [formatDigitsInstant(event.at)],
        eventLines(event, namings),
        actorLines(event, namings),
      ]),
    },
    ...restOf(events.length, shown.length, "evenements.json"),
  ];
}

export function restOf(count: number, shown: number, file: string): readonly Block[] {
  return count <= shown
    ? []
    : [
        {
          kind: "paragraph",
          text: `La suite (${count - shown} lignes) se trouve dans le fichier joint ${file}.`,
          tone: "soft",
        },
      ];
}

const textOf = (event: StoredEvent, name: string): string | null => {
  const value = event.personal[name]?.value;
  return typeof value === "string" && value !== "" ? value : null;
};

function factsOf(event: StoredEvent): Readonly<Record<string, unknown>> {
  return {
    ...event.detail,
    ...Object.fromEntries(Object.entries(event.personal).map(([name, { value }]) => [name, value])),
  };
}

/** Adds the reason or the text agreed to. The register says what became of messages. */
function eventLines(event: StoredEvent, namings: readonly Naming[]): readonly string[] {
  const facts = factsOf(event);
  const { reason, consent_version: version } = facts;
  return [
    eventRules(event.action)?.sentence({ who: whoOf(event, namings), facts, left: false }) ??
      event.action,
    ...(typeof reason === "string" && reason !== "" ? [`Motif\u00a0: ${quotationOf(reason)}`] : []),
    ...(typeof version === "string" ? [`Texte du consentement\u00a0: ${version}`] : []),
  ];
}

/** Names the recipient of the event, else its actor, as then called. */
function whoOf(event: StoredEvent, namings: readonly Naming[]): string {
  const named = event.detail["recipient"] ?? event.detail["recipient_id"];
  const id = typeof named === "string" ? named : event.actor.replace(/^recipient:/, "");
  return (
    nameThen(namings, id, event.sequence) ??
    textOf(event, "actor_name") ??
    "Une personne dont le nom a été effacé"
  );
}

function actorLines(event: StoredEvent, namings: readonly Naming[]): readonly Line[] {
  if (event.actor === "system") return ["Le service"];
  const name =
    textOf(event, "actor_name") ??
    nameThen(namings, event.actor.replace(/^recipient:/, ""), event.sequence) ??
    "Donnée effacée";
  return [
    capitalised(actorName(name, textOf(event, "program"))),
    ...[textOf(event, "ip"), textOf(event, "user_agent")].filter((line) => line !== null),
  ];
}

export function describeInclusion({
  record: { inclusion, events },
  publicUrl,
}: EvidenceFacts): readonly Block[] {
  const heading: Block = { kind: "heading", level: 2, text: "9. Le journal de transparence" };
  if (inclusion === null) {
    return [
      heading,
      {
        kind: "paragraph",
        text: "Aucun point de contrôle ne couvre encore cet historique. Il s’en fait un quand une enveloppe est terminée, et chaque heure dès que quelque chose a changé\u00a0: un dossier établi plus tard portera la preuve d’inclusion.",
      },
    ];
  }
  const { checkpoint, entry } = inclusion;
  return [
    heading,
    {
      kind: "paragraph",
      text: `L’historique est inscrit dans un arbre de Merkle public (RFC\u00a09162), dont la racine est signée par le service et horodatée\u00a0: ${publicUrl}/journal-de-transparence. Qui a conservé ce point de contrôle détecte toute réécriture postérieure, même par l’exploitant.`,
    },
    {
      kind: "facts",
      rows: [
        {
          label: "Événement inscrit",
          values: [
            `N°\u00a0${entry.sequence}${laterSentence(events.length - entry.sequence)}`,
            mono(entry.head),
          ],
        },
        {
          // Counts from 1, as on the public page; inclusion.json counts from 0 (RFC 9162 §2.1.3).
          label: "Feuille",
          values: [
            `N°\u00a0${inclusion.leaf_index + 1}, dans un arbre de ${inclusion.size}\u00a0feuille${inclusion.size > 1 ? "s" : ""}`,
          ],
        },
        { label: "Racine", values: [mono(checkpoint.root)] },
        {
          label: "Point de contrôle",
          values: [
            `Signé et horodaté le ${formatExactInstant(new Date(checkpoint.at))}`,
            mono(`clé ${checkpoint.key_id}`),
          ],
        },
      ],
    },
  ];
}

function laterSentence(later: number): string {
  if (later <= 0) return "";
  return later === 1
    ? "\u202f; un événement venu ensuite ne l’est pas encore"
    : `\u202f; ${later} événements venus ensuite ne le sont pas encore`;
}

const STATES = {
  queued: "En attente d’envoi",
  sent: "Accepté par le serveur",
  delivered: "Accepté par le serveur, puis ouvert ou utilisé",
  refused: "Refusé",
  withdrawn: "Retiré avant envoi",
} as const;

function messageKind(kind: string): string {
  return Object.hasOwn(MESSAGE_NAMES, kind)
    ? MESSAGE_NAMES[kind as keyof typeof MESSAGE_NAMES]
    : kind;
}

function messageState(state: keyof typeof STATES): string {
  return STATES[state];
}
