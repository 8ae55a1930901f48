import { onBehalf } from "@paraphe/kernel/french-words";
import type {
  Envelope as EnvelopeAnswer,
  Envelope,
  EnvelopeWarning,
  Problem,
} from "@paraphe/contracts";
import type { Platform } from "../../platform/platform.ts";
import { coveredPagesOf, isSigned, pageCovered, presentDocument } from "../documents/public.ts";
import { type Deliveries, loadDeliveries, selectUnreached } from "../notices/public.ts";
import { isPermitted } from "../organisations/public.ts";
import { formerName, selectStepChanges, type StepChange } from "../journal/public.ts";
import {
  awaitedRecipients,
  type EnvelopeField,
  type EnvelopeRecipient,
  hasAnswered,
  isReturned,
  mustAct,
  mustSign,
  daysRemaining,
  PREPARATION,
  stepTerms,
} from "./domain/envelope.ts";
import { decideRestore } from "./domain/decisions.ts";
import { coveredFields, smallMentions } from "./domain/fields.ts";
import { planReminders, remindableAt } from "./domain/reminders.ts";
import { type Actor, behalfIn, type Viewer, type ViewingUser } from "./domain/viewer.ts";
import type { EnvelopeAggregate } from "./store.ts";

type Draft = Pick<EnvelopeAggregate, "envelope" | "documents" | "recipients" | "fields">;

function coveredPageWarnings(draft: Draft): readonly EnvelopeWarning[] {
  return findCoveredPages(draft).flatMap(({ document, page, fields }) => {
    const there = fields.filter((field) => field.page === page.pageNumber);
    const [largest] = there.toSorted(
      (left, right) => right.width * right.height - left.width * left.height,
    );
    return largest
      ? [
          {
            code: "page_covered",
            field_id: largest.id,
            document_id: document.id,
            page: page.pageNumber,
          },
        ]
      : [];
  });
}

/** Says why the draft cannot be sealed, or gives null. */
export function coveredPageRefusal(draft: Draft): Problem | null {
  const [found] = findCoveredPages(draft);
  return found ? pageCovered(found.document.name, found.page) : null;
}

function findCoveredPages({ envelope, documents, recipients, fields }: Draft) {
  const firstSigners = [...awaitedRecipients(envelope.flow, recipients.filter(mustSign))];
  const byDocument = Map.groupBy(fields, (field: EnvelopeField) => field.documentId);
  return documents.flatMap((document) => {
    const own = byDocument.get(document.id) ?? [];
    return coveredPagesOf({ document, fields: own, firstSigners }).map((page) => ({
      document,
      page,
      fields: own,
    }));
  });
}

/**
 * `emailKey`: of a sender who sees `action_required`; `behalf`: whom the viewer is asked to sign
 * for.
 */
type Presentation = {
  readonly viewer: Viewer;
  readonly emailKey?: string | null;
  readonly behalf?: Envelope["on_behalf_of"];
  readonly signedFor?: Envelope["signed_for"];
  readonly now: Date;
  readonly deliveries?: Deliveries;
  readonly changes?: readonly StepChange[];
  readonly unreached: ReadonlySet<string>;
  /** Sees what the sender sees, but may not act. */
  readonly isReadOnly?: boolean;
};

type WholePresentation = Presentation & { readonly remindersLeave: boolean };

/** Shows what this viewer may see; the sender also gets reminders and warnings. */
function presentEnvelope(
  aggregate: EnvelopeAggregate,
  presentation: WholePresentation,
): EnvelopeAnswer {
  const parts = presentParts(aggregate, presentation);
  const { recipients } = aggregate;
  const answer = {
    ...parts,
    ...presentReached(aggregate, presentation),
    ...presentResent(presentation.changes),
    ...(parts.returned ? { returned: presentReturn(aggregate, presentation.changes) } : {}),
    recipients: parts.recipients.map((one, index) => ({
      ...one,
      ...presentChanges(aggregate, recipients[index]?.id, presentation.changes),
    })),
  };
  if (!answer.is_owner) return answer;
  const remindAt = remindableAt(
    { ...aggregate, senderKey: presentation.emailKey ?? "" },
    presentation.now,
  );
  return {
    ...answer,
    reminders: presentReminders(aggregate, presentation),
    proof_only: aggregate.envelope.proofOnly,
    remind_at: remindAt?.toISOString() ?? null,
    ...(aggregate.envelope.status === "draft" ? { warnings: warningsOf(aggregate) } : {}),
  };
}

function warningsOf(aggregate: EnvelopeAggregate): NonNullable<EnvelopeAnswer["warnings"]> {
  return [
    ...coveredPageWarnings(aggregate),
    ...coveredFields(aggregate),
    ...smallMentions(aggregate),
  ];
}

/** Leaves out fields and reminders: a page has a hundred rows of a hundred people. */
export function presentListed(
  listed: { readonly aggregate: EnvelopeAggregate; readonly fieldCount: number },
  presentation: Presentation,
): EnvelopeAnswer {
  return { ...presentParts(listed.aggregate, presentation), field_count: listed.fieldCount };
}

/** Recipients see their own values, nobody else's address, number or refusal. */
function presentParts(
  aggregate: EnvelopeAggregate,
  {
    viewer,
    emailKey = null,
    behalf,
    signedFor,
    now,
    deliveries,
    unreached,
    isReadOnly = false,
  }: Presentation,
): EnvelopeAnswer {
  const { envelope, recipients } = aggregate;
  const isOwner = viewer.kind === "owner";
  const isAwaited = (recipient: EnvelopeRecipient) =>
    recipient.awaited &&
    (viewer.kind === "recipient"
      ? recipient.id === viewer.recipientId
      : recipient.emailKey === emailKey || recipient.id === behalf?.recipient_id);
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
    ...(behalf === undefined ? {} : { on_behalf_of: behalf }),
    ...(signedFor === undefined ? {} : { signed_for: signedFor }),
    ...(envelope.team === null ? {} : { team: envelope.team }),
    ...(isOwner && isReadOnly ? { read_only: true as const } : {}),
    ...(isReturned(envelope) ? { returned: { by: null, at: null, reason: null } } : {}),
    documents,
    files: documents,
    recipients: presentPeople(aggregate, { viewer, deliveries, unreached }),
    ...(isOwner && deliveries ? formerDeliveries(recipients, deliveries) : {}),
    fields: aggregate.fields.map((field) => presentField(field, viewer)),
    progress: progressOf(envelope),
    ...presentCancelled(envelope, now),
    ...(envelope.circuit === null ? {} : { circuit: presentCircuit(envelope.circuit) }),
    ...(envelope.documentKind === null ? {} : { document_kind: envelope.documentKind }),
    level: envelope.level,
    download_url: aggregate.documents.some(isSigned)
      ? `/api/signature/envelopes/${envelope.id}/signed-document/`
      : null,
  };
}

function presentCancelled(
  envelope: EnvelopeAggregate["envelope"],
  now: Date,
): Pick<EnvelopeAnswer, "days_remaining" | "restores_to"> {
  const { status, cancelledAt } = envelope;
  if (status !== "cancelled" || cancelledAt === null) return { days_remaining: null };
  const restored = decideRestore(envelope, now);
  return {
    days_remaining: daysRemaining(cancelledAt, now),
    ...(restored.ok ? { restores_to: restored.value } : {}),
  };
}

function presentPeople(
  { envelope, recipients }: EnvelopeAggregate,
  {
    viewer,
    deliveries,
    unreached,
  }: Pick<Presentation, "viewer" | "unreached"> & {
    readonly deliveries: Presentation["deliveries"] | undefined;
  },
): EnvelopeAnswer["recipients"] {
  return recipients.map((recipient) => ({
    ...presentRecipient(recipient, viewer),
    ...presentDue(envelope, recipient),
    ...(recipient.status === "notified" && unreached.has(recipient.id)
      ? { status: "unreached" as const }
      : {}),
    ...(viewer.kind === "owner" && deliveries
      ? {
          deliveries: [...(deliveries.own.get(recipient.id) ?? [])],
          delegate_deliveries: [...(deliveries.toDelegates.get(recipient.id) ?? [])],
        }
      : {}),
  }));
}

function formerDeliveries(
  recipients: readonly EnvelopeRecipient[],
  { own, toDelegates }: Deliveries,
): Pick<EnvelopeAnswer, "former_deliveries"> {
  const present = new Set(recipients.map(({ id }) => id));
  const former = [...own, ...toDelegates].flatMap(([id, sent]) => (present.has(id) ? [] : sent));
  return former.length === 0 ? {} : { former_deliveries: former };
}

function presentCircuit({
  name,
  imposed,
  steps,
}: NonNullable<EnvelopeAggregate["envelope"]["circuit"]>): EnvelopeAnswer["circuit"] {
  const open = steps.flatMap(({ who, role, order }) =>
    who === "other_party" && role === "signer" ? [order] : [],
  );
  return { name, imposed, open };
}

function progressOf({ signedCount: signed, signerCount: total }: EnvelopeAggregate["envelope"]) {
  return { signed, total, percent: total === 0 ? 0 : Math.round((100 * signed) / total) };
}

function presentReturn(
  { envelope: { senderName }, recipients }: EnvelopeAggregate,
  changes: readonly StepChange[] = [],
): NonNullable<EnvelopeAnswer["returned"]> {
  const last = changes.find(
    ({ action, order }) => action === "step_sent_back" && order === PREPARATION,
  );
  const corrected_by = senderName;
  if (last === undefined) return { by: null, at: null, reason: null, corrected_by };
  const { recipient, sequence, delegate, actor, at, reason } = last;
  const own = recipients.find(({ id }) => id === recipient)?.fullName;
  const name = formerName(changes, recipient, sequence) ?? own;
  const by = delegate !== null && name !== undefined ? onBehalf(delegate, name) : actor;
  return { by, at: new Date(at).toISOString(), reason, corrected_by };
}

/** Names who sent it again, after its last return to its sender. */
function presentResent(changes: readonly StepChange[] = []): Pick<EnvelopeAnswer, "resent_by"> {
  const last = changes.find(
    ({ action, order }) =>
      action === "envelope_sent" || (action === "step_sent_back" && order === PREPARATION),
  );
  const isAgain = changes.some(({ order }) => order === PREPARATION);
  return last?.action === "envelope_sent" && isAgain && last.actor !== null
    ? { resent_by: last.actor }
    : {};
}

function presentReached(
  { envelope, recipients }: EnvelopeAggregate,
  { unreached }: Presentation,
): Pick<EnvelopeAnswer, "reached"> {
  if (envelope.sentAt === null || envelope.status === "draft") return {};
  const asked = recipients.filter(({ notifiedAt }) => notifiedAt !== null);
  return { reached: asked.length === 0 || asked.some(({ id }) => !unreached.has(id)) };
}

function presentReminders(
  { envelope, recipients }: EnvelopeAggregate,
  { now, remindersLeave }: WholePresentation,
): NonNullable<EnvelopeAnswer["reminders"]> {
  const { due, nextAt } = planReminders({ envelope, recipients, consenting: new Set() }, now);
  const next = !remindersLeave ? null : due.length > 0 ? now : nextAt;
  return {
    every_days: envelope.remindEveryDays,
    business_days: true,
    next_at: next?.toISOString() ?? null,
  };
}

function presentRecipient(
  recipient: EnvelopeRecipient,
  viewer: Viewer,
): EnvelopeAnswer["recipients"][number] {
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
    approved_at: recipient.approvedAt?.toISOString() ?? null,
    viewed_at: recipient.viewedAt?.toISOString() ?? null,
    status: recipient.status,
    decline_reason: isTheirs ? recipient.declineReason : null,
    ...(recipient.delegate && hasAnswered(recipient)
      ? { delegate_name: recipient.delegate.full_name }
      : {}),
  };
}

function presentDue(
  envelope: EnvelopeAggregate["envelope"],
  recipient: EnvelopeRecipient,
): Pick<EnvelopeAnswer["recipients"][number], "due"> {
  const { days = null, dueDay: day = null } = stepTerms(envelope, recipient) ?? {};
  return days === null || hasAnswered(recipient) ? {} : { due: { days, day } };
}

function presentChanges(
  { envelope, recipients }: Pick<EnvelopeAggregate, "envelope" | "recipients">,
  id: string | undefined,
  changes: readonly StepChange[] = [],
): Pick<EnvelopeAnswer["recipients"][number], "given_by" | "sent_back"> {
  const own = changes.filter(({ recipient }) => recipient === id);
  const held = own.find(({ newAddress, former }) => newAddress || former !== null);
  const given =
    held?.action === "step_reassigned" && held.from
      ? { given_by: held.delegate ? onBehalf(held.delegate, held.from) : held.from }
      : {};
  const back = own.find(({ action }) => action === "step_sent_back");
  if (back === undefined || (held && held.sequence > back.sequence)) return given;
  const to =
    back.order === PREPARATION
      ? [formerName(changes, null, back.sequence) ?? envelope.senderName]
      : recipients
          .filter((one) => one.order === back.order && mustAct(one))
          .map(({ id, fullName }) => formerName(changes, id, back.sequence) ?? fullName);
  const sentBack = { to, at: new Date(back.at).toISOString(), reason: back.reason };
  const acted = back.delegate === null ? {} : { delegate_name: back.delegate };
  return { ...given, sent_back: { ...sentBack, ...acted } };
}

/** Gives everybody's place, but the value only to the sender and its recipient. */
export function presentField(
  field: EnvelopeField,
  viewer: Viewer,
): EnvelopeAnswer["fields"][number] {
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

type Presenting = Pick<Platform, "db" | "clock" | "settings">;
type Looking = Pick<Presentation, "viewer" | "emailKey" | "behalf" | "signedFor" | "isReadOnly">;

/** Every answer with one envelope comes from here. */
export async function presentTo(
  { db, clock, settings }: Presenting,
  aggregate: EnvelopeAggregate,
  looking: Looking & Pick<Presentation, "deliveries" | "changes">,
): Promise<Envelope> {
  const unreached = aggregate.unreached ?? (await loadUnreached(db, [aggregate]));
  return presentEnvelope(aggregate, {
    ...looking,
    unreached,
    now: clock(),
    remindersLeave: !settings.mailDisabled,
  });
}

export async function presentToOwner(
  platform: Presenting,
  aggregate: EnvelopeAggregate,
  user: ViewingUser & Pick<Actor["user"], "role">,
): Promise<Envelope> {
  const looking = {
    viewer: { kind: "owner" },
    emailKey: user.email_key,
    behalf: behalfIn(aggregate, user),
    isReadOnly: !isPermitted(user.role, "do_work"),
  } as const;
  const { id, status, flow } = aggregate.envelope;
  return presentTo(
    platform,
    aggregate,
    status === "draft" && !isReturned(aggregate.envelope)
      ? looking
      : {
          ...looking,
          deliveries: await loadDeliveries(platform.db, id),
          changes: flow === "sequential" ? await selectStepChanges(platform.db, id) : [],
        },
  );
}

export async function loadUnreached(
  db: Platform["db"],
  aggregates: readonly Pick<EnvelopeAggregate, "envelope" | "recipients">[],
): Promise<ReadonlySet<string>> {
  const asked = aggregates.filter(({ recipients }) =>
    recipients.some(({ notifiedAt }) => notifiedAt !== null),
  );
  return selectUnreached(db, { envelopeIds: asked.map(({ envelope }) => envelope.id) });
}
