import {
  delegateConsentText,
  type GuestEnvelope,
  maskEmail,
  maskPhone,
  type Problem,
  scopeInWords,
  type SignPage,
} from "@paraphe/contracts";
import { andList, onBehalf } from "@paraphe/kernel/french-words";
import type { Platform } from "../../platform/platform.ts";
import { textableNumber } from "../../platform/sms/create-sms-transport.ts";
import { type SessionUser } from "../accounts/public.ts";
import { documentsDigest, presentDocument } from "../documents/public.ts";
import {
  type EnvelopeAggregate,
  type EnvelopeRecipient,
  correctedFor,
  hasAnswered,
  mustAct,
  PREPARATION,
  returnRanks,
  presentField,
  signsBefore,
  stepRights,
} from "../envelopes/public.ts";
import { formerName, selectStepChanges, type StepChange } from "../journal/public.ts";
import { channelOf, correctedWords, recordArrival } from "../notices/public.ts";
import { delegationFor } from "./delegations.ts";
import { mayText, resendIn } from "./domain/codes.ts";
import { type Guest, type GuestCookie, resumeGuestSession } from "./guest-access.ts";
import { type CodeWay, wayOf } from "./one-time-code.ts";

type Signatory = {
  readonly aggregate: EnvelopeAggregate;
  readonly recipient: EnvelopeRecipient;
  readonly hasUnsealedAct: boolean;
  readonly changes: readonly StepChange[];
};

/** Changes are read only where a step may have been sent back. */
export async function loadChanges(
  { db }: Pick<Platform, "db">,
  { envelope, recipients }: Pick<EnvelopeAggregate, "envelope" | "recipients">,
): Promise<readonly StepChange[]> {
  const mayReturn = envelope.circuit !== null || recipients.some(({ role }) => role === "visa");
  return mayReturn ? selectStepChanges(db, envelope.id) : [];
}

/** Says « Renvoyé à Léo Marchand » to whoever sent the document back last. */
function sentBackTo(
  { recipients }: Pick<EnvelopeAggregate, "recipients">,
  recipientId: string,
  changes: readonly StepChange[],
): { readonly sent_back?: string } {
  const last = changes.find(({ action }) => action === "step_sent_back");
  // After a correction everybody is asked again.
  if (last?.recipient !== recipientId || last.order === PREPARATION) return {};
  const names = recipients
    .filter((one) => one.order === last.order && mustAct(one))
    .map(({ id, fullName }) => formerName(changes, id, last.sequence) ?? fullName);
  return names.length === 0 ? {} : { sent_back: `Renvoyé à ${andList(names)}` };
}

function returnedWords(
  { aggregate, recipient, changes }: Signatory,
  behalf?: { readonly name: string },
): string | undefined {
  const corrected = correctedFor(recipient, changes);
  if (corrected !== undefined) return correctedWords(corrected, behalf);
  const last = changes.find(({ action }) => action === "step_sent_back");
  const by = aggregate.recipients.find(({ id }) => id === last?.recipient);
  if (!last?.reset.includes(recipient.id) || last.order === PREPARATION) return undefined;
  if (by === undefined || by === recipient) return undefined;
  const why = last.reason === null ? "" : `\u00a0: «\u00a0${last.reason}\u00a0»`;
  const name = formerName(changes, by.id, last.sequence) ?? by.fullName;
  const who = last.delegate === null ? name : onBehalf(last.delegate, name);
  return `Renvoyé par ${who}${why}`;
}

/** Documents and fields need a confirmed code (security line 35). */
function presentGuest(
  guest: Signatory,
  otp: {
    readonly verified: boolean;
    readonly resendIn: number;
    readonly bySms: boolean;
    readonly way: CodeWay;
  },
): GuestEnvelope {
  const self = presentSelf(guest, { email: maskEmail(guest.recipient.email) });
  return {
    ...presentFrame(guest),
    ...presentTurn(guest, { isNamed: otp.verified }),
    // The page offers SMS where it shows a number.
    recipient: otp.bySms ? self : { ...self, phone_hint: null },
    otp: { ...otp.way, verified: otp.verified, resend_in: otp.resendIn },
    ...(otp.verified ? { ...presentStep(guest), ...presentContent(guest) } : {}),
  };
}

export function presentSignPage(
  signatory: Signatory,
  { hasHsm, user }: { readonly hasHsm: boolean; readonly user: SessionUser },
): SignPage {
  return {
    ...presentFrame(signatory),
    hsm: hasHsm,
    // Only a delegate signs without a confirmed address, and gets no copy by mail.
    ...(user.recipient_key === null ? { mail: false } : {}),
    ...presentDelegation(signatory, user),
    ...presentTurn(signatory, { isNamed: true }),
    recipient: presentSelf(signatory, { email: signatory.recipient.email }),
    ...presentStep(signatory, delegationFor(user, signatory)),
    ...presentContent(signatory),
  };
}

function presentDelegation(signatory: Signatory, user: SessionUser): Pick<SignPage, "delegation"> {
  const { aggregate, recipient } = signatory;
  const delegation = delegationFor(user, signatory);
  if (delegation === undefined) return {};
  return {
    delegation: {
      delegate_name: user.full_name,
      starts_on: delegation.startsOn,
      ends_on: delegation.endsOn,
      scope: scopeInWords(delegation, "ses"),
      consent: delegateConsentText(aggregate.documents.length, recipient.fullName),
    },
  };
}

function presentFrame({ aggregate: { envelope } }: Signatory) {
  return {
    id: envelope.id,
    title: envelope.title,
    status: envelope.status,
    sender_name: envelope.senderName,
    ...(envelope.team === null ? {} : { sender_team: envelope.team.name }),
    message: envelope.message,
    deadline_at: envelope.deadlineAt?.toISOString() ?? null,
    progress: {
      signed: envelope.signedCount,
      total: envelope.signerCount,
      percent:
        envelope.signerCount === 0
          ? 0
          : Math.round((100 * envelope.signedCount) / envelope.signerCount),
    },
  };
}

/** No other name without a code: the link may be in other hands (security line 35). */
function presentTurn(
  signatory: Signatory,
  { isNamed }: { readonly isNamed: boolean },
): Pick<GuestEnvelope, "signs_before"> {
  if (standingOf(signatory) !== "waiting") return {};
  const { envelope, recipients } = signatory.aggregate;
  const before = signsBefore({ flow: envelope.flow, recipients }, signatory.recipient.id);
  const { sent_back: sentBack } = sentBackTo(
    signatory.aggregate,
    signatory.recipient.id,
    signatory.changes,
  );
  return {
    signs_before: {
      ...before,
      names: isNamed ? [...before.names] : [],
      ...(sentBack && { sent_back: isNamed ? sentBack : "Document renvoyé" }),
    },
  };
}

function presentStep(
  signatory: Signatory,
  behalf?: { readonly name: string },
): Pick<GuestEnvelope, "step"> {
  const { aggregate, recipient } = signatory;
  const { envelope, recipients } = aggregate;
  const returned = recipient.awaited ? returnedWords(signatory, behalf) : undefined;
  const { may_return, may_reassign } = stepRights(envelope, recipient);
  if (!recipient.awaited || (!may_return && !may_reassign && returned === undefined)) return {};
  const ranks = may_return ? returnRanks({ flow: envelope.flow, recipients }, recipient) : [];
  const returns = ranks.map((order) => {
    if (order === PREPARATION)
      return { order, role: "preparer" as const, names: [envelope.senderName] };
    const there = recipients.filter((one) => one.order === order && mustAct(one));
    const names = there.map(({ fullName }) => fullName);
    return { order, role: there[0]?.role ?? "visa", names };
  });
  return { step: { returns, may_reassign, ...(returned === undefined ? {} : { returned }) } };
}

function standingOf({
  recipient,
  hasUnsealedAct,
}: Signatory): GuestEnvelope["recipient"]["status"] {
  if (hasUnsealedAct && recipient.status !== "signed") return "sealing";
  const isTold = hasAnswered(recipient) || recipient.awaited || recipient.role === "viewer";
  return isTold ? recipient.status : "waiting";
}

function presentSelf(
  signatory: Signatory,
  shown: { readonly email: string },
): GuestEnvelope["recipient"] {
  const { recipient } = signatory;
  return {
    id: recipient.id,
    full_name: recipient.fullName,
    email: shown.email,
    phone_hint: recipient.phoneNumber === null ? null : maskPhone(recipient.phoneNumber),
    role: recipient.role,
    status: standingOf(signatory),
    signed: recipient.status === "signed",
    signed_at: recipient.signedAt?.toISOString() ?? null,
  };
}

/** Shows every place; others' values only once printed, for screen readers. */
function presentContent({
  aggregate,
  recipient,
}: Signatory): Pick<SignPage, "documents" | "fields"> {
  const signedBy = new Map(
    aggregate.recipients
      .filter(({ status }) => status === "signed")
      .map(({ id, fullName, delegate }) => [
        id,
        delegate ? onBehalf(delegate.full_name, fullName) : fullName,
      ]),
  );
  return {
    documents: aggregate.documents.map(presentDocument),
    fields: aggregate.fields.map((field) => {
      const own = field.recipientId === recipient.id;
      const filledBy = own ? undefined : signedBy.get(field.recipientId);
      const shown = presentField(field, { kind: "recipient", recipientId: recipient.id });
      return filledBy === undefined
        ? { ...shown, own }
        : { ...shown, own, value: field.value, filled_by: filledBy };
    }),
  };
}

/** No other call says whether mail is off. */
export function mailOf({
  mailDisabled,
}: Pick<Platform["settings"], "mailDisabled">): Pick<GuestEnvelope, "mail"> {
  return mailDisabled ? { mail: false } : {};
}

/** Also gives the extended session's cookie. */
export async function readGuest(
  platform: Platform,
  request: {
    readonly guest: Guest;
    readonly cookies: Readonly<Record<string, string | undefined>>;
  },
): Promise<{ readonly answer: GuestEnvelope; readonly cookie: GuestCookie | null }> {
  const now = platform.clock();
  const { recipient, aggregate } = request.guest;
  const { facts, key } = request.guest;
  if (facts.awaitsOpening)
    await recordArrival(platform.db, platform, { linkSha256: key.linkSha256 });
  const resumed = await resumeGuestSession(platform, request.guest, request.cookies);
  const verified =
    resumed !== null &&
    Buffer.compare(resumed.session.documentsSha256, documentsDigest(aggregate.documents)) === 0;
  const answer = presentGuest(
    {
      aggregate,
      recipient,
      hasUnsealedAct: facts.act !== null && !facts.act.sealed,
      changes: await loadChanges(platform, aggregate),
    },
    {
      verified,
      resendIn: resendIn({ sentAt: facts.codes.map(({ createdAt }) => createdAt), now }),
      bySms:
        mayText(channelOf(facts.link)) &&
        textableNumber(platform.settings, recipient.phoneNumber) !== null,
      way: wayOf(facts.codes[0], now),
    },
  );
  return {
    answer: { ...answer, ...mailOf(platform.settings) },
    cookie: verified ? resumed.cookie : null,
  };
}

/** Explains why it is too early: the reader sent the document back. */
export async function withReturn(
  platform: Pick<Platform, "db">,
  { aggregate, user }: { aggregate: EnvelopeAggregate; user: SessionUser },
  early: Problem,
): Promise<Problem> {
  const changes = await loadChanges(platform, aggregate);
  const own = aggregate.recipients.filter(({ emailKey }) => emailKey === user.recipient_key);
  const sentBack = own.map(({ id }) => sentBackTo(aggregate, id, changes));
  return { ...early, extensions: Object.assign({ ...early.extensions }, ...sentBack) };
}
