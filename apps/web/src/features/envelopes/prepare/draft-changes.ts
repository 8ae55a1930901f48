import type { Envelope, UpdateEnvelopeRequest } from "@paraphe/contracts";
import { deadlineFault, deadlineInstant } from "./deadline-limits.ts";
import { canSaveRecipients, type Draft, type DraftField, draftOf, type DraftPart, isCrowded, isRight, sentRecipients } from "./draft.ts";
import { substanceOf } from "./draft-substance.ts";
import { unprintedInField } from "./unprinted-field.ts";

/**
 * The body of a save, the parts it holds, and the draft as it writes it. A part that cannot be saved yet stays out and stays dirty; of the
 * recipients those that can be are written, and the part stays dirty while one is not right (an address half typed): it is not in `parts`.
 */
export type DraftChanges = {
  readonly body: UpdateEnvelopeRequest;
  readonly parts: ReadonlySet<DraftPart>;
  readonly written: ReadonlySet<DraftPart>;
  readonly draft: Draft;
};
type Now = { readonly dirty: ReadonlySet<DraftPart>; readonly now: Date; readonly envelope?: Envelope };

/** Gives what can be saved now among the dirty parts; null when nothing can. `envelope`: what the service has. */
export function draftChanges(draft: Draft, { dirty, now, envelope }: Now): DraftChanges | null {
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
  take("proofOnly", true, () => Object.assign(body, { proof_only: draft.proofOnly }));
  // Ranks are kept in parallel too, for the day an order is asked for.
  const saved = envelope ? draftOf(envelope) : null;
  const people = { ...draft, recipients: savableRecipients(draft, saved) };
  const isWhole = canSaveRecipients(draft.recipients);
  const isPartial = !isWhole && !isCrowded(draft.recipients) && saved !== null && differs(people, saved, "recipients");
  take("recipients", isWhole || isPartial, () => Object.assign(body, { recipients: recipientRows(people) }));
  // A field names its recipient by the service's id: new recipients are saved first, their fields right after.
  const canSaveField = (field: DraftField) => recipientId(draft, field.recipientKey) !== undefined && unprintedInField(field) === null;
  take("fields", draft.fields.every(canSaveField) && !parts.has("recipients"), () => Object.assign(body, { fields: fieldRows(draft) }));
  if (parts.size === 0) return null;
  return { body, parts: new Set([...parts].filter((part) => part !== "recipients" || isWhole)), written: parts, draft: people };
}

const differs = (one: Draft, other: Draft, part: DraftPart) => substanceOf(one, part) !== substanceOf(other, part);

/** The rows of a save: who is not right yet stands in it as the service has them, at the rank asked for. */
function savableRecipients(draft: Draft, saved: Draft | null): Draft["recipients"] {
  return sentRecipients(draft.recipients).flatMap((row) => {
    if (isRight(row, draft.recipients)) return [row];
    const known = saved?.recipients.find((other) => other.id === row.id);
    return known ? [{ ...known, rank: row.rank }] : [];
  });
}

function recipientRows(draft: Draft) {
  return draft.recipients.map((row) => ({
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
