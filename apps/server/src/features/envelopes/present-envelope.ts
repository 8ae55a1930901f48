import type { Delivery, Envelope as EnvelopeAnswer } from "@paraphe/contracts";
import { isSigned, presentDocument } from "../documents/public.ts";
import { coveredFields } from "./domain/covered-fields.ts";
import { remindableAt } from "./domain/decide-reminders.ts";
import type { EnvelopeField, EnvelopeRecipient } from "./domain/envelope.ts";
import { daysRemaining } from "./domain/paris-days.ts";
import { planReminders } from "./domain/plan-reminders.ts";
import { smallMentions } from "./domain/small-mentions.ts";
import type { Viewer } from "./domain/viewer.ts";
import { coveredPageWarnings } from "./find-covered-pages.ts";
import type { EnvelopeAggregate } from "./load-envelope.ts";

/** Who looks, and when; `emailKey`: the address of the sender's own account, confirmed or not, by which `action_required` is told. */
export type Presentation = {
  readonly viewer: Viewer;
  readonly emailKey?: string | null;
  readonly now: Date;
  /** What became of the messages to each recipient, for the owner's detail. */
  readonly deliveries?: ReadonlyMap<string, readonly Delivery[]>;
  /** Recipients whom no message told. */
  readonly unreached: ReadonlySet<string>;
};

/** An envelope by itself; `remindersLeave`: whether this service sends mail, which reminders are. */
type WholePresentation = Presentation & { readonly remindersLeave: boolean };

/** Gives an envelope with all there is of it, as this viewer may see it; to its sender also when the next reminder leaves, from when they may remind, and what
 * to look at before a draft is sent. */
export function presentEnvelope(aggregate: EnvelopeAggregate, presentation: WholePresentation): EnvelopeAnswer {
  const answer = { ...presentParts(aggregate, presentation), ...presentReached(aggregate, presentation) };
  if (!answer.is_owner) return answer;
  const remindAt = remindableAt({ ...aggregate, senderKey: presentation.emailKey ?? "" }, presentation.now);
  return {
    ...answer,
    reminders: presentReminders(aggregate, presentation),
    proof_only: aggregate.envelope.proofOnly,
    remind_at: remindAt?.toISOString() ?? null,
    ...(aggregate.envelope.status === "draft" ? { warnings: warningsOf(aggregate) } : {}),
  };
}

function warningsOf(aggregate: EnvelopeAggregate): NonNullable<EnvelopeAnswer["warnings"]> {
  return [...coveredPageWarnings(aggregate), ...coveredFields(aggregate), ...smallMentions(aggregate)];
}

/** Gives an envelope as a row of a list, which holds neither fields nor reminders: a page has a hundred rows, of a hundred people each. */
export function presentListed(
  listed: { readonly aggregate: EnvelopeAggregate; readonly fieldCount: number },
  presentation: Presentation,
): EnvelopeAnswer {
  return { ...presentParts(listed.aggregate, presentation), field_count: listed.fieldCount };
}

/**
 * Gives an envelope as this viewer may see it: a recipient gets the values of their own fields only, and nobody else's address, phone number or
 * reason for declining.
 * `status` is `action_required` for whom it waits.
 */
function presentParts(aggregate: EnvelopeAggregate, { viewer, emailKey = null, now, deliveries, unreached }: Presentation): EnvelopeAnswer {
  const { envelope, recipients } = aggregate;
  const isOwner = viewer.kind === "owner";
  const isAwaited = (recipient: EnvelopeRecipient) =>
    recipient.awaited && (viewer.kind === "recipient" ? recipient.id === viewer.recipientId : recipient.emailKey === emailKey);
  const documents = aggregate.documents.map(presentDocument);
  return {
    id: envelope.id,
    version: envelope.version,
    title: envelope.title,
    message: envelope.message,
    status: recipients.some(isAwaited) ? "action_required" : envelope.status,
    flow: envelope.flow,
    created_at: envelope.createdAt.toISOString(),
    updated_at: envelope.updatedAt.toISOString(),
    sent_at: envelope.sentAt?.toISOString() ?? null,
    completed_at: envelope.completedAt?.toISOString() ?? null,
    deadline_at: envelope.deadlineAt?.toISOString() ?? null,
    cancelled_at: envelope.cancelledAt?.toISOString() ?? null,
    created_by_name: envelope.createdByName,
    is_owner: isOwner,
    documents,
    files: documents,
    recipients: recipients.map((recipient) => ({
      ...presentRecipient(recipient, viewer),
      ...(recipient.status === "notified" && unreached.has(recipient.id) ? { status: "unreached" as const } : {}),
      ...(isOwner && deliveries ? { deliveries: [...(deliveries.get(recipient.id) ?? [])] } : {}),
    })),
    fields: aggregate.fields.map((field) => presentField(field, viewer)),
    progress: {
      signed: envelope.signedCount,
      total: envelope.signerCount,
      percent: envelope.signerCount === 0 ? 0 : Math.round((100 * envelope.signedCount) / envelope.signerCount),
    },
    days_remaining: envelope.status === "cancelled" && envelope.cancelledAt !== null ? daysRemaining(envelope.cancelledAt, now) : null,
    level: envelope.level,
    download_url: aggregate.documents.some(isSigned) ? `/api/signature/envelopes/${envelope.id}/signed-document/` : null,
  };
}

/** Whether anybody who was asked was told. */
function presentReached({ envelope, recipients }: EnvelopeAggregate, { unreached }: Presentation): Pick<EnvelopeAnswer, "reached"> {
  if (envelope.sentAt === null) return {};
  const asked = recipients.filter(({ notifiedAt }) => notifiedAt !== null);
  return { reached: asked.length === 0 || asked.some(({ id }) => !unreached.has(id)) };
}

/** The settings, and when the next one leaves. A consent that is being sealed, for seconds, is not looked at. */
function presentReminders(
  { envelope, recipients }: EnvelopeAggregate,
  { now, remindersLeave }: WholePresentation,
): NonNullable<EnvelopeAnswer["reminders"]> {
  const { due, nextAt } = planReminders({ envelope, recipients, consenting: new Set() }, now);
  const next = !remindersLeave ? null : due.length > 0 ? now : nextAt;
  return { every_days: envelope.remindEveryDays, business_days: true, next_at: next?.toISOString() ?? null };
}

function presentRecipient(recipient: EnvelopeRecipient, viewer: Viewer): EnvelopeAnswer["recipients"][number] {
  const isTheirs = viewer.kind === "owner" || viewer.recipientId === recipient.id;
  return {
    id: recipient.id,
    email: isTheirs ? recipient.email : "",
    full_name: recipient.fullName,
    phone_number: isTheirs ? recipient.phoneNumber : null,
    role: recipient.role,
    order: recipient.order,
    signed: recipient.status === "signed",
    signed_at: recipient.signedAt?.toISOString() ?? null,
    viewed_at: recipient.viewedAt?.toISOString() ?? null,
    status: recipient.status,
    decline_reason: isTheirs ? recipient.declineReason : null,
  };
}

/** Gives a field as this viewer may see it: everybody's place, the value to the sender and to whose it is. */
export function presentField(field: EnvelopeField, viewer: Viewer): EnvelopeAnswer["fields"][number] {
  const isShown = viewer.kind === "owner" || field.recipientId === viewer.recipientId;
  return {
    id: field.id,
    document_id: field.documentId,
    recipient_id: field.recipientId,
    type: field.type,
    page: field.page,
    x: field.x,
    y: field.y,
    width: field.width,
    height: field.height,
    required: field.required,
    label: field.label,
    value: isShown ? field.value : null,
  };
}
