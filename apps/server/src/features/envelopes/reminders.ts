import { failure, problem, type Result, success } from "@paraphe/contracts";
import type { Transaction } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import { checkMail } from "../../platform/mail/create-mail-transport.ts";
import type { Platform } from "../../platform/platform.ts";
import { noTextBecause, textableNumber } from "../../platform/sms/create-sms-transport.ts";
import { SYSTEM_ACTOR } from "../journal/public.ts";
import { isLastRequestRefused } from "../notices/public.ts";
import {
  admit,
  changeEnvelope,
  limitAction,
  limitAskingOne,
  mayAskToday,
} from "./change-envelope.ts";
import { auditActor, commit } from "./commit.ts";
import { decideResend } from "./domain/decisions.ts";
import { type Envelope, type EnvelopeRecipient, outcomeOf } from "./domain/envelope.ts";
import { decideReminders, planReminders } from "./domain/reminders.ts";
import type { EnvelopeCommand } from "./domain/viewer.ts";
import { prepareInvitations } from "./invitations.ts";
import { type EnvelopeAggregate, lockEnvelope, updateEnvelopeRow } from "./store.ts";
import { countAutomaticReminder, updateReminded, selectConsenting } from "./recipient-store.ts";
import { selectReminderDue, setNextReminder } from "./deadline-store.ts";

const BATCH = 500;

export type DueWork = {
  readonly what: string;
  readonly select: (window: {
    readonly limit: number;
    readonly skip: number;
  }) => Promise<readonly string[]>;
  /** Runs in its own transaction; gives false when still due. */
  readonly run: (envelopeId: string) => Promise<boolean>;
};

/**
 * Gives the number that succeeded. One that fails waits for the next round, and blocks none behind
 * it.
 */
export async function forEachDue(
  platform: Pick<Platform, "log">,
  { what, select, run }: DueWork,
): Promise<number> {
  let done = 0;
  for (let skip = 0; ; ) {
    const ids = await select({ limit: BATCH, skip });
    for (const id of ids) {
      const isDone = await run(id).catch((error: unknown) => {
        platform.log.error({ error, envelope: id }, `${what} failed`);
        return false;
      });
      if (isDone) done++;
      else skip++;
    }
    if (ids.length < BATCH) return done;
  }
}

type Planning = {
  readonly envelope: Pick<Envelope, "id" | "status" | "deadlineAt" | "remindEveryDays" | "circuit">;
  readonly recipients: readonly EnvelopeRecipient[];
  readonly consenting: ReadonlySet<string>;
  readonly now: Date;
};

export async function planRemindersAnew(
  trx: Transaction,
  { envelope, recipients, consenting, now }: Planning,
): Promise<void> {
  const { due, nextAt } = planReminders({ envelope, recipients, consenting }, now);
  await setNextReminder(trx, { envelopeId: envelope.id, at: due.length > 0 ? now : nextAt });
}

type NewReminders = EnvelopeCommand & { readonly everyDays: number | null };

/**
 * Reminders count from each recipient's last request.
 * Errors: `not_found`, `not_allowed`, `invalid_state`, `too_many_requests`.
 */
export async function changeReminders(
  platform: Platform,
  command: NewReminders,
): Promise<Result<EnvelopeAggregate>> {
  const { everyDays } = command;
  return changeEnvelope(
    platform,
    { command, action: "adjust" },
    async (trx, { envelope, recipients }) => {
      const outcome = outcomeOf(envelope.status, "adjust");
      if (!outcome.ok) return outcome;
      if (everyDays === envelope.remindEveryDays) return success(null);
      const limited = await limitAction(
        { ...platform, db: trx },
        { kind: "reminders", id: envelope.id },
      );
      if (!limited.ok) return limited;
      const now = platform.clock();
      const consenting = await selectConsenting(trx, envelope.id);
      const envelopeId = envelope.id;
      const detail = { from: envelope.remindEveryDays, to: everyDays };
      return success({
        writes: [
          updateEnvelopeRow({ id: envelopeId, now, remind_every_days: everyDays }),
          () =>
            planRemindersAnew(trx, {
              envelope: { ...envelope, remindEveryDays: everyDays },
              recipients,
              consenting,
              now,
            }),
        ],
        events: [
          { envelopeId, action: "reminders_changed", actor: auditActor(command.actor), detail },
        ],
      });
    },
  );
}

/**
 * Sends fresh links, unlocking frozen ones; gives their addresses. Errors: `not_found`,
 * `not_allowed`, those of `decideReminders`, `too_many_requests`, `too_many_messages`, `mail_off`.
 */
export async function remindRecipients(
  platform: Platform,
  command: EnvelopeCommand,
): Promise<Result<readonly string[]>> {
  return inTransaction(platform.db, async (trx) => {
    const owned = admit(await lockEnvelope(trx, command.envelopeId), {
      user: command.actor.user,
      action: "remind",
    });
    if (!owned.ok) return owned;
    const { envelope } = owned.value;
    const now = platform.clock();
    const consenting = await selectConsenting(trx, envelope.id);
    const due = decideReminders(
      { ...owned.value, consenting, senderKey: command.actor.user.email_key },
      now,
    );
    if (!due.ok) return due;
    const mailed = checkMail(platform.settings);
    if (!mailed.ok) return mailed;
    const spent = await mayAskToday({ ...platform, db: trx }, { envelope, recipients: due.value });
    if (!spent.ok) return spent;
    const limited = await limitAction(
      { ...platform, db: trx },
      { kind: "remind", id: envelope.id },
    );
    if (!limited.ok) return limited;
    const ids = due.value.map((recipient) => recipient.id);
    const reminders = await prepareInvitations(trx, platform, {
      kind: "reminder",
      envelope,
      recipients: due.value,
      actor: auditActor(command.actor),
      occasion: now.toISOString(),
    });
    await commit(trx, platform, {
      ...reminders,
      about: owned.value,
      writes: [
        () => updateReminded(trx, ids, now),
        updateEnvelopeRow({ id: envelope.id, now }),
        ...reminders.writes,
      ],
    });
    return success(due.value.map((recipient) => recipient.email));
  });
}

/** Reminds each envelope's people in its own transaction; gives their number. */
export async function remindDue(platform: Platform): Promise<number> {
  // Without mail, reminders stay due and uncounted.
  if (platform.settings.mailDisabled) return 0;
  let reminded = 0;
  await forEachDue(platform, {
    what: "an automatic reminder",
    select: (window) => selectReminderDue(platform.db, { now: platform.clock(), ...window }),
    run: async (id) => {
      reminded += await remindAutomatically(platform, id);
      return true;
    },
  });
  return reminded;
}

async function remindAutomatically(platform: Platform, envelopeId: string): Promise<number> {
  return inTransaction(platform.db, async (trx) => {
    const aggregate = await lockEnvelope(trx, envelopeId);
    if (aggregate === null) return 0;
    const { envelope, recipients } = aggregate;
    const now = platform.clock();
    const consenting = await selectConsenting(trx, envelopeId);
    const plan = planReminders({ envelope, recipients, consenting }, now);
    const ids = plan.due.map(({ id }) => id);
    const reminders = await prepareInvitations(trx, platform, {
      kind: "reminder",
      envelope,
      recipients: plan.due,
      actor: SYSTEM_ACTOR,
      occasion: `automatic:${now.toISOString()}`,
    });
    const late = plan.late.map(({ id }) => id);
    await commit(trx, platform, {
      ...reminders,
      about: aggregate,
      events: [
        ...reminders.events,
        ...(late.length === 0
          ? []
          : [
              {
                envelopeId,
                action: "step_late",
                actor: SYSTEM_ACTOR,
                detail: { recipients: late },
              } as const,
            ]),
      ],
      writes: [
        ...(ids.length === 0
          ? []
          : [
              () => countAutomaticReminder(trx, { ids, now }),
              updateEnvelopeRow({ id: envelopeId, now }),
            ]),
        ...reminders.writes,
        // Runs last: invitations bring the next look forward.
        () => setNextReminder(trx, { envelopeId, at: plan.nextAt }),
      ],
    });
    return plan.due.length;
  });
}

/** Errors: `mail_off`; `validation` (SMS without a number or a gateway). */
function checkChannel(
  settings: Platform["settings"],
  channel: "email" | "sms",
  { phoneNumber }: EnvelopeRecipient,
): Result<null> {
  if (channel === "email") return checkMail(settings);
  return textableNumber(settings, phoneNumber) === null
    ? failure(
        problem("validation", { errors: { channel: [noTextBecause(settings, phoneNumber)] } }),
      )
    : success(null);
}

type Resending = EnvelopeCommand & {
  readonly recipientId: string;
  readonly channel: "email" | "sms";
};

/**
 * Sends a fresh link by email or SMS; unlocks a frozen one.
 * Errors: `not_found`, `not_allowed`; those of `decideResend` and `checkChannel`;
 * `too_many_requests`, `too_many_messages`.
 */
export async function resendInvitation(
  platform: Platform,
  command: Resending,
): Promise<Result<EnvelopeAggregate>> {
  return changeEnvelope(
    platform,
    { command, action: "remind" },
    async (trx, { envelope, recipients }) => {
      const now = platform.clock();
      const consenting = await selectConsenting(trx, envelope.id);
      const lastRefused = await isLastRequestRefused(trx, {
        envelopeId: envelope.id,
        recipientId: command.recipientId,
      });
      const decision = decideResend(
        { envelope, recipients },
        { recipientId: command.recipientId, now, consenting, lastRefused },
      );
      if (!decision.ok) return decision;
      const recipient = decision.value;
      const sendable = checkChannel(platform.settings, command.channel, recipient);
      if (!sendable.ok) return sendable;
      const spent = await mayAskToday(
        { ...platform, db: trx },
        { envelope, recipients: [recipient], channel: command.channel },
      );
      if (!spent.ok) return spent;
      const limited = await limitAskingOne(
        { ...platform, db: trx },
        { recipientId: recipient.id, ownerId: envelope.ownerId, lastRefused },
      );
      if (!limited.ok) return limited;
      const invitations = await prepareInvitations(trx, platform, {
        kind: "invitation",
        envelope,
        recipients: [recipient],
        channel: command.channel,
        actor: auditActor(command.actor),
        occasion: `resent:${now.toISOString()}`,
      });
      return success({
        ...invitations,
        writes: [
          () => updateReminded(trx, [recipient.id], now),
          updateEnvelopeRow({ id: envelope.id, now }),
          ...invitations.writes,
        ],
      });
    },
  );
}
