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
} from "@paraphe/contracts";
import { unicodeAddress } from "../../../../lib/unicode-address.ts";

/** One row of the list of recipients while it is typed; `key` is the page's own name for it, `id` the service's once saved. */
export type DraftRecipient = {
  readonly key: string;
  readonly id?: string;
  readonly fullName: string;
  readonly email: string;
  readonly phoneNumber: string | null;
  readonly role: Role;
  /** When this person signs in an ordered flow; equal ranks sign at the same time. */
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
  /** What the sender wrote in advance, if anything. */
  readonly value: string | null;
};
/** What a person edits; the documents themselves live in the service's answer. */
export type Draft = {
  readonly title: string;
  readonly message: string;
  /** Calendar day in Paris, `YYYY-MM-DD`, empty for none. */
  readonly deadline: string;
  readonly isSequential: boolean;
  /** Automatic reminders; null: none. */
  readonly remindEveryDays: number | null;
  /** Whether the public page shows the proof without the document. */
  readonly proofOnly: boolean;
  readonly recipients: readonly DraftRecipient[];
  readonly fields: readonly DraftField[];
};
/** The parts of a draft that are saved together. */
export type DraftPart =
  | "title"
  | "message"
  | "deadline"
  | "isSequential"
  | "remindEveryDays"
  | "proofOnly"
  | "recipients"
  | "fields";

export const EMPTY_DRAFT: Draft = {
  title: "",
  message: "",
  deadline: "",
  isSequential: false,
  remindEveryDays: null,
  proofOnly: false,
  recipients: [],
  fields: [],
};

/** A new envelope reminds by itself, every so many days, until it is told otherwise. */
const FIRST_REMINDER_DAYS = 3;
/** Where a new envelope starts from. */
export const NEW_DRAFT: Draft = { ...EMPTY_DRAFT, remindEveryDays: FIRST_REMINDER_DAYS };

const parisDay = new Intl.DateTimeFormat("en-CA", { timeZone: "Europe/Paris" });

/** Gives the draft as the service has it; rows keep the page's own keys when they are recognised. */
export function draftOf(envelope: Envelope, known: Draft = EMPTY_DRAFT): Draft {
  // In parallel the ranks of a list made elsewhere may all be the first: here each keeps one of its own, for the day an order is asked for.
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
    deadline: envelope.deadline_at ? parisDay.format(new Date(envelope.deadline_at)) : "",
    isSequential: envelope.flow === "sequential",
    remindEveryDays: envelope.reminders?.every_days ?? null,
    proofOnly: envelope.proof_only ?? false,
    recipients,
    fields: envelope.fields.map((field) =>
      fieldOf(field, keyOfRecipient.get(field.recipient_id) ?? field.recipient_id, known),
    ),
  };
}

function recipientOf(row: Envelope["recipients"][number], known: Draft): DraftRecipient {
  // The service keeps a domain in ASCII: the page keeps it as it is read.
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

/** Gives the faults of a row of the list `all` by field; an empty object when the row is right. */
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

/** How many rows of a list have an address, and how many an address and a name: counted once for a list, whose every row asks. */
const counts = new WeakMap<readonly DraftRecipient[], ReadonlyMap<string, number>>();
const addressIn = (row: DraftRecipient) => row.email.trim().toLowerCase();
const personOf = (row: DraftRecipient) => `${addressIn(row)}\n${row.fullName.trim().toLowerCase()}`;

function countsOf(all: readonly DraftRecipient[]): ReadonlyMap<string, number> {
  const known = counts.get(all);
  if (known) return known;
  const found = new Map<string, number>();
  for (const name of all.flatMap((row) => [addressIn(row), personOf(row)]))
    found.set(name, (found.get(name) ?? 0) + 1);
  counts.set(all, found);
  return found;
}

/** The name of whoever signs or approves is printed: gives its first character that no font draws; null for a copy, or when each is drawn. */
export function unprintedIn(row: Pick<DraftRecipient, "role" | "fullName">): string | null {
  return row.role === "viewer" ? null : firstUnprinted(row.fullName.trim());
}

/** What to look at again in a row of the list `all` without holding it back: two people may share an address. */
export function recipientWarning(
  row: DraftRecipient,
  all: readonly DraftRecipient[],
): string | undefined {
  const address = addressIn(row);
  return address !== "" && (countsOf(all).get(address) ?? 0) > 1
    ? "Cette adresse figure déjà dans la liste."
    : undefined;
}

/** A row nobody typed anything in: neither an error nor something to save. */
export function isBlankRecipient(row: DraftRecipient): boolean {
  return row.fullName.trim() === "" && row.email.trim() === "";
}

/** Tells whether the whole list can be saved as it stands. */
export function canSaveRecipients(recipients: readonly DraftRecipient[]): boolean {
  return (
    !isCrowded(recipients) &&
    recipients.every((row) => isBlankRecipient(row) || isRight(row, recipients))
  );
}

/** A list of more rows than the service takes: none is left out by itself. */
export function isCrowded(recipients: readonly DraftRecipient[]): boolean {
  return recipients.filter((row) => !isBlankRecipient(row)).length > MAX_RECIPIENTS;
}

/** Nothing is wrong with a row of the list `all`. */
export function isRight(row: DraftRecipient, all: readonly DraftRecipient[]): boolean {
  return Object.keys(recipientErrors(row, all)).length === 0;
}

/** Gives the rows that a save holds. One that is not right yet is left out until it is; one that the service has already stays as it is there. */
export function sentRecipients(all: readonly DraftRecipient[]): readonly DraftRecipient[] {
  return all.filter((row) => !isBlankRecipient(row) && (row.id !== undefined || isRight(row, all)));
}

export type SaveStatus =
  | { readonly kind: "clean" | "dirty" | "gone" | "sent" }
  /** `failure`: why what is on its way did not pass before, when it did not. */
  | { readonly kind: "saving"; readonly failure?: unknown }
  /** `at`: when it was changed elsewhere, as far as the service could be asked. */
  | { readonly kind: "conflict"; readonly at: Date | null }
  | { readonly kind: "saved"; readonly at: Date }
  | { readonly kind: "failed"; readonly error: unknown };
export type DraftState = {
  readonly envelope: Envelope | null;
  readonly draft: Draft;
  readonly status: SaveStatus;
};

/** Gives the name shown for a recipient: the address until a name is typed. */
export function recipientName(draft: Draft, key: string): string {
  const row = draft.recipients.find((recipient) => recipient.key === key);
  return row ? row.fullName || row.email : "";
}

/** Gives a part of a draft as it compares: as the service keeps it, without the names that a page, or the service, gives to its rows. */
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
