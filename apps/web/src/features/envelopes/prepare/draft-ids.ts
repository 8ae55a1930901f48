import type { Envelope } from "@paraphe/contracts";
import { type Draft, draftOf } from "./draft.ts";

/** Gives the draft with the ids the service has just given, and without fields whose document or recipient is gone. */
export function adoptIds(draft: Draft, saved: { before: Draft; answer: Envelope }): Draft {
  const answered = draftOf(saved.answer, saved.before);
  const recipientIds = new Map(answered.recipients.map((row) => [row.key, row.id]));
  const fieldIds = new Map(answered.fields.map((field) => [field.key, field.id]));
  const recipients = draft.recipients.map((row) => {
    const id = recipientIds.get(row.key);
    if (id !== undefined) return { ...row, id };
    // Emptied, it was taken away: typed again, it is somebody new.
    const { id: _gone, ...unsaved } = row;
    return unsaved;
  });
  const documents = new Set(saved.answer.documents.map((document) => document.id));
  const keys = new Set(recipients.map((row) => row.key));
  const fields = draft.fields
    .filter((field) => documents.has(field.documentId) && keys.has(field.recipientKey))
    .map((field) => {
      const id = fieldIds.get(field.key);
      if (id !== undefined) return { ...field, id };
      const { id: _gone, ...unsaved } = field;
      return unsaved;
    });
  return { ...draft, recipients, fields };
}

/** Gives this page's version without the ids the service no longer knows (another tab may have removed them), nor fields of a document or a person gone since. */
export function onlyKnown(draft: Draft, envelope: Envelope): Draft {
  const recipientIds = new Set(envelope.recipients.map((row) => row.id));
  const fieldIds = new Set(envelope.fields.map((field) => field.id));
  const documents = new Set(envelope.documents.map((document) => document.id));
  const known = <T extends { readonly id?: string }>(row: T, ids: ReadonlySet<string>): T => {
    if (row.id === undefined || ids.has(row.id)) return row;
    const { id: _gone, ...rest } = row;
    return rest as T;
  };
  const people = new Set(draft.recipients.map((row) => row.key));
  const isPlaced = (field: Draft["fields"][number]) => documents.has(field.documentId) && people.has(field.recipientKey);
  return {
    ...draft,
    recipients: draft.recipients.map((row) => known(row, recipientIds)),
    fields: draft.fields.filter(isPlaced).map((field) => known(field, fieldIds)),
  };
}
