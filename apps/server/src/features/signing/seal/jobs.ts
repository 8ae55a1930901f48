import { idSchema, CODE_TRACE_HOURS } from "@paraphe/contracts";
import * as z from "zod/mini";
import { enqueueRenewals, RENEW_JOB, renewalPayload, renewArchive } from "./archive-revision.ts";
import type { SealingDeps } from "./create-sealing.ts";
import { SEAL_JOB, sealAct } from "./seal-act.ts";
import { listUnsealedActs } from "./store.ts";
import type { Platform } from "../../../platform/platform.ts";
import { removeEndedGuestSessions, removeOldAddressTries, removeOldCodes } from "../store.ts";

const EVERY_NIGHT = "40 3 * * *";
const ADDRESS_TRIES_KEPT_MS = 365 * 86_400_000;

export function registerSigningJobs(platform: Platform): void {
  platform.queue.schedule("remove-guest-sessions", EVERY_NIGHT, () => sweepGuests(platform));
}

/** Also deletes codes older than a day and tries unused for a year. */
export async function sweepGuests(platform: Platform): Promise<void> {
  const now = platform.clock();
  await removeEndedGuestSessions(platform.db, now);
  await removeOldCodes(platform.db, new Date(now.getTime() - CODE_TRACE_HOURS * 3_600_000));
  await removeOldAddressTries(platform.db, new Date(now.getTime() - ADDRESS_TRIES_KEPT_MS));
}

const sealPayload = z.strictObject({ act_id: idSchema });
/** Retries come every few seconds, then every five minutes. */
const FOR_EVER = 1_000_000;
const EVERY_HOUR = "7 * * * *";
const LATER_EVERY_HOUR = "37 * * * *";

export function registerSealingJobs(deps: SealingDeps): void {
  const { queue } = deps.platform;
  queue.handle(
    SEAL_JOB,
    { concurrency: 2, retryLimit: FOR_EVER, retryDelayS: 2, retryDelayMaxS: 300, expireInS: 120 },
    async (payload) => {
      await sealAct(deps, sealPayload.parse(payload).act_id);
    },
  );
  queue.schedule("sweep-unsealed-acts", EVERY_HOUR, () => sweepUnsealedActs(deps));
  queue.handle(
    RENEW_JOB,
    { concurrency: 1, retryLimit: 5, retryDelayS: 60, retryDelayMaxS: 900, expireInS: 300 },
    async (payload) => {
      const { envelope_id, document_id } = renewalPayload.parse(payload);
      await renewArchive(deps, { envelopeId: envelope_id, documentId: document_id });
    },
  );
  queue.schedule("renew-archives", LATER_EVERY_HOUR, async () => {
    await enqueueRenewals(deps);
  });
}

/** Seals acts in turn, at start and hourly. A failure stops no other; never throws. */
export async function sweepUnsealedActs(deps: SealingDeps): Promise<void> {
  const { log, db } = deps.platform;
  const acts = await listUnsealedActs(db).catch((error: unknown) => {
    log.warn({ error }, "the acts to seal could not be listed");
    return [];
  });
  for (const actId of acts) {
    await sealAct(deps, actId).catch((error: unknown) =>
      log.warn({ act_id: actId, error }, "an act could not be sealed by the sweep"),
    );
  }
}
