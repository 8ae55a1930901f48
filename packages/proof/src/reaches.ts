/** An event whose chain and commitments the caller verifies. */
export type FactEvent = {
  readonly sequence: number;
  readonly at: string;
  readonly actor: string;
  readonly action: string;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly personal: Readonly<Record<string, { readonly value?: unknown }>>;
};

/** `either`: a text that may have been sent, and a mail. */
export type Channel = "email" | "sms" | "either";
export type Sent = { readonly channel: Channel; readonly destination: string | null };
/** Something sent to it came back. */
export type Contact = "email" | "phone";

/** `link`: by link and code; `account`: by session. `confirmed`: the only contacts to certify. */
export type Reach = {
  readonly by: "link" | "account";
  readonly link: Sent | null;
  readonly code: Sent | null;
  readonly confirmed: readonly Contact[];
  readonly vouched?: VouchedReach;
  readonly session?: SessionReach;
};

/** What a proof states of it; the rest is in the evidence file alone. */
export function statedReach({ by, link, code, confirmed }: Reach) {
  return { by, link, code, confirmed };
}

/** How the session was opened, and what confirmed the signature; null where not recorded. */
export type SessionReach = {
  readonly openedBy: string | null;
  readonly confirmedBy: string | null;
};

/**
 * What the session's identity provider said of the signer, which is its word alone. `facts`: the
 * same name, the same address.
 */
export type VouchedReach = {
  readonly by: string;
  readonly facts: readonly string[];
  readonly siret: string | null;
};

export function textIn(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

export function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((text) => typeof text === "string") : [];
}

/** Parses the texts `{id}:{text}` of an event. */
export function pairsIn(value: unknown): ReadonlyMap<string, string> {
  return new Map(
    textsIn(value).flatMap((text) => {
      const at = text.indexOf(":");
      return at < 0 ? [] : [[text.slice(0, at), text.slice(at + 1)] as const];
    }),
  );
}

/** Parses `{document}:{SHA-256}`, one or several. */
export function namedFilesIn(
  value: unknown,
): readonly (readonly [document: string, sha256: string])[] {
  return [...pairsIn(Array.isArray(value) ? value : [value])];
}

export function recordIn(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : null;
}

/** Counts a link once its code was entered, that code, or a confirmed account address. */
export function confirmedContacts(
  by:
    | { readonly link: Channel | null; readonly code: Channel }
    | { readonly isAddressConfirmed: boolean },
): readonly Contact[] {
  if ("isAddressConfirmed" in by) return by.isAddressConfirmed ? ["email"] : [];
  // Two possible channels prove neither.
  const has = (channel: Channel) => by.link === channel || by.code === channel;
  return [
    ...(has("email") ? (["email"] as const) : []),
    ...(has("sms") ? (["phone"] as const) : []),
  ];
}

type Draft = {
  readonly links: Map<string, Map<Channel, Sent>>;
  readonly sent: Map<string, Sent>;
  readonly verified: Map<string, { readonly person: string; readonly reach: Reach }>;
  readonly reaches: Map<string, Reach>;
  readonly faults: string[];
};

/** `faults`: contradictions within the journal, in French. */
type Reaches = { readonly reaches: ReadonlyMap<string, Reach>; readonly faults: readonly string[] };

export function readReaches(events: readonly FactEvent[]): Reaches {
  const draft: Draft = {
    links: new Map(),
    sent: new Map(),
    verified: new Map(),
    reaches: new Map(),
    faults: [],
  };
  for (const event of events)
    if (Object.hasOwn(READINGS, event.action)) READINGS[event.action]?.(draft, event);
  return draft;
}

const READINGS: Readonly<Record<string, (draft: Draft, event: FactEvent) => void>> = {
  recipient_invited: readLink,
  recipient_reminded: readLink,
  deadline_announced: readAnnouncement,
  recipient_address_corrected: readCorrection,
  step_reassigned: ({ links }, { detail }) => void links.delete(String(detail["recipient"])),
  code_sent: readCode,
  code_verified: readEntry,
  consent_given: readConsent,
  visa_given: readConsent,
};

const channelIn = (value: unknown): Channel | null =>
  value === "email" || value === "sms" || value === "either" ? value : null;
const wrongAt = (draft: Draft, { sequence }: FactEvent, what: string): void => {
  draft.faults.push(`L’événement n°\u00a0${sequence} de l’historique ${what}.`);
};

export function recipientActing({ actor }: Pick<FactEvent, "actor">): string | null {
  return actor.startsWith("recipient:") ? actor.slice("recipient:".length) : null;
}

const personOf = (event: FactEvent): string | null =>
  recipientActing(event) ?? textIn(event.detail["recipient"]);

function readLink(draft: Draft, { detail, personal }: FactEvent): void {
  const [recipient, channel] = [textIn(detail["recipient"]), channelIn(detail["channel"])];
  if (recipient === null || channel === null) return;
  noteLink(draft, recipient, { channel, destination: textIn(personal["destination"]?.value) });
}

/** Deadlines are announced by mail, to the address of the last mailed link. */
function readAnnouncement(draft: Draft, { detail }: FactEvent): void {
  for (const recipient of textsIn(detail["recipients"]))
    noteLink(
      draft,
      recipient,
      draft.links.get(recipient)?.get("email") ?? { channel: "email", destination: null },
    );
}

function noteLink({ links }: Draft, recipient: string, sent: Sent): void {
  links.set(recipient, new Map([...(links.get(recipient) ?? []), [sent.channel, sent]]));
}

/** Links sent to the former address no longer work. */
function readCorrection({ links }: Draft, { detail }: FactEvent): void {
  const recipient = textIn(detail["recipient"]);
  if (recipient !== null && detail["email"] === true) links.delete(recipient);
}

function readCode({ sent }: Draft, { detail, personal }: FactEvent): void {
  const [code, channel] = [textIn(detail["code"]), channelIn(detail["channel"])];
  if (code !== null && channel !== null)
    sent.set(code, { channel, destination: textIn(personal["destination"]?.value) });
}

function readEntry(draft: Draft, event: FactEvent): void {
  const { detail } = event;
  const [person, code, channel] = [
    personOf(event),
    textIn(detail["code"]),
    channelIn(detail["channel"]),
  ];
  if (person === null || code === null || channel === null) return;
  const sent = draft.sent.get(code);
  // A text may fall back to mail, never the reverse.
  if (sent === undefined || (sent.channel === "email" && channel !== "email"))
    wrongAt(draft, event, "fait revenir un code par un chemin qu’il n’a pas pris");
  const linkChannel = channelIn(detail["link_channel"]);
  const links = draft.links.get(person);
  if (
    linkChannel !== null &&
    !(links?.has(linkChannel) ?? false) &&
    !(linkChannel !== "sms" && links?.has("sms") === true)
  )
    wrongAt(draft, event, "fait ouvrir un lien qui n’a pas pris ce chemin");
  const link =
    linkChannel === null
      ? null
      : { channel: linkChannel, destination: links?.get(linkChannel)?.destination ?? null };
  const reach: Reach = {
    by: "link",
    link,
    code: { channel, destination: sent?.channel === channel ? sent.destination : null },
    confirmed: confirmedContacts({ link: linkChannel, code: channel }),
  };
  draft.verified.set(code, { person, reach });
}

function vouchedIn(detail: FactEvent["detail"]): VouchedReach | null {
  const by = textIn(detail["vouched_by"]);
  if (by === null) return null;
  return { by, facts: textsIn(detail["vouched"]), siret: textIn(detail["vouched_siret"]) };
}

function readConsent(draft: Draft, event: FactEvent): void {
  const { detail } = event;
  const [person, code, account] = [
    personOf(event),
    textIn(detail["code"]),
    textIn(detail["account_address"]),
  ];
  if (person === null) return;
  draft.reaches.delete(person);
  if (account !== null) {
    const confirmed = confirmedContacts({ isAddressConfirmed: account === "confirmed" });
    const vouched = vouchedIn(detail);
    const session = {
      openedBy: textIn(detail["opened_by"]),
      confirmedBy: textIn(detail["confirmed_by"]),
    };
    const reach = { by: "account", link: null, code: null, confirmed, session } as const;
    draft.reaches.set(person, vouched === null ? reach : { ...reach, vouched });
  }
  if (code === null) return;
  const entry = draft.verified.get(code);
  if (entry?.person !== person)
    return wrongAt(
      draft,
      event,
      "donne un consentement sous un code que cette personne n’a pas saisi",
    );
  draft.reaches.set(person, entry.reach);
}
