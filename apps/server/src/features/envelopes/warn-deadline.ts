import type { Transaction } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import { appendEvent, SYSTEM_ACTOR } from "../journal/public.ts";
import { selectNearDeadline, selectWarnedDays, updateWarned } from "./deadline-store.ts";
import { decideWarning, type WarningDays } from "./domain/decide-warning.ts";
import type { EnvelopeRecipient } from "./domain/envelope.ts";
import { forEachDue } from "./for-each-due.ts";
import type { EnvelopeAggregate } from "./load-envelope.ts";
import { lockEnvelope } from "./lock-envelope.ts";
import { notifyExpiring } from "./notify-expiring.ts";
import { selectWaitingActs } from "./store.ts";

/** Warns of every deadline that is two days, then one day, away; each envelope in a transaction of its own. Gives how many. */
export async function warnDeadlines(platform: Platform): Promise<number> {
  return forEachDue(platform, {
    what: "the warning of a deadline",
    select: (window) => selectNearDeadline(platform.db, { now: platform.clock(), ...window }),
    run: (id) => warnDeadline(platform, id),
  });
}

/** Warns those whose signature is awaited, and the sender, that the deadline is near; gives false when nothing was due. May run twice. */
export async function warnDeadline(platform: Platform, envelopeId: string): Promise<boolean> {
  return inTransaction(platform.db, async (trx) => {
    const aggregate = await lockEnvelope(trx, envelopeId);
    if (aggregate === null) return false;
    const days = decideWarning({ ...aggregate.envelope, warnedDays: await selectWarnedDays(trx, envelopeId) }, platform.clock());
    if (days === null) return false;
    await updateWarned(trx, { envelopeId, days });
    await tell(trx, platform, { aggregate, days });
    return true;
  });
}

async function tell(
  trx: Transaction,
  platform: Platform,
  { aggregate, days }: { readonly aggregate: EnvelopeAggregate; readonly days: WarningDays },
): Promise<void> {
  const { envelope, recipients } = aggregate;
  const acts = await selectWaitingActs(trx, envelope.id);
  const consenting = new Set(acts.map((act) => act.recipientId));
  const awaited: readonly EnvelopeRecipient[] = recipients.filter((recipient) => recipient.awaited && !consenting.has(recipient.id));
  // Who has agreed has nothing left to do.
  if (awaited.length === 0) return;
  await notifyExpiring(trx, platform, { envelope, awaited, days });
  await appendEvent(trx, platform, {
    envelopeId: envelope.id,
    action: "deadline_near",
    actor: SYSTEM_ACTOR,
    detail: { days, recipients: awaited.map((recipient) => recipient.id) },
  });
}
