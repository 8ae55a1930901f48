import { type ReassignRequest, type Result, maskEmail } from "@paraphe/contracts";
import { actingSubject, onBehalf } from "@paraphe/kernel/french-words";
import type { Transaction } from "../../platform/database/database.ts";
import type { Platform } from "../../platform/platform.ts";
import { countDelegatedAct, emailKey } from "../accounts/public.ts";
import { returnToOriginal, returnToPrepared } from "../documents/public.ts";
import {
  type AuditActor,
  type AuditValue,
  type NewAuditEvent,
  SYSTEM_ACTOR,
} from "../journal/public.ts";
import { type Notice, noticesForMember } from "../notices/public.ts";
import { limitAskingOne, loadChanged, mayAskToday } from "./change-envelope.ts";
import { commit, commitWithoutMessages } from "./commit.ts";
import {
  decideReassign,
  decideSendBack,
  decideVisa,
  type SendBackDecision,
} from "./domain/decisions.ts";
import { personKey } from "./domain/draft-checks.ts";
import { type Delegate, type EnvelopeRecipient, hasAnswered } from "./domain/envelope.ts";
import { envelopeText } from "./domain/search-text.ts";
import { prepareInvitations } from "./invitations.ts";
import { peopleOf } from "./people-store.ts";
import {
  closeAccess,
  deleteCodes,
  resetAnswers,
  updateAwaited,
  updateDelegate,
  updateHolder,
  deleteSignatures,
  selectConsenting,
} from "./recipient-store.ts";
import {
  type EnvelopeAggregate,
  lockEnvelope,
  releaseOutdated,
  updateEnvelopeRow,
} from "./store.ts";
import { selectOpenOf, selectOpenSteps } from "./transfer-store.ts";

/** An act of an identified holder of the step; the envelope is locked. */
export type StepAct = {
  readonly aggregate: EnvelopeAggregate;
  readonly recipientId: string;
  readonly actor: AuditActor;
  /** What was read and how the person was reached, without personal data. */
  readonly detail: Readonly<Record<string, AuditValue>>;
  readonly personal?: Readonly<Record<string, AuditValue>> | undefined;
  readonly delegate?: Delegate | undefined;
};

type Told = StepAct & { readonly notices: readonly Notice[] };

/** Records a visa and invites whoever follows. Errors: those of `decideVisa`. */
export async function recordVisa(
  trx: Transaction,
  platform: Platform,
  { aggregate, recipientId, actor, detail, personal = {}, delegate, notices }: Told,
): Promise<Result<EnvelopeAggregate>> {
  const now = platform.clock();
  const decided = decideVisa(aggregate, { recipientId, now });
  if (!decided.ok) return decided;
  const { awaited, toInvite } = decided.value;
  const { envelope, recipients } = aggregate;
  const { id: envelopeId } = envelope;
  const invitations = await prepareInvitations(trx, platform, {
    kind: "invitation",
    envelope,
    recipients: recipients.filter(({ id }) => toInvite.has(id)),
    actor: SYSTEM_ACTOR,
    // A step sent back comes to its next holder again.
    occasion: `turn:${envelope.version}`,
  });
  const answered = { id: recipientId, at: now, status: "approved" } as const;
  await commit(trx, platform, {
    about: aggregate,
    writes: [
      updateAwaited({ envelopeId, awaited, invited: toInvite, now, answered }),
      delegate ? updateDelegate(recipientId, delegate) : null,
      delegate?.scope === "visas" ? countDelegatedAct(delegate.delegation_id) : null,
      updateEnvelopeRow({ id: envelopeId, now }),
      ...invitations.writes,
    ],
    events: [
      {
        envelopeId,
        action: "visa_given",
        actor,
        detail: { ...detail, recipient: recipientId },
        personal,
      },
      ...invitations.events,
    ],
    notices: [...invitations.notices, ...notices],
  });
  return loadChanged(trx, envelopeId);
}

type SendBack = Told & { readonly order: number; readonly reason: string };

/**
 * Annuls signatures and visas from the step on; files are again as sent, or as prepared in a draft.
 * Errors: those of `decideSendBack`; `too_many_messages`.
 */
export async function recordSendBack(
  trx: Transaction,
  platform: Platform,
  { aggregate, recipientId, actor, detail, personal, delegate, order, reason, notices }: SendBack,
): Promise<Result<EnvelopeAggregate>> {
  const now = platform.clock();
  const { envelope, recipients, documents } = aggregate;
  const { id: envelopeId } = envelope;
  const consenting = await selectConsenting(trx, envelopeId);
  const decided = decideSendBack(aggregate, { recipientId, now, order, consenting });
  if (!decided.ok) return decided;
  const { recipient, status, reset, awaited } = decided.value;
  const lost = lostBy(decided.value, recipients);
  // The limit of the step counts from now.
  const asked = recipients
    .filter(({ id }) => awaited.has(id))
    .map((one) => ({ ...one, notifiedAt: now }));
  const spent = await mayAskToday({ ...platform, db: trx }, { envelope, recipients: asked });
  if (!spent.ok) return spent;
  const message = `${actingSubject(recipient.fullName, delegate?.full_name)} vous renvoie ce document\u00a0: «\u00a0${reason}\u00a0»`;
  const invitations = await prepareInvitations(trx, platform, {
    kind: "invitation",
    envelope: { ...envelope, message },
    recipients: asked,
    actor,
    occasion: `returned:${envelope.version}`,
    isReturned: true,
  });
  await commit(trx, platform, {
    about: aggregate,
    writes: [
      () => resetAnswers(trx, reset),
      () => deleteSignatures(trx, envelopeId),
      status === "draft"
        ? () => returnToOriginal(trx, envelopeId)
        : await returnToPrepared(trx, platform, documents),
      updateAwaited({ envelopeId, awaited, invited: awaited, now }),
      updateEnvelopeRow({ id: envelopeId, now, status, signed_count: 0 }),
      status === "draft" ? () => releaseOutdated(trx, envelopeId) : null,
      ...invitations.writes,
    ],
    events: [
      {
        envelopeId,
        action: "step_sent_back",
        actor,
        detail: { ...detail, recipient: recipientId, order, reset: [...reset], ...lost.detail },
        personal: { reason, ...lost.personal, ...personal },
      },
      ...invitations.events,
    ],
    notices: [...invitations.notices, ...notices],
  });
  return loadChanged(trx, envelopeId);
}

function lostBy(
  { annulled, annulledVisas }: SendBackDecision,
  recipients: readonly EnvelopeRecipient[],
): Required<Pick<NewAuditEvent, "detail" | "personal">> {
  const named = (name: string, ids: readonly string[]) =>
    ids.length === 0 ? {} : { [name]: actorsAmong(recipients, ids) };
  return {
    detail: { annulled, annulled_visas: annulledVisas },
    personal: {
      ...named("annulled_names", annulled),
      ...named("annulled_visa_names", annulledVisas),
    },
  };
}

function actorsAmong(
  recipients: readonly EnvelopeRecipient[],
  ids: readonly string[],
): readonly string[] {
  return recipients
    .filter(({ id }) => ids.includes(id))
    .map(({ fullName, delegate }) =>
      delegate ? onBehalf(delegate.full_name, fullName) : fullName,
    );
}

/** The new holder reads who gave them the step, and the comment. */
function handedOver(
  { fullName }: Pick<EnvelopeRecipient, "fullName">,
  delegate: Delegate | undefined,
  reason: string | null,
): string {
  const word = reason === null ? "." : `\u00a0: «\u00a0${reason}\u00a0»`;
  return `${actingSubject(fullName, delegate?.full_name)} vous confie cette étape${word}`;
}

type Reassign = Told & { readonly request: ReassignRequest };

/**
 * Ends the former links, codes and sessions.
 * Errors: those of `decideReassign`; `too_many_requests`, `too_many_messages`.
 */
export async function recordReassign(
  trx: Transaction,
  platform: Platform,
  { aggregate, recipientId, actor, detail, personal, delegate, request, notices }: Reassign,
): Promise<Result<EnvelopeAggregate>> {
  const now = platform.clock();
  const { envelope } = aggregate;
  const { id: envelopeId, ownerId } = envelope;
  const { email, full_name: fullName, reason } = request;
  const person = { email, fullName, emailKey: emailKey(email) };
  const consenting = await selectConsenting(trx, envelopeId);
  const decided = decideReassign(aggregate, { recipientId, now, person, consenting });
  if (!decided.ok) return decided;
  const former = decided.value;
  const onTrx = { ...platform, db: trx };
  const spent = await mayAskToday(onTrx, {
    envelope,
    recipients: [{ ...former, ...person, phoneNumber: null }],
  });
  if (!spent.ok) return spent;
  const limited = await limitAskingOne(onTrx, { recipientId, ownerId, lastRefused: false });
  if (!limited.ok) return limited;
  const { owner } = await peopleOf(trx, aggregate, now);
  const told = await noticesForMember(trx, platform, {
    member: owner,
    notice: {
      kind: "reassigned",
      dedupeKey: `reassigned:${recipientId}:${now.toISOString()}`,
      envelopeId,
      content: {
        envelopeTitle: envelope.title,
        recipientName: actingSubject(former.fullName, delegate?.full_name),
        newHolder: fullName,
        reason,
        link: `${platform.settings.publicUrl}/signature/detail/${envelopeId}`,
      },
    },
  });
  await handOver(trx, platform, {
    aggregate,
    former,
    person,
    actor,
    notices: [...(actor.id === ownerId ? [] : told), ...notices],
    word: handedOver(former, delegate, reason),
    detail,
    personal: { ...(reason === null ? {} : { reason }), ...personal },
  });
  return loadChanged(trx, envelopeId);
}

type HandingOver = Pick<StepAct, "aggregate" | "actor" | "detail" | "personal"> & {
  readonly former: EnvelopeRecipient;
  readonly person: Pick<EnvelopeRecipient, "email" | "emailKey" | "fullName">;
  /** Before the sender's message. */
  readonly word: string;
  readonly notices?: readonly Notice[];
};

async function handOver(
  trx: Transaction,
  platform: Platform,
  { aggregate, former, person, actor, word, detail, personal, notices = [] }: HandingOver,
): Promise<void> {
  const now = platform.clock();
  const { envelope } = aggregate;
  const { id: envelopeId, message } = envelope;
  const { id: recipientId } = former;
  const { email, fullName } = person;
  const holder = { ...former, ...person, phoneNumber: null, reassignedAt: now };
  const invitations = await prepareInvitations(trx, platform, {
    kind: "invitation",
    envelope: { ...envelope, message: message ? `${word}\n\n${message}` : word },
    recipients: former.awaited ? [holder] : [],
    actor: SYSTEM_ACTOR,
    occasion: `reassigned:${now.toISOString()}`,
  });
  const people = aggregate.recipients.map((one) => (one.id === recipientId ? holder : one));
  const search_text = envelopeText(envelope.title, envelope.createdByName, people);
  await commit(trx, platform, {
    about: { ...aggregate, recipients: people },
    writes: [
      () => updateHolder(trx, { recipientId, ...person, now }),
      // Runs first: later it would revoke the new link.
      () => closeAccess(trx, { recipientId, links: "revoke", now }),
      () => deleteCodes(trx, recipientId),
      updateEnvelopeRow({ id: envelopeId, now, search_text }),
      ...invitations.writes,
    ],
    events: [
      {
        envelopeId,
        action: "step_reassigned",
        actor,
        detail: { ...detail, recipient: recipientId, email: true },
        personal: {
          from_name: former.fullName,
          old_email: maskEmail(former.email),
          full_name: fullName,
          email,
          ...personal,
        },
      },
      ...invitations.events,
    ],
    notices: [...invitations.notices, ...notices],
  });
}

type Departure = {
  readonly fromKey: string;
  readonly to: { readonly email: string; readonly fullName: string };
};

/** A leaver's open steps, unless the heir has the same one. Gives how many. */
export async function passSteps(
  trx: Transaction,
  platform: Platform,
  { fromKey, to }: Departure,
): Promise<number> {
  const { email, fullName } = to;
  const person = { email, fullName, emailKey: emailKey(email) };
  let passed = 0;
  for (const { envelopeId, recipientId } of await selectOpenSteps(trx, fromKey)) {
    const aggregate = await lockEnvelope(trx, envelopeId);
    const former = aggregate?.recipients.find(({ id }) => id === recipientId);
    if (aggregate === null || former === undefined || !isOpenStep(aggregate, former, fromKey))
      continue;
    const same = personKey({ ...person, role: former.role });
    if (aggregate.recipients.some((one) => personKey(one) === same)) continue;
    if ((await selectConsenting(trx, envelopeId)).has(recipientId)) continue;
    await handOver(trx, platform, {
      aggregate,
      former,
      person,
      actor: SYSTEM_ACTOR,
      word: `Cette étape vous revient\u00a0: ${former.fullName} n’est plus membre de l’organisation.`,
      detail: { departed: true },
    });
    passed++;
  }
  return passed;
}

function isOpenStep(
  { envelope: { status } }: EnvelopeAggregate,
  former: EnvelopeRecipient,
  fromKey: string,
): boolean {
  const isOpen = status === "sent" || status === "pending";
  return isOpen && former.emailKey === fromKey && !hasAnswered(former);
}

type Named = { readonly id: string; readonly fullName: string };

/** In the histories that are not closed. */
export async function recordPassed(
  trx: Transaction,
  platform: Platform,
  { from, to, teamId }: { readonly from: Named; readonly to: Named; readonly teamId?: string },
): Promise<void> {
  const events = (await selectOpenOf(trx, { ownerId: from.id, teamId })).map((envelopeId) => ({
    envelopeId,
    action: "envelope_passed" as const,
    actor: SYSTEM_ACTOR,
    personal: { from_name: from.fullName, to_name: to.fullName },
  }));
  await commitWithoutMessages(trx, platform, { ownerId: null, writes: [], events });
}
