import {
  failure,
  MAX_AUTOMATIC_REMINDERS,
  OTP_WRONG_TRIES_PER_LINK,
  problem,
  REMIND_INTERVAL_S,
  type Result,
  success,
} from "@paraphe/contracts";
import { isBusinessDay } from "@paraphe/kernel/french-calendar";
import { addDays, parisDay } from "@paraphe/kernel/paris-days";
import { addParisDays, parisTime } from "@paraphe/kernel/paris-time";
import { type Envelope, type EnvelopeRecipient, outcomeOf } from "./envelope.ts";

const OPENS_AT_HOUR = 9;
const CLOSES_AT_HOUR = 18;
const DAY_MS = 86_400_000;

type Reminded = Pick<
  EnvelopeRecipient,
  "id" | "awaited" | "askedAt" | "automaticReminders" | "wrongTries"
>;
type Subject<R extends Reminded> = {
  readonly envelope: Pick<Envelope, "status" | "deadlineAt" | "remindEveryDays">;
  readonly recipients: readonly R[];
  /** Not sealed yet. */
  readonly consenting: ReadonlySet<string>;
};

/** `nextAt` null: until somebody is asked again. */
type ReminderPlan<R> = { readonly due: readonly R[]; readonly nextAt: Date | null };

/**
 * Reminders due now, and the next moment: n days after the last request, 24 h apart, ten at most,
 * in business hours, before the deadline. Only the sender thaws a link frozen by wrong codes.
 */
export function planReminders<R extends Reminded>(subject: Subject<R>, now: Date): ReminderPlan<R> {
  const { envelope, recipients, consenting } = subject;
  const { remindEveryDays, deadlineAt } = envelope;
  if (remindEveryDays === null || !outcomeOf(envelope.status, "remind").ok)
    return { due: [], nextAt: null };
  const slots = recipients
    .filter((person) => mayBeReminded(person) && !consenting.has(person.id))
    .map((person) => ({ person, at: reminderSlot(person.askedAt ?? now, remindEveryDays) }))
    .filter(({ at }) => deadlineAt === null || at < deadlineAt);
  const isOpenNow =
    openingFrom(now).getTime() === now.getTime() && (deadlineAt === null || now < deadlineAt);
  const due = isOpenNow ? slots.filter(({ at }) => at <= now) : [];
  const dueIds = new Set(due.map(({ person }) => person.id));
  const isLast = (person: R) =>
    dueIds.has(person.id) && person.automaticReminders + 1 >= MAX_AUTOMATIC_REMINDERS;
  const later = slots
    .filter(({ person }) => !isLast(person))
    .map(({ person, at }) =>
      dueIds.has(person.id) ? reminderSlot(now, remindEveryDays) : openingFrom(at > now ? at : now),
    )
    .filter((at) => deadlineAt === null || at < deadlineAt);
  return { due: due.map(({ person }) => person), nextAt: earliest(later) };
}

/** In business hours, if nothing else happens. */
export function reminderSlot(askedAt: Date, everyDays: number): Date {
  const afterDays = addParisDays(askedAt, everyDays);
  // 23 hours when the clocks go forward.
  const earliestAt = new Date(askedAt.getTime() + DAY_MS);
  return openingFrom(afterDays > earliestAt ? afterDays : earliestAt);
}

/** This moment, or the next business hours. */
export function openingFrom(moment: Date): Date {
  const today = parisDay(moment);
  const hour = (day: string, at: number) => parisTime(day, at);
  if (isBusinessDay(today)) {
    if (moment < hour(today, OPENS_AT_HOUR)) return hour(today, OPENS_AT_HOUR);
    if (moment < hour(today, CLOSES_AT_HOUR)) return moment;
  }
  let day = addDays(today, 1);
  while (!isBusinessDay(day)) day = addDays(day, 1);
  return hour(day, OPENS_AT_HOUR);
}

function mayBeReminded(person: Reminded): boolean {
  return (
    person.awaited &&
    person.askedAt !== null &&
    person.automaticReminders < MAX_AUTOMATIC_REMINDERS &&
    person.wrongTries < OTP_WRONG_TRIES_PER_LINK
  );
}

function earliest(moments: readonly Date[]): Date | null {
  return moments.length === 0
    ? null
    : new Date(Math.min(...moments.map((moment) => moment.getTime())));
}

type Reminding = {
  readonly envelope: Pick<Envelope, "status" | "deadlineAt">;
  readonly recipients: readonly EnvelopeRecipient[];
  /** Not sealed yet. */
  readonly consenting: ReadonlySet<string>;
  readonly senderKey: string;
};

/**
 * Awaited recipients without a consent or a reminder within the hour; the sender only if alone.
 * Errors: `invalid_state`; `deadline_passed`; `signature_in_progress` when all have consented;
 * `remind_cooldown` with the time left.
 */
export function decideReminders(
  { envelope, recipients, consenting, senderKey }: Reminding,
  now: Date,
): Result<readonly EnvelopeRecipient[]> {
  const outcome = outcomeOf(envelope.status, "remind");
  if (!outcome.ok) return outcome;
  if (envelope.deadlineAt !== null && envelope.deadlineAt <= now)
    return failure(problem("deadline_passed"));
  const awaited = recipients.filter(
    (recipient) => recipient.awaited && !consenting.has(recipient.id),
  );
  if (awaited.length === 0) return failure(problem("signature_in_progress", { retryAfterS: 5 }));
  const asked = besideSender(awaited, senderKey);
  const due = asked.filter((recipient) => restsUntil(recipient) <= now.getTime());
  if (due.length > 0) return success(due);
  const waitMs = Math.min(...asked.map(restsUntil)) - now.getTime();
  return failure(problem("remind_cooldown", { retryAfterS: Math.ceil(waitMs / 1000) }));
}

/** Null: possible now, or nobody is awaited. */
export function remindableAt(
  { recipients, senderKey }: Pick<Reminding, "recipients" | "senderKey">,
  now: Date,
): Date | null {
  const awaited = recipients.filter((recipient) => recipient.awaited);
  const at = Math.min(...besideSender(awaited, senderKey).map(restsUntil));
  return awaited.length > 0 && at > now.getTime() ? new Date(at) : null;
}

function besideSender(
  awaited: readonly EnvelopeRecipient[],
  senderKey: string,
): readonly EnvelopeRecipient[] {
  const others = awaited.filter((recipient) => recipient.emailKey !== senderKey);
  return others.length > 0 ? others : awaited;
}

function restsUntil({ remindedAt }: EnvelopeRecipient): number {
  return remindedAt === null ? 0 : remindedAt.getTime() + REMIND_INTERVAL_S * 1000;
}
