import * as z from "zod/mini";
import type { Transaction } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import { appendEvent, SYSTEM_ACTOR } from "../journal/public.ts";
import { takeBackDeadlines } from "../notices/public.ts";
import { restoreKnown, selectAnnouncement, selectDeadlineNews, updateAnnouncement } from "./deadline-store.ts";
import { announcedAt, type DeadlineNews, isNews } from "./domain/deadline-news.ts";
import type { EnvelopeRecipient } from "./domain/envelope.ts";
import { outcomeOf } from "./domain/transitions.ts";
import { inviteRecipients } from "./invite-recipients.ts";
import type { EnvelopeAggregate } from "./load-envelope.ts";
import { lockEnvelope } from "./lock-envelope.ts";
import { selectOwner, selectWaitingActs } from "./store.ts";

export const ANNOUNCE_DEADLINE_JOB = "envelopes.announce-deadline";
const payloadSchema = z.strictObject({ envelope_id: z.uuid(), announcement: z.uuid() });

/**
 * Has those awaited told of an envelope's deadline, in the transaction that changes it: a moment later, and of the last one alone. What an earlier change
 * had to say and has not said yet is not said any more.
 */
export async function announceDeadline(
  trx: Transaction,
  platform: Platform,
  { envelopeId, deadlineAt }: { readonly envelopeId: string; readonly deadlineAt: Date | null },
): Promise<void> {
  await restoreKnown(trx, await takeBackDeadlines(trx, platform, envelopeId));
  const startAfter = announcedAt(deadlineAt, platform.clock());
  const announcement = startAfter === null ? null : platform.newId();
  await updateAnnouncement(trx, { envelopeId, announcement });
  if (startAfter === null) {
    await tellDeadline(trx, platform, await lockEnvelope(trx, envelopeId));
    return;
  }
  const payload = { envelope_id: envelopeId, announcement };
  await platform.queue.enqueue(trx, ANNOUNCE_DEADLINE_JOB, payload, { startAfter });
}

/** Tells a deadline that has not moved since this job was asked for; of another, the later job's turn comes. May run twice. */
export async function runAnnouncement(platform: Platform, payload: unknown): Promise<void> {
  const { envelope_id: envelopeId, announcement } = payloadSchema.parse(payload);
  await inTransaction(platform.db, async (trx) => {
    const aggregate = await lockEnvelope(trx, envelopeId);
    if ((await selectAnnouncement(trx, envelopeId)) !== announcement) return;
    await updateAnnouncement(trx, { envelopeId, announcement: null });
    await tellDeadline(trx, platform, aggregate);
  });
}

/**
 * Tells an open envelope's deadline to those awaited who have not heard of it, in words that fit the one each was told last, and notes whom in the journal.
 * Nobody is told what they know, nor that there is none any more; whose link had stopped working is reminded then.
 */
async function tellDeadline(trx: Transaction, platform: Platform, aggregate: EnvelopeAggregate | null): Promise<void> {
  if (aggregate === null) return;
  const { envelope } = aggregate;
  const { deadlineAt } = envelope;
  if (!outcomeOf(envelope.status, "remind").ok || (deadlineAt !== null && deadlineAt <= platform.clock())) return;
  const { recipients, news } = await uninformed(trx, aggregate);
  if (recipients.length === 0) return;
  const asked = { envelope, owner: await selectOwner(trx, envelope.ownerId), recipients, actor: SYSTEM_ACTOR };
  if (deadlineAt === null) {
    await inviteRecipients(trx, platform, { ...asked, kind: "reminder", occasion: `reopened:${envelope.version}` });
    return;
  }
  const occasion = `${deadlineAt.toISOString()}:${envelope.version}`;
  await inviteRecipients(trx, platform, { ...asked, kind: "extended", news, occasion });
  await appendEvent(trx, platform, {
    envelopeId: envelope.id,
    action: "deadline_announced",
    actor: SYSTEM_ACTOR,
    detail: { deadline: deadlineAt.toISOString(), recipients: recipients.map(({ id }) => id) },
  });
}

type Uninformed = { readonly recipients: readonly EnvelopeRecipient[]; readonly news: ReadonlyMap<string, DeadlineNews> };

/** Those awaited who have something to hear; who has agreed has nothing left to do. */
async function uninformed(trx: Transaction, { envelope, recipients }: EnvelopeAggregate): Promise<Uninformed> {
  const { deadlineAt } = envelope;
  const consenting = new Set((await selectWaitingActs(trx, envelope.id)).map((act) => act.recipientId));
  const news = await selectDeadlineNews(trx, envelope.id);
  const hasNews = ({ id }: EnvelopeRecipient) => {
    const known = news.get(id);
    return known !== undefined && (deadlineAt === null ? known.reopened : isNews(known, deadlineAt));
  };
  return { recipients: recipients.filter((one) => one.awaited && !consenting.has(one.id) && hasNews(one)), news };
}
