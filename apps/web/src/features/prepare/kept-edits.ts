import type { Envelope } from "@paraphe/contracts";
import { keepOnDevice, keptOnDevice } from "../../lib/tab-memory.ts";
import { type Draft, type DraftPart, draftOf } from "./draft.ts";
import { isCalendarDay } from "./paris-day.ts";

/** What was typed of a draft and is not saved: the whole of it, the parts that differ, and the version it was typed over. */
export type KeptEdits = { readonly version: number; readonly draft: Draft; readonly dirty: readonly DraftPart[] };

const nameOf = (envelopeId: string) => `draft-edits.${envelopeId}`;

/** Keeps what is not saved yet of a draft, or takes it away (`null`); false when the browser does not take it. */
export function keepEdits(owner: string, envelopeId: string, edits: KeptEdits | null): boolean {
  return keepOnDevice(nameOf(envelopeId), { owner, value: edits });
}

/**
 * Gives what was typed of this draft and could not be saved; undefined when nothing was, or when the service has it all: the last save of a page
 * that was closed may have arrived without anybody left to hear so.
 */
export function keptEdits(owner: string, envelope: Envelope): KeptEdits | undefined {
  const kept = keptOnDevice(nameOf(envelope.id), owner);
  if (!isEdits(kept)) return undefined;
  const stored = draftOf(envelope);
  if (kept.dirty.some((part) => substance(kept.draft, part) !== substance(stored, part))) return kept;
  // Left on the device it would come back, as if typed against it, once the draft is changed elsewhere.
  keepEdits(owner, envelope.id, null);
  return undefined;
}

/** A part as it compares: without the names that a page, or the service, gives to its rows. */
function substance(draft: Draft, part: DraftPart): string {
  const person = ({ fullName, email, phoneNumber, role, rank }: Draft["recipients"][number]) => [
    fullName.trim(),
    email.trim().toLowerCase(),
    phoneNumber,
    role,
    rank,
  ];
  if (part === "recipients") return JSON.stringify(draft.recipients.map(person));
  if (part !== "fields") return JSON.stringify(typeof draft[part] === "string" ? draft[part].trim() : draft[part]);
  const people = new Map(draft.recipients.map((row) => [row.key, person(row)]));
  return JSON.stringify(draft.fields.map(({ key: _key, id: _id, recipientKey, ...field }) => [people.get(recipientKey), entriesOf(field)]));
}

function entriesOf(row: object): readonly (readonly [string, unknown])[] {
  return Object.entries(row).toSorted(([a], [b]) => a.localeCompare(b));
}

type Shape = Readonly<Record<string, "string" | "number" | "boolean" | "text or null" | "number or null" | "text or nothing">>;
const DRAFT: Shape = { title: "string", message: "string", deadline: "string", isSequential: "boolean", remindEveryDays: "number or null" };
const PERSON: Shape = {
  key: "string",
  id: "text or nothing",
  fullName: "string",
  email: "string",
  phoneNumber: "text or null",
  role: "string",
  rank: "number",
};
const PLACE: Shape = { page: "number", x: "number", y: "number", width: "number", height: "number", required: "boolean" };
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
  if (!hasShape(value, { version: "number" }) || !Array.isArray(value["dirty"]) || !hasShape(value["draft"], DRAFT)) return false;
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

function hasShape(value: unknown, shape: Shape): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const row = value as Readonly<Record<string, unknown>>;
  return Object.entries(shape).every(([name, kind]) => {
    const found = row[name];
    if (kind === "text or null") return found === null || typeof found === "string";
    if (kind === "number or null") return found === null || typeof found === "number";
    if (kind === "text or nothing") return found === undefined || typeof found === "string";
    return typeof found === kind;
  });
}
