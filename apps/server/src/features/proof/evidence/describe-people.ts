import type { Block, Line } from "../../../platform/pdf-document/document-model.ts";
import type { ReachShown } from "@paraphe/contracts";
import { type Reach, readReaches } from "@paraphe/proof/parts";
import { maskEmail, maskPhone } from "../../accounts/public.ts";
import type { EnvelopeRecipient } from "../../envelopes/public.ts";
import type { StoredEvent } from "../../journal/public.ts";
import { describeConsentText } from "./describe-scope.ts";
import { longInstant } from "./domain/french-instant.ts";
import { identificationOf, type IdentifyingEvent } from "./domain/identification.ts";
import type { EvidenceFacts } from "./evidence-facts.ts";
import type { ToldAct } from "./told-people.ts";

const ROLES = { signer: "Signataire", approver: "Approbateur", viewer: "En copie" } as const;

/** Who took part, and as what. */
export function describeParties({ envelope, recipients, senderEmail, unsaid }: EvidenceFacts): readonly Block[] {
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
          senderEmail === null ? ["Compte fermé depuis"] : [senderEmail, ...(unsaid.senderEmail ? [FROM_ACCOUNT] : [])],
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
    ...(unsaid.roles ? [{ kind: "paragraph", text: ROLES_FROM_TABLES, tone: "soft" } as const] : []),
  ];
}

/** Said of an address that no event commits to. */
export const FROM_ACCOUNT = "D’après le compte, à la date de ce dossier\u00a0: l’historique ne dit pas cette adresse.";
const FROM_TABLES = "D’après la base du service\u00a0: aucun événement ne nomme cette personne.";
const ROLES_FROM_TABLES =
  "L’historique de cette enveloppe ne dit pas qui reçoit une copie, ni la qualité de chacun\u00a0: cela vient de la base du service.";

function stateOf({ status, role, signedAt, declinedAt, viewedAt }: EnvelopeRecipient): string {
  if (status === "signed") return signedAt === null ? "A signé" : `A consenti le ${longInstant(signedAt)}`;
  if (status === "declined") return declinedAt === null ? "A refusé" : `A refusé le ${longInstant(declinedAt)}`;
  if (role === "viewer") return "Reçoit une copie";
  if (viewedAt !== null) return `N’a pas signé, a ouvert les documents le ${longInstant(viewedAt)}`;
  return status === "waiting" ? "N’a pas été invité" : "N’a pas signé";
}

/** How each person was identified when they agreed, to what they agreed, and from where. */
export function describeConsents(facts: EvidenceFacts): readonly Block[] {
  const events = facts.events.map(identifyingEvent);
  const { reaches } = readReaches(facts.events.map((event) => ({ ...event, at: event.at.toISOString() })));
  const agreed = facts.acts.flatMap((act) => {
    const recipient = facts.recipients.find(({ id }) => id === act.recipientId);
    return recipient === undefined ? [] : [{ act, recipient }];
  });
  return [
    { kind: "heading", level: 2, text: "5. L’identification et le consentement de chaque signataire" },
    agreed.length === 0 ? { kind: "paragraph", text: "Personne n’a donné son consentement." } : describeConsentText(facts),
    ...agreed.flatMap(({ act, recipient }) => describeConsent({ act, recipient, events, reach: presentReach(reaches.get(recipient.id)) })),
  ];
}

/** Where a link or a code went is masked, the same way: the address and number stand in full among the parties and the messages. */
function identifyingEvent({ at, actor, action, detail, personal }: StoredEvent): IdentifyingEvent {
  const told = (name: string, mask: (value: string) => string) => {
    const value = personal[name]?.value;
    return typeof value === "string" ? [mask(value)] : [];
  };
  // Of a journal that keeps no masked one, it is made here.
  const [destination = null] = [...told("destination", (value) => value), ...told("phone_number", maskPhone), ...told("email", maskEmail)];
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
          values: identificationOf(recipient, { method: act.method, at: act.signedAt }, { events, reach }),
        },
        { label: "Consentement", values: [`Donné le ${longInstant(act.signedAt)}, texte de la version ${act.consentVersion}.`] },
        { label: "Depuis", values: from },
        {
          label: "Documents lus",
          values: ["Empreinte de leur ensemble\u00a0:", { text: Buffer.from(act.documentsSha256).toString("hex"), face: "mono" }],
        },
        {
          label: "Scellement",
          values: [
            act.sealedAt === null
              ? "En cours\u00a0: la signature n’est pas encore apposée."
              : `Signature enregistrée le ${longInstant(act.sealedAt)}.`,
          ],
        },
      ],
    },
  ];
}
