import type { Envelope } from "@paraphe/contracts";
import { isCalendarDay } from "../../../../lib/calendar-day.ts";
import { THIS_PAGE, holdPage, openPages } from "../../../../lib/open-pages.ts";
import { keepOnDevice, keptOnDevice, namesOnDevice } from "../../../../lib/tab-memory.ts";
import { type Draft, type DraftPart, draftOf, substanceOf } from "./draft.ts";

/** What one save sent, part by part, as it compares. */
export type SentParts = Readonly<Partial<Record<DraftPart, string>>>;

/** The next ones take the place of the oldest: all of them went over one version, and one at most was made. */
const MOST = 3;
const BESIDE_FIELDS: readonly DraftPart[] = [
  "title",
  "message",
  "deadline",
  "isSequential",
  "remindEveryDays",
  "proofOnly",
  "recipients",
];

/**
 * The changes of a draft that left and were not answered: the network, or a reload, took the answer away. One of them may have been made all the
 * same; the version has then moved by it, and nobody else has touched the draft.
 */
export class UnansweredSaves {
  #sent: readonly SentParts[];
  #areFilesUnsure = false;

  constructor(sent: readonly SentParts[] = []) {
    this.#sent = sent;
  }

  readonly list = (): readonly SentParts[] => this.#sent;

  /** A save leaves; gives what it is known by. */
  add(draft: Draft, parts: Iterable<DraftPart>): SentParts {
    const sent = Object.fromEntries(
      Array.from(parts, (part) => [part, substanceOf(draft, part)]),
    ) as SentParts;
    const isSame = (other: SentParts) => JSON.stringify(other) === JSON.stringify(sent);
    this.#sent = [...this.#sent.filter((other) => !isSame(other)), sent].slice(-MOST);
    return sent;
  }

  /** A change of the files has left without an answer. */
  addFiles(): void {
    this.#areFilesUnsure = true;
  }

  /** The service has read this save, and not made it. */
  remove(sent: SentParts): void {
    this.#sent = this.#sent.filter((other) => other !== sent);
  }

  /** The service's version is known again. */
  clear(): void {
    this.#sent = [];
    this.#areFilesUnsure = false;
  }

  /** Tells whether what the service has now is what it had `before`, and one of these. */
  explain(found: Envelope, before: { readonly version: number; readonly draft?: Draft }): boolean {
    if (found.version !== before.version + 1) return false;
    const stored = draftOf(found);
    const isMade = (sent: SentParts) =>
      Object.entries(sent).every(([part, text]) => substanceOf(stored, part as DraftPart) === text);
    if (this.#sent.some(isMade)) return true;
    const { draft } = before;
    return (
      this.#areFilesUnsure &&
      draft !== undefined &&
      BESIDE_FIELDS.every((part) => substanceOf(stored, part) === substanceOf(draft, part))
    );
  }
}

/** What was typed of a draft and is not saved: the whole of it, the parts that differ, the version it was typed over, and what was sent unanswered. */
export type KeptEdits = {
  readonly version: number;
  readonly draft: Draft;
  readonly dirty: readonly DraftPart[];
  readonly sent: readonly SentParts[];
};

const slotsOf = (envelopeId: string) => `draft-edits.${envelopeId}.`;
/** Each page that has the draft open keeps its own: none takes away what another one typed. */
const slotOf = (envelopeId: string, page = THIS_PAGE) => slotsOf(envelopeId) + page;

/** Keeps what this page has not saved yet of a draft, or takes it away (`null`); false when the browser does not take it. */
export function keepEdits(owner: string, envelopeId: string, edits: KeptEdits | null): boolean {
  if (edits !== null) holdPage();
  return keepOnDevice(slotOf(envelopeId), { owner, value: edits });
}

/**
 * Gives what was typed of this draft here and could not be saved; undefined when nothing was, or when the service has it all: the last save of a
 * page that was closed may have arrived without anybody left to hear so.
 */
export function keptEdits(owner: string, envelope: Envelope): KeptEdits | undefined {
  const kept = keptOnDevice(slotOf(envelope.id), owner);
  if (!isEdits(kept)) return undefined;
  const stored = draftOf(envelope);
  const draft = { ...stored, ...kept.draft };
  if (kept.dirty.some((part) => substanceOf(draft, part) !== substanceOf(stored, part)))
    return { ...kept, draft };
  // Left on the device it would come back, as if typed against it, once the draft is changed elsewhere.
  keepEdits(owner, envelope.id, null);
  return undefined;
}

/**
 * Takes what was last typed of a draft in a page that is gone: closed, reloaded, crashed. What an open page keeps stays its own, and so does what
 * an older one typed: it comes when the draft is opened after this.
 */
export async function takeOverEdits(owner: string, envelopeId: string): Promise<void> {
  const own = slotOf(envelopeId);
  if (keptOnDevice(own, owner) !== undefined) return;
  const names = namesOnDevice(slotsOf(envelopeId), owner);
  if (names.length === 0) return;
  const open = await openPages();
  const left = names.find((name) => !open.has(name.slice(slotsOf(envelopeId).length)));
  if (left === undefined) return;
  holdPage();
  if (keepOnDevice(own, { owner, value: keptOnDevice(left, owner) }))
    keepOnDevice(left, { owner, value: null });
}

/** The draft is none any more (sent, deleted): whatever was typed of it, in any page, will never be saved. */
export function dropEdits(owner: string, envelopeId: string): void {
  for (const name of namesOnDevice(slotsOf(envelopeId), owner))
    keepOnDevice(name, { owner, value: null });
}

type Kind =
  | "string"
  | "number"
  | "boolean"
  | "text or null"
  | "number or null"
  | "text or nothing"
  | "boolean or nothing";
type Shape = Readonly<Record<string, Kind>>;
const DRAFT: Shape = {
  title: "string",
  message: "string",
  deadline: "string",
  isSequential: "boolean",
  remindEveryDays: "number or null",
  // What was kept before there was this choice has none.
  proofOnly: "boolean or nothing",
};
const PERSON: Shape = {
  key: "string",
  id: "text or nothing",
  fullName: "string",
  email: "string",
  phoneNumber: "text or null",
  role: "string",
  rank: "number",
};
const PLACE: Shape = {
  page: "number",
  x: "number",
  y: "number",
  width: "number",
  height: "number",
  required: "boolean",
};
const FIELD: Shape = {
  ...PLACE,
  key: "string",
  id: "text or nothing",
  documentId: "string",
  recipientKey: "string",
  type: "string",
  label: "text or null",
  value: "text or null",
};

function isEdits(value: unknown): value is KeptEdits {
  if (
    !hasShape(value, { version: "number" }) ||
    !Array.isArray(value["dirty"]) ||
    !hasShape(value["draft"], DRAFT)
  )
    return false;
  if (!Array.isArray(value["sent"]) || !value["sent"].every(isSent)) return false;
  const { deadline, recipients, fields, ...parts } = value["draft"];
  const names = new Set(["deadline", "recipients", "fields", ...Object.keys(parts)]);
  return (
    (deadline === "" || isCalendarDay(String(deadline))) &&
    value["dirty"].every((part) => names.has(part)) &&
    Array.isArray(recipients) &&
    recipients.every((row) => hasShape(row, PERSON)) &&
    Array.isArray(fields) &&
    fields.every((field) => hasShape(field, FIELD))
  );
}

function isSent(value: unknown): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    Object.values(value).every((text) => typeof text === "string")
  );
}

function hasShape(value: unknown, shape: Shape): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const row = value as Readonly<Record<string, unknown>>;
  return Object.entries(shape).every(([name, kind]) => {
    const found = row[name];
    if (kind === "text or null") return found === null || typeof found === "string";
    if (kind === "number or null") return found === null || typeof found === "number";
    if (kind === "text or nothing") return found === undefined || typeof found === "string";
    if (kind === "boolean or nothing") return found === undefined || typeof found === "boolean";
    return typeof found === kind;
  });
}
