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
import { type Envelope, type EnvelopeRecipient, outcomeOf, stepTerms } from "./envelope.ts";

const OPENS_AT_HOUR = 9;
const CLOSES_AT_HOUR = 18;
const DAY_MS = 86_400_000;

type Reminded = Pick<
  EnvelopeRecipient,
  | "id"
  | "role"
  | "order"
  | "awaited"
  | "askedAt"
  | "notifiedAt"
  | "reassignedAt"
  | "automaticReminders"
  | "wrongTries"
>;
type Subject<R extends Reminded> = {
  readonly envelope: RemindingTerms & Pick<Envelope, "status" | "deadlineAt">;
  readonly recipients: readonly R[];
  /** Recipients whose consent is not sealed yet. */
  readonly consenting: ReadonlySet<string>;
};

/** `nextAt` null: nothing is due until somebody is asked again. */
type ReminderPlan<R> = {
  readonly due: readonly R[];
  /** Those of `due` whose step's last day has passed since they were asked. */
  readonly late: readonly R[];
  readonly nextAt: Date | null;
};

/**
 * Gives the automatic reminders due now, and the next moment: n days after the last request, 24 h
 * apart at least, or as the circuit's step says; ten at most, in business hours, before the
 * deadline. A link frozen by wrong codes is left out: only the sender unlocks it.
 */
export function planReminders<R extends Reminded>(subject: Subject<R>, now: Date): ReminderPlan<R> {
  const { envelope, recipients, consenting } = subject;
  const { deadlineAt } = envelope;
  if (!outcomeOf(envelope.status, "remind").ok) return { due: [], late: [], nextAt: null };
  const slots = recipients
    .filter((person) => mayBeReminded(person) && !consenting.has(person.id))
    .flatMap((person) => {
      const at = nextReminder(envelope, person, person.askedAt ?? now);
      return at === null || (deadlineAt !== null && at >= deadlineAt) ? [] : [{ person, at }];
    });
  const isOpenNow =
    openingFrom(now).getTime() === now.getTime() && (deadlineAt === null || now < deadlineAt);
  const due = isOpenNow ? slots.filter(({ at }) => at <= now) : [];
  const dueIds = new Set(due.map(({ person }) => person.id));
  const isLast = (person: R) =>
    dueIds.has(person.id) && person.automaticReminders + 1 >= MAX_AUTOMATIC_REMINDERS;
  const later = slots
    .filter(({ person }) => !isLast(person))
    .map(({ person, at }) =>
      dueIds.has(person.id)
        ? nextReminder(envelope, person, now)
        : openingFrom(at > now ? at : now),
    )
    .filter((at) => at !== null)
    .filter((at) => deadlineAt === null || at < deadlineAt);
  const late = due.filter(({ person }) => {
    const lateAt = lateFrom(envelope, person);
    return lateAt !== null && lateAt <= now && (person.askedAt ?? now) < lateAt;
  });
  return {
    due: due.map(({ person }) => person),
    late: late.map(({ person }) => person),
    nextAt: earliest(later),
  };
}

type RemindingTerms = Pick<Envelope, "remindEveryDays" | "circuit">;
type OfStep = Parameters<typeof stepTerms>[1];

/** Gives the first reminder after this request: of the envelope, or of the step. */
export function nextReminder(envelope: RemindingTerms, person: OfStep, askedAt: Date): Date | null {
  const { remindEveryDays } = envelope;
  const terms = stepTerms(envelope, person);
  const lateAt = lateFrom(envelope, person);
  const eve = terms?.remind === "eve" && terms.dueDay !== null ? eveOf(terms.dueDay) : null;
  return earliest([
    ...(remindEveryDays === null ? [] : [reminderSlot(askedAt, remindEveryDays)]),
    ...(terms?.remind === "daily" ? [reminderSlot(askedAt, 1)] : []),
    ...[eve, lateAt].filter((at) => at !== null).filter((at) => at > askedAt),
  ]);
}

function eveOf(dueDay: string): Date {
  let day = addDays(dueDay, -1);
  while (!isBusinessDay(day)) day = addDays(day, -1);
  return parisTime(day, OPENS_AT_HOUR);
}

/** Gives the first business hour after the step's last day. */
function lateFrom(envelope: RemindingTerms, person: OfStep): Date | null {
  const dueDay = stepTerms(envelope, person)?.dueDay ?? null;
  return dueDay === null ? null : openingFrom(parisTime(addDays(dueDay, 1), 0));
}

/** Gives a moment in business hours, if nothing else happens. */
export function reminderSlot(askedAt: Date, everyDays: number): Date {
  const afterDays = addParisDays(askedAt, everyDays);
  // Days are 23 hours long when the clocks go forward.
  const earliestAt = new Date(askedAt.getTime() + DAY_MS);
  return openingFrom(afterDays > earliestAt ? afterDays : earliestAt);
}

/** Gives this moment, or the next business hours. */
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
  /** Recipients whose consent is not sealed yet. */
  readonly consenting: ReadonlySet<string>;
  readonly senderKey: string;
};

/**
 * Gives awaited recipients without a consent or a reminder within the hour; the sender only if
 * alone.
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
