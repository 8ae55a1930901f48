import { failure, type FieldType, problem, type Result, success, type UpdateEnvelopeRequest } from "@paraphe/contracts";
import type { Platform } from "../../platform/platform.ts";
import { isServedCountry } from "../../platform/sms/create-sms-transport.ts";
import { emailKey } from "../accounts/public.ts";
import { type DocumentsRevision, type ReceivedDocument, renamedFile } from "../documents/public.ts";
import { checkDraft, checkSize } from "./domain/draft-checks.ts";
import type { EnvelopeField } from "./domain/envelope.ts";
import { ranksOf } from "./domain/ranks-of.ts";
import type { EnvelopeAggregate } from "./load-envelope.ts";
import type { RecipientToInsert } from "./recipient-store.ts";

type PlannedDocuments = Pick<DocumentsRevision, "remove" | "order" | "rename">;

/** What an update makes of a draft's lists; null for a list that stays as it is. */
export type PlannedRevision = {
  readonly documents: PlannedDocuments | null;
  readonly recipients: readonly RecipientToInsert[] | null;
  readonly fields: readonly EnvelopeField[] | null;
};

export type RevisionToPlan = {
  readonly aggregate: EnvelopeAggregate;
  readonly request: UpdateEnvelopeRequest;
  readonly added: readonly ReceivedDocument[];
  /** Gives the first character of a text that cannot be printed, or null. */
  readonly firstMissing: (text: string) => string | null;
};

/**
 * Works out a draft's new documents, recipients and fields, and checks them against each other.
 * Errors: `validation` (an id that is not this envelope's, an order that leaves one out, and the checks of a draft); `envelope_too_large`.
 */
export function planRevision(platform: Pick<Platform, "newId" | "clock" | "settings">, plan: RevisionToPlan): Result<PlannedRevision> {
  const { aggregate, request, added } = plan;
  const documents = planDocuments(plan);
  if (!documents.ok) return documents;
  const kept = aggregate.documents.filter((document) => !documents.value.remove.includes(document.id));
  const size = checkSize([...kept.map((document) => document.uploadedSizeBytes), ...added.map((document) => document.bytes.length)]);
  if (!size.ok) return size;
  const recipients = planRecipients(platform, plan);
  if (!recipients.ok) return recipients;
  const fields = planFields(platform, plan);
  const after =
    fields ??
    fieldsLeft(aggregate, { documentIds: kept.map((document) => document.id), recipients: recipients.value ?? aggregate.recipients });
  const checked = checkDraft({
    deadlineAt: typeof request.deadline_at === "string" ? new Date(request.deadline_at) : null,
    pageCounts: [...kept, ...added].map((document) => document.pageCount),
    recipients: recipients.value ?? aggregate.recipients,
    fields: after.map((field) => ({
      documentIndex: kept.findIndex((document) => document.id === field.documentId),
      recipientIndex: (recipients.value ?? aggregate.recipients).findIndex((recipient) => recipient.id === field.recipientId),
      page: field.page,
      type: field.type as FieldType,
      label: field.label,
      value: field.value,
    })),
    now: platform.clock(),
    firstMissing: plan.firstMissing,
    isServed: (number) => isServedCountry(platform.settings, number),
  });
  if (!checked.ok) return checked;
  return success({
    documents: touchesDocuments(plan) ? documents.value : null,
    recipients: recipients.value,
    fields: fields ?? (after.length === aggregate.fields.length ? null : after),
  });
}

const DOCUMENT_PARTS = ["remove_documents", "order", "accept_normalised", "document_names"] as const;

function touchesDocuments({ request, added }: RevisionToPlan): boolean {
  return added.length > 0 || DOCUMENT_PARTS.some((part) => request[part] !== undefined);
}

function planDocuments({ aggregate, request }: RevisionToPlan): Result<PlannedDocuments> {
  const known = new Set(aggregate.documents.map((document) => document.id));
  const remove = request.remove_documents ?? [];
  const accept = request.accept_normalised ?? [];
  if (remove.some((id) => !known.has(id))) return invalid({ remove_documents: ["Ce document n’est pas dans l’enveloppe"] });
  if (accept.some((id) => !known.has(id))) return invalid({ accept_normalised: ["Ce document n’est pas dans l’enveloppe"] });
  const rename = (request.document_names ?? []).map(({ id, name }) => ({ id, name: renamedFile(name) }));
  if (rename.some(({ id }) => !known.has(id))) return invalid({ document_names: ["Ce document n’est pas dans l’enveloppe"] });
  if (new Set(rename.map(({ id }) => id)).size !== rename.length) return invalid({ document_names: ["Ce document est nommé deux fois"] });
  const kept = aggregate.documents.map((document) => document.id).filter((id) => !remove.includes(id));
  const order = request.order ?? kept;
  const isWhole = order.length === kept.length && new Set(order).size === order.length && order.every((id) => kept.includes(id));
  return isWhole ? success({ remove, order, rename }) : invalid({ order: ["L’ordre doit nommer chaque document une fois"] });
}

function planRecipients(
  platform: Pick<Platform, "newId">,
  { aggregate, request }: RevisionToPlan,
): Result<readonly RecipientToInsert[] | null> {
  if (request.recipients === undefined) return success(null);
  const known = new Set(aggregate.recipients.map((recipient) => recipient.id));
  if (request.recipients.some(({ id }) => id !== undefined && !known.has(id)))
    return invalid({ recipients: ["Ce destinataire n’est pas dans l’enveloppe"] });
  const ranks = ranksOf(request.flow ?? aggregate.envelope.flow, request.recipients);
  return success(
    request.recipients.map((recipient, index) => ({
      id: recipient.id ?? platform.newId(),
      position: index + 1,
      order: ranks[index] ?? 1,
      role: recipient.role,
      email: recipient.email,
      emailKey: emailKey(recipient.email),
      fullName: recipient.full_name,
      phoneNumber: recipient.phone_number || null,
    })),
  );
}

/** A field's id is kept when it is this envelope's; otherwise it gets a new one: an id from elsewhere names nothing here. */
function planFields(platform: Pick<Platform, "newId">, { aggregate, request }: RevisionToPlan): readonly EnvelopeField[] | null {
  if (request.fields === undefined) return null;
  const known = new Set(aggregate.fields.map((field) => field.id));
  return request.fields.map(({ id, document_id, recipient_id, ...field }) => ({
    ...field,
    id: id !== undefined && known.has(id) ? id : platform.newId(),
    documentId: document_id,
    recipientId: recipient_id,
  }));
}

/** Fields go with the document or the person they were for; a person now in copy has none. */
function fieldsLeft(
  { fields }: EnvelopeAggregate,
  left: { readonly documentIds: readonly string[]; readonly recipients: readonly Pick<RecipientToInsert, "id" | "role">[] },
): readonly EnvelopeField[] {
  const fillers = new Set(left.recipients.filter((recipient) => recipient.role !== "viewer").map((recipient) => recipient.id));
  return fields.filter((field) => left.documentIds.includes(field.documentId) && fillers.has(field.recipientId));
}

function invalid(errors: Record<string, string[]>): { readonly ok: false; readonly error: ReturnType<typeof problem> } {
  return failure(problem("validation", { errors }));
}
