import { addressOf, lineOf } from "@paraphe/contracts";
import { type Draft, type DraftPart, isBlankRecipient } from "./draft.ts";

/** Gives a part of a draft as it compares: as the service keeps it, without the names that a page, or the service, gives to its rows. */
export function substanceOf(draft: Draft, part: DraftPart): string {
  const person = ({ fullName, email, phoneNumber, role, rank }: Draft["recipients"][number]) => [
    lineOf(fullName),
    addressOf(email).toLowerCase(),
    phoneNumber === "" ? null : phoneNumber,
    role,
    rank,
  ];
  if (part === "recipients") return JSON.stringify(draft.recipients.filter((row) => !isBlankRecipient(row)).map(person));
  if (part !== "fields") return JSON.stringify(typeof draft[part] === "string" ? draft[part].normalize("NFC").trim() : draft[part]);
  const people = new Map(draft.recipients.map((row) => [row.key, person(row)]));
  return JSON.stringify(draft.fields.map(({ key: _key, id: _id, recipientKey, ...field }) => [people.get(recipientKey), entriesOf(field)]));
}

function entriesOf(row: object): readonly (readonly [string, unknown])[] {
  return Object.entries(row).toSorted(([a], [b]) => a.localeCompare(b));
}
