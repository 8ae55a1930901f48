import type { UpdateEnvelopeRequest } from "@paraphe/contracts";
import { deadlineFault, deadlineInstant } from "./deadline-limits.ts";
import { canSaveRecipients, type Draft, type DraftField, type DraftPart, isBlankRecipient } from "./draft.ts";
import { unprintedInField } from "./unprinted-field.ts";

/** The body of a save and the parts it holds. A part that cannot be saved yet (an address half typed) stays out and stays dirty. */
export type DraftChanges = { readonly body: UpdateEnvelopeRequest; readonly parts: ReadonlySet<DraftPart> };

/** Gives what can be saved now among the dirty parts; null when nothing can. */
export function draftChanges(
  draft: Draft,
  { dirty, now }: { readonly dirty: ReadonlySet<DraftPart>; readonly now: Date },
): DraftChanges | null {
  const parts = new Set<DraftPart>();
  const body: UpdateEnvelopeRequest = {};
  const take = (part: DraftPart, savable: boolean, write: () => void) => {
    if (!dirty.has(part) || !savable) return;
    write();
    parts.add(part);
  };
  take("title", draft.title.trim() !== "", () => Object.assign(body, { title: draft.title }));
  take("message", true, () => Object.assign(body, { message: draft.message.trim() === "" ? null : draft.message }));
  take("deadline", deadlineFault(draft.deadline, now) === undefined, () =>
    Object.assign(body, { deadline_at: draft.deadline === "" ? null : deadlineInstant(draft.deadline, now) }),
  );
  take("isSequential", true, () => Object.assign(body, { flow: draft.isSequential ? "sequential" : "parallel" }));
  take("remindEveryDays", true, () => Object.assign(body, { reminders: { every_days: draft.remindEveryDays } }));
  // Ranks are kept in parallel too, for the day an order is asked for.
  take("recipients", canSaveRecipients(draft.recipients), () => Object.assign(body, { recipients: recipientRows(draft) }));
  // A field names its recipient by the service's id: new recipients are saved first, their fields right after.
  const canSaveField = (field: DraftField) => recipientId(draft, field.recipientKey) !== undefined && unprintedInField(field) === null;
  take("fields", draft.fields.every(canSaveField) && !parts.has("recipients"), () => Object.assign(body, { fields: fieldRows(draft) }));
  return parts.size === 0 ? null : { body, parts };
}

function recipientRows(draft: Draft) {
  return draft.recipients
    .filter((row) => !isBlankRecipient(row))
    .map((row) => ({
      ...(row.id ? { id: row.id } : {}),
      email: row.email.trim(),
      full_name: row.fullName.trim(),
      phone_number: row.phoneNumber,
      role: row.role,
      order: row.rank,
    }));
}

function fieldRows(draft: Draft) {
  return draft.fields.map(({ key: _key, id, documentId, recipientKey, ...rest }) => ({
    ...(id ? { id } : {}),
    document_id: documentId,
    recipient_id: recipientId(draft, recipientKey) ?? "",
    ...rest,
  }));
}

function recipientId(draft: Draft, key: string): string | undefined {
  return draft.recipients.find((row) => row.key === key)?.id;
}
