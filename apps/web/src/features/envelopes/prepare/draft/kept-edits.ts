import type { Envelope } from "@paraphe/contracts";
import { isCalendarDay } from "@paraphe/kernel/paris-days";
import { keptOnDevice, namesOnDevice, storeOnDevice } from "../../../../lib/browser/tab-memory.ts";
import { type Draft, type DraftPart, draftOf, substanceOf } from "./draft.ts";

/** One save's parts, in comparable form. */
export type SentParts = Readonly<Partial<Record<DraftPart, string>>>;

/** At most one was made, so the newest three are enough. */
const MOST = 3;
const BESIDE_FIELDS: readonly DraftPart[] = [
  "title",
  "message",
  "deadline",
  "isSequential",
  "remindEveryDays",
  "proofOnly",
  "documentKind",
  "team",
  "recipients",
];

/** Saves whose answer was lost, and which the service may have made. */
export class UnansweredSaves {
  #sent: readonly SentParts[];
  #areFilesUnsure = false;

  constructor(sent: readonly SentParts[] = []) {
    this.#sent = sent;
  }

  readonly list = (): readonly SentParts[] => this.#sent;

  add(draft: Draft, parts: Iterable<DraftPart>): SentParts {
    const sent = Object.fromEntries(
      Array.from(parts, (part) => [part, substanceOf(draft, part)]),
    ) as SentParts;
    const isSame = (other: SentParts) => JSON.stringify(other) === JSON.stringify(sent);
    this.#sent = [...this.#sent.filter((other) => !isSame(other)), sent].slice(-MOST);
    return sent;
  }

  /** Notes a change of the files without an answer. */
  addFiles(): void {
    this.#areFilesUnsure = true;
  }

  remove(sent: SentParts): void {
    this.#sent = this.#sent.filter((other) => other !== sent);
  }

  clear(): void {
    this.#sent = [];
    this.#areFilesUnsure = false;
  }

  /** True when the service now has what it had `before` and one of these saves. */
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

/** The edits' version is the one they were typed over. */
export type KeptEdits = {
  readonly version: number;
  readonly draft: Draft;
  readonly dirty: readonly DraftPart[];
  readonly sent: readonly SentParts[];
};

const slotsOf = (envelopeId: string) => `draft-edits.${envelopeId}.`;
/** Each page has its own slot: none deletes another's edits. */
const slotOf = (envelopeId: string, page = THIS_PAGE) => slotsOf(envelopeId) + page;

export function storeEdits(owner: string, envelopeId: string, edits: KeptEdits | null): boolean {
  if (edits !== null) lockPage();
  return storeOnDevice(slotOf(envelopeId), { owner, value: edits });
}

/** Undefined when the service has them all. */
export function keptEdits(owner: string, envelope: Envelope): KeptEdits | undefined {
  const kept = keptOnDevice(slotOf(envelope.id), owner);
  if (!isEdits(kept)) return undefined;
  const stored = draftOf(envelope);
  const draft = { ...stored, ...kept.draft };
  if (kept.dirty.some((part) => substanceOf(draft, part) !== substanceOf(stored, part)))
    return { ...kept, draft };
  // Left here they would return as a conflict.
  storeEdits(owner, envelope.id, null);
  return undefined;
}

/** Takes over the newest edits of a closed page. */
export async function takeOverEdits(owner: string, envelopeId: string): Promise<void> {
  const own = slotOf(envelopeId);
  if (keptOnDevice(own, owner) !== undefined) return;
  const names = namesOnDevice(slotsOf(envelopeId), owner);
  if (names.length === 0) return;
  const open = await openPages();
  const left = names.find((name) => !open.has(name.slice(slotsOf(envelopeId).length)));
  if (left === undefined) return;
  lockPage();
  if (storeOnDevice(own, { owner, value: keptOnDevice(left, owner) }))
    storeOnDevice(left, { owner, value: null });
}

export function dropEdits(owner: string, envelopeId: string): void {
  for (const name of namesOnDevice(slotsOf(envelopeId), owner))
    storeOnDevice(name, { owner, value: null });
}

type Kind =
  | "string"
  | "number"
  | "boolean"
  | "text or null"
  | "number or null"
  | "text or nothing"
  | "text, null or nothing"
  | "boolean or nothing";
type Shape = Readonly<Record<string, Kind>>;
const DRAFT: Shape = {
  title: "string",
  message: "string",
  deadline: "string",
  isSequential: "boolean",
  remindEveryDays: "number or null",
  // Edits stored by an older client lack these.
  proofOnly: "boolean or nothing",
  documentKind: "text, null or nothing",
  team: "text, null or nothing",
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
    if (kind === "text, null or nothing")
      return found === undefined || found === null || typeof found === "string";
    if (kind === "text or nothing") return found === undefined || typeof found === "string";
    if (kind === "boolean or nothing") return found === undefined || typeof found === "boolean";
    return typeof found === kind;
  });
}

/** Changes with each load of the page. */
const THIS_PAGE = crypto.randomUUID();

const LOCK = "paraphe.page.";
/** Undefined without the Web Locks API. */
const locksOf = () => navigator.locks as LockManager | undefined;
let isHeld = false;

/** Holds a lock that ends with the page, however it ends. Source: Web Locks API (W3C), §3. */
function lockPage(): void {
  const locks = locksOf();
  if (isHeld || !locks) return;
  isHeld = true;
  locks
    .request(LOCK + THIS_PAGE, () => new Promise(() => undefined))
    .catch((error: unknown) => console.warn("no lock for this page", error));
}

/** Open pages of this browser; none without the Web Locks API. */
async function openPages(): Promise<ReadonlySet<string>> {
  const { held = [] } = (await locksOf()?.query()) ?? {};
  return new Set(
    held.flatMap(({ name = "" }) => (name.startsWith(LOCK) ? [name.slice(LOCK.length)] : [])),
  );
}
