import {
  type Envelope,
  type Field,
  type FieldType,
  MAX_RECIPIENTS,
  type Role,
  addressOf,
  emailFault,
  firstUnprinted,
  lineOf,
  nameFault,
  unprintedSentence,
  asciiAddress,
} from "@paraphe/contracts";
import { parisDay } from "@paraphe/kernel/paris-days";

/** `key` is the page's name for a row, `id` the service's. */
export type DraftRecipient = {
  readonly key: string;
  readonly id?: string;
  readonly fullName: string;
  readonly email: string;
  readonly phoneNumber: string | null;
  readonly role: Role;
  /** The place in an ordered flow; equal ranks sign at the same time. */
  readonly rank: number;
};
export type DraftField = {
  readonly key: string;
  readonly id?: string;
  readonly documentId: string;
  readonly recipientKey: string;
  readonly type: FieldType;
  readonly page: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly required: boolean;
  readonly label: string | null;
  /** What the sender wrote in advance. */
  readonly value: string | null;
};
/** What a user edits; the documents are in the service's answer. */
export type Draft = {
  readonly title: string;
  readonly message: string;
  /** Calendar day in Paris, `YYYY-MM-DD`, empty for none. */
  readonly deadline: string;
  readonly isSequential: boolean;
  /** Null: no reminders. */
  readonly remindEveryDays: number | null;
  /** True: the public page shows the proof without the document. */
  readonly proofOnly: boolean;
  /** A circuit is imposed by it. */
  readonly documentKind: string | null;
  /** The team the envelope is sent for; null for the person alone. */
  readonly team: string | null;
  readonly recipients: readonly DraftRecipient[];
  readonly fields: readonly DraftField[];
};
/** The parts of a draft, each saved as a whole. */
export type DraftPart =
  | "title"
  | "message"
  | "deadline"
  | "isSequential"
  | "remindEveryDays"
  | "proofOnly"
  | "documentKind"
  | "team"
  | "recipients"
  | "fields";

export const EMPTY_DRAFT: Draft = {
  title: "",
  message: "",
  deadline: "",
  isSequential: false,
  remindEveryDays: null,
  proofOnly: false,
  documentKind: null,
  team: null,
  recipients: [],
  fields: [],
};

const FIRST_REMINDER_DAYS = 3;
export const NEW_DRAFT: Draft = { ...EMPTY_DRAFT, remindEveryDays: FIRST_REMINDER_DAYS };

/** The draft in the service's answer; recognised rows keep the page's own keys. */
export function draftOf(envelope: Envelope, known: Draft = EMPTY_DRAFT): Draft {
  // A parallel list gets distinct ranks, for a later order.
  const isUnranked =
    envelope.flow === "parallel" &&
    envelope.recipients.every((row) => row.order === envelope.recipients[0]?.order);
  const recipients = [...envelope.recipients]
    .sort((a, b) => a.order - b.order)
    .map((row, index) => recipientOf(isUnranked ? { ...row, order: index + 1 } : row, known));
  const keyOfRecipient = new Map(recipients.map((row) => [row.id, row.key]));
  return {
    title: envelope.title,
    message: envelope.message ?? "",
    deadline: envelope.deadline_at ? parisDay(envelope.deadline_at) : "",
    isSequential: envelope.flow === "sequential",
    remindEveryDays: envelope.reminders?.every_days ?? null,
    proofOnly: envelope.proof_only ?? false,
    documentKind: envelope.document_kind ?? null,
    team: envelope.team?.id ?? null,
    recipients,
    fields: envelope.fields.map((field) =>
      fieldOf(field, keyOfRecipient.get(field.recipient_id) ?? field.recipient_id, known),
    ),
  };
}

function recipientOf(row: Envelope["recipients"][number], known: Draft): DraftRecipient {
  // The service stores a domain in ASCII; the page shows it in Unicode.
  const email = unicodeAddress(row.email);
  const same =
    known.recipients.find((other) => other.id === row.id) ??
    known.recipients.find(
      (other) =>
        !other.id &&
        isSameAddress(other.email, row.email) &&
        other.fullName.trim() === row.full_name,
    );
  return {
    key: same?.key ?? row.id,
    id: row.id,
    fullName: row.full_name,
    email,
    phoneNumber: row.phone_number,
    role: row.role,
    rank: row.order,
  };
}

function isSameAddress(typed: string, kept: string): boolean {
  return addressOf(typed).toLowerCase() === kept.toLowerCase();
}

function fieldOf(field: Field, recipientKey: string, known: Draft): DraftField {
  const same =
    known.fields.find((other) => other.id === field.id) ??
    known.fields.find(
      (other) => !other.id && other.recipientKey === recipientKey && isSamePlace(other, field),
    );
  return {
    key: same?.key ?? field.id,
    id: field.id,
    documentId: field.document_id,
    recipientKey,
    type: field.type,
    page: field.page,
    x: field.x,
    y: field.y,
    width: field.width,
    height: field.height,
    required: field.required,
    label: field.label,
    value: field.value,
  };
}

function isSamePlace(draft: DraftField, field: Field): boolean {
  const near = (a: number, b: number) => Math.abs(a - b) < 0.0001;
  return (
    draft.documentId === field.document_id &&
    draft.type === field.type &&
    draft.page === field.page &&
    near(draft.x, field.x) &&
    near(draft.y, field.y) &&
    near(draft.width, field.width)
  );
}

export function recipientErrors(
  row: DraftRecipient,
  all: readonly DraftRecipient[],
): { fullName?: string; email?: string } {
  const character = unprintedIn(row);
  const name =
    nameFault(row.fullName) ?? (character === null ? null : unprintedSentence(character));
  const email = emailFault(row.email);
  const isTwin = (countsOf(all).get(personOf(row)) ?? 0) > 1;
  return {
    ...(name === null ? {} : { fullName: name }),
    ...(email === null
      ? isTwin
        ? { email: "Cette adresse figure déjà dans la liste." }
        : {}
      : { email }),
  };
}

/** Counts addresses, alone and with names, once for all rows. */
const counts = new WeakMap<readonly DraftRecipient[], ReadonlyMap<string, number>>();
export const addressIn = (row: DraftRecipient) => row.email.trim().toLowerCase();
/** One person may give a visa and sign. */
const personOf = (row: DraftRecipient) =>
  `${addressIn(row)}\n${row.fullName.trim().toLowerCase()}${row.role === "visa" ? "\nvisa" : ""}`;

function countsOf(all: readonly DraftRecipient[]): ReadonlyMap<string, number> {
  const known = counts.get(all);
  if (known) return known;
  const found = new Map<string, number>();
  for (const name of all.flatMap((row) => [addressIn(row), personOf(row)]))
    found.set(name, (found.get(name) ?? 0) + 1);
  counts.set(all, found);
  return found;
}

/** A visa and a copy fill in no field. */
export function signs({ role }: Pick<DraftRecipient, "role">): boolean {
  return role === "signer" || role === "approver";
}

export function unprintedIn(row: Pick<DraftRecipient, "role" | "fullName">): string | null {
  return signs(row) ? firstUnprinted(row.fullName.trim()) : null;
}

/** A warning does not block: two people may share an address. */
export function recipientWarning(
  row: DraftRecipient,
  all: readonly DraftRecipient[],
): string | undefined {
  const address = addressIn(row);
  return address !== "" && (countsOf(all).get(address) ?? 0) > 1
    ? "Cette adresse figure déjà dans la liste."
    : undefined;
}

/** A row without any text is neither a fault nor saved. */
export function isBlankRecipient(row: DraftRecipient): boolean {
  return row.fullName.trim() === "" && row.email.trim() === "";
}

export function canSaveRecipients(recipients: readonly DraftRecipient[]): boolean {
  return (
    !isCrowded(recipients) &&
    recipients.every((row) => isBlankRecipient(row) || isRight(row, recipients))
  );
}

/** More rows than the service takes: none is dropped. */
export function isCrowded(recipients: readonly DraftRecipient[]): boolean {
  return recipients.filter((row) => !isBlankRecipient(row)).length > MAX_RECIPIENTS;
}

export function isRight(row: DraftRecipient, all: readonly DraftRecipient[]): boolean {
  return Object.keys(recipientErrors(row, all)).length === 0;
}

/** A new row with faults is left out, a saved one stays as the service has it. */
export function sentRecipients(all: readonly DraftRecipient[]): readonly DraftRecipient[] {
  return all.filter((row) => !isBlankRecipient(row) && (row.id !== undefined || isRight(row, all)));
}

export type SaveStatus =
  | { readonly kind: "clean" | "dirty" | "gone" | "sent" }
  /** `failure`: why an earlier attempt failed. */
  | { readonly kind: "saving"; readonly failure?: unknown }
  /** `at`: when it was changed elsewhere, if the service could be asked. */
  | { readonly kind: "conflict"; readonly at: Date | null }
  | { readonly kind: "saved"; readonly at: Date }
  | { readonly kind: "failed"; readonly error: unknown };
export type DraftState = {
  readonly envelope: Envelope | null;
  readonly draft: Draft;
  readonly status: SaveStatus;
};

/** The address until a name is typed. */
export function recipientName(draft: Draft, key: string): string {
  const row = draft.recipients.find((recipient) => recipient.key === key);
  return row ? row.fullName || row.email : "";
}

/** Comparable text: as the service stores it, without keys and ids. */
export function substanceOf(draft: Draft, part: DraftPart): string {
  const person = ({ fullName, email, phoneNumber, role, rank }: Draft["recipients"][number]) => [
    lineOf(fullName),
    addressOf(email).toLowerCase(),
    phoneNumber === "" ? null : phoneNumber,
    role,
    rank,
  ];
  if (part === "recipients")
    return JSON.stringify(draft.recipients.filter((row) => !isBlankRecipient(row)).map(person));
  if (part !== "fields")
    return JSON.stringify(
      typeof draft[part] === "string" ? draft[part].normalize("NFC").trim() : draft[part],
    );
  const people = new Map(draft.recipients.map((row) => [row.key, person(row)]));
  return JSON.stringify(
    draft.fields.map(({ key: _key, id: _id, recipientKey, ...field }) => [
      people.get(recipientKey),
      entriesOf(field),
    ]),
  );
}

function entriesOf(row: object): readonly (readonly [string, unknown])[] {
  return Object.entries(row).toSorted(([a], [b]) => a.localeCompare(b));
}

/** Parameters of Punycode. Source: RFC 3492 §5. */
const BASE = 36;
const T_MIN = 1;
const T_MAX = 26;
const SKEW = 38;
const DAMP = 700;
const INITIAL_BIAS = 72;
const INITIAL_N = 0x80;

/**
 * « a@xn--exmple-cva.fr » becomes « a@exémple.fr », where the domain encodes back to the same
 * ASCII.
 */
export function unicodeAddress(address: string): string {
  const at = address.lastIndexOf("@");
  const labels = address.slice(at + 1).split(".");
  if (at < 1 || !labels.some((label) => label.startsWith("xn--"))) return address;
  const written = labels.map((label) =>
    label.startsWith("xn--") ? decodeLabel(label.slice(4)) : label,
  );
  const shown = `${address.slice(0, at)}@${written.join(".")}`;
  return asciiAddress(shown) === address ? shown : address;
}

/** Source: RFC 3492 §6.2. Invalid Punycode gives text that does not encode back. */
function decodeLabel(label: string): string {
  const basic = label.lastIndexOf("-");
  const points = Array.from(
    label.slice(0, Math.max(basic, 0)),
    (letter) => letter.codePointAt(0) ?? 0,
  );
  let n = INITIAL_N;
  let i = 0;
  let bias = INITIAL_BIAS;
  for (let at = basic + 1; at < label.length; ) {
    const before = i;
    for (let weight = 1, k = BASE; at < label.length; k += BASE) {
      const digit = valueOf(label.charAt(at));
      at += 1;
      i += digit * weight;
      const threshold = Math.min(Math.max(k - bias, T_MIN), T_MAX);
      if (digit < threshold) break;
      weight *= BASE - threshold;
    }
    const length = points.length + 1;
    bias = adapt(i - before, { length, isFirst: before === 0 });
    n += Math.floor(i / length);
    i %= length;
    if (!(n <= 0x10_ff_ff)) return "";
    points.splice(i, 0, n);
    i += 1;
  }
  return String.fromCodePoint(...points);
}

/** a to z are 0 to 25, 0 to 9 are 26 to 35, else NaN. Source: RFC 3492 §5. */
function valueOf(letter: string): number {
  const value = "abcdefghijklmnopqrstuvwxyz0123456789".indexOf(letter.toLowerCase());
  return value === -1 ? Number.NaN : value;
}

/** Source: RFC 3492 §6.1. */
function adapt(delta: number, { length, isFirst }: { length: number; isFirst: boolean }): number {
  let rest = Math.floor(delta / (isFirst ? DAMP : 2));
  rest += Math.floor(rest / length);
  let k = 0;
  for (; rest > ((BASE - T_MIN) * T_MAX) / 2; k += BASE) rest = Math.floor(rest / (BASE - T_MIN));
  return k + Math.floor(((BASE - T_MIN + 1) * rest) / (rest + SKEW));
}
