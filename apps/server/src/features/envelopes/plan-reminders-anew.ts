import type { Transaction } from "../../platform/database/database.ts";
import type { Envelope, EnvelopeRecipient } from "./domain/envelope.ts";
import { planReminders } from "./domain/plan-reminders.ts";
import { setNextReminder } from "./reminder-store.ts";

type Planning = {
  readonly envelope: Pick<Envelope, "id" | "status" | "deadlineAt" | "remindEveryDays">;
  readonly recipients: readonly EnvelopeRecipient[];
  readonly consenting: ReadonlySet<string>;
  readonly now: Date;
};

/** Has an envelope whose deadline or reminders changed looked at when its next reminder is due. */
export async function planRemindersAnew(trx: Transaction, { envelope, recipients, consenting, now }: Planning): Promise<void> {
  const { due, nextAt } = planReminders({ envelope, recipients, consenting }, now);
  await setNextReminder(trx, { envelopeId: envelope.id, at: due.length > 0 ? now : nextAt });
}
