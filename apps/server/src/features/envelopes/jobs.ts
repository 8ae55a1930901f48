import { registerContactJobs } from "./contacts/import-contacts.ts";
import { registerMailingJobs } from "./templates/send-mailing.ts";
import { registerWebhookJobs } from "./webhooks/send-webhooks.ts";
import { PURGE_AFTER_DAYS } from "@paraphe/contracts";
import type { Platform } from "../../platform/platform.ts";
import { ANNOUNCE_DEADLINE_JOB, runAnnouncement, warnDeadlines } from "./deadlines.ts";
import { purgeAt, retentionStart } from "./domain/deadlines.ts";
import { selectOverdue, selectToPurge } from "./deadline-store.ts";
import { selectPastRetention } from "./erasure-store.ts";
import { expireEnvelope } from "./close-envelope.ts";
import { forEachDue, remindDue } from "./reminders.ts";
import { eraseClosed, purgeExpired } from "./purge-envelope.ts";

/** Retries last half a day; then warnings carry the deadline. */
const ANNOUNCE_RETRIES = {
  concurrency: 1,
  retryLimit: 12,
  retryDelayS: 10,
  retryDelayMaxS: 3_600,
  expireInS: 180,
} as const;

export function registerEnvelopeJobs(platform: Platform): void {
  registerContactJobs(platform);
  registerWebhookJobs(platform);
  registerMailingJobs(platform);
  platform.queue.handle(ANNOUNCE_DEADLINE_JOB, ANNOUNCE_RETRIES, (payload) =>
    runAnnouncement(platform, payload),
  );
  platform.queue.schedule("envelopes.expire", "* * * * *", async () => {
    await expireOverdue(platform);
  });
  platform.queue.schedule("envelopes.warn", "*/15 * * * *", async () => {
    await warnDeadlines(platform);
  });
  platform.queue.schedule("envelopes.remind", "*/5 * * * *", async () => {
    await remindDue(platform);
  });
  platform.queue.schedule("envelopes.purge", "*/10 * * * *", async () => {
    await purgeDue(platform);
  });
  platform.queue.schedule("envelopes.end-retention", "10 4 * * *", async () => {
    const erased = await endRetention(platform);
    if (erased > 0) platform.log.info({ erased }, "envelopes whose retention is over were erased");
  });
}

export async function expireOverdue(platform: Platform): Promise<number> {
  return forEachDue(platform, {
    what: "the closing of an envelope whose deadline has passed",
    select: (window) => selectOverdue(platform.db, { now: platform.clock(), ...window }),
    run: async (id) => (await expireEnvelope(platform, id)).ok,
  });
}

export async function purgeDue(platform: Platform): Promise<number> {
  const isDue = (cancelledAt: Date) => purgeAt(cancelledAt) <= platform.clock();
  return forEachDue(platform, {
    what: "the purge of a cancelled envelope",
    select: (window) =>
      selectToPurge(platform.db, { now: platform.clock(), days: PURGE_AFTER_DAYS, ...window }),
    run: async (envelopeId) => (await purgeExpired(platform, { envelopeId, isDue })).ok,
  });
}

export async function endRetention(platform: Platform): Promise<number> {
  return forEachDue(platform, {
    what: "the erasure of an envelope whose retention is over",
    select: (window) =>
      selectPastRetention(platform.db, {
        closedBefore: retentionStart(platform.clock()),
        ...window,
      }),
    run: async (envelopeId) =>
      (await eraseClosed(platform, { envelopeId, closedBefore: retentionStart(platform.clock()) }))
        .ok,
  });
}
