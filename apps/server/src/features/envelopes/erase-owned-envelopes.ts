import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import { eraseActorAddresses, SYSTEM_ACTOR } from "../journal/public.ts";
import { withdrawNotices } from "../notices/public.ts";
import { checkCancellable } from "./check-closable.ts";
import { outcomeOf } from "./domain/transitions.ts";
import { selectEvidenceOf, selectWithoutEvidence } from "./erasure-store.ts";
import { lockEnvelope } from "./lock-envelope.ts";
import { notifyCancelled } from "./notify-people.ts";
import { eraseEnvelope } from "./purge-envelope.ts";
import { voidConsents } from "./void-consents.ts";

const BATCH = 200;
/** What proves that somebody agreed: where and with what they did so stays with it. */
const EVIDENCE_ACTIONS = ["consent_given", "recipient_signed", "code_verified"] as const;

/**
 * Erases what the owner of a closed account leaves: every envelope that is no evidence of completed signatures is purged, whatever its state; of the
 * completed ones the owner's own addresses and browsers go, but for their consents. May run twice.
 * Throws, once all the others are erased, when an envelope cannot be closed yet, because a consent in it is being sealed: its job comes back.
 */
export async function eraseOwnedEnvelopes(platform: Platform, ownerId: string): Promise<void> {
  const faults = await eraseAll(platform, ownerId);
  await eraseOwnTraces(platform, ownerId);
  if (faults.length > 0) throw new AggregateError(faults, `${faults.length} envelopes of an erased account could not be erased yet`);
}

/** Erases what it can; gives why the rest could not be. */
async function eraseAll(platform: Platform, ownerId: string): Promise<readonly unknown[]> {
  const faults: unknown[] = [];
  for (let afterId: string | null = null; ; ) {
    const ids: string[] = await selectWithoutEvidence(platform.db, { ownerId, afterId, limit: BATCH });
    for (const envelopeId of ids)
      await eraseOne(platform, { ownerId, envelopeId }).catch((error: unknown) => {
        faults.push(error);
      });
    afterId = ids.at(-1) ?? null;
    if (ids.length < BATCH) return faults;
  }
}

async function eraseOwnTraces(platform: Platform, ownerId: string): Promise<void> {
  for (let afterId: string | null = null; ; ) {
    const ids: string[] = await selectEvidenceOf(platform.db, { ownerId, afterId, limit: BATCH });
    await inTransaction(platform.db, (trx) =>
      eraseActorAddresses(trx, { envelopeIds: ids, actor: { kind: "user", id: ownerId }, except: EVIDENCE_ACTIONS }),
    );
    afterId = ids.at(-1) ?? null;
    if (ids.length < BATCH) return;
  }
}

/** One that was sent while the account was being closed is still open: those who were asked are told. One completed meanwhile is evidence, and stays. */
async function eraseOne(
  platform: Platform,
  { ownerId, envelopeId }: { readonly ownerId: string; readonly envelopeId: string },
): Promise<void> {
  await inTransaction(platform.db, async (trx) => {
    const aggregate = await lockEnvelope(trx, envelopeId);
    if (aggregate === null || aggregate.envelope.ownerId !== ownerId) return;
    const { status } = aggregate.envelope;
    if (!outcomeOf(status, "erase_account").ok) return;
    const cancellable = await checkCancellable(trx, { envelopeId, now: platform.clock() });
    if (!cancellable.ok) throw new Error(`envelope ${envelopeId} cannot be closed yet: ${cancellable.error.code}`);
    if (status === "sent" || status === "pending") {
      await withdrawNotices(trx, platform, { envelopeId });
      const voided = await voidConsents(trx, platform, { envelopeId, actor: SYSTEM_ACTOR });
      await notifyCancelled(trx, platform, { ...aggregate, voided });
    }
    await eraseEnvelope(trx, platform, { envelopeId, actor: SYSTEM_ACTOR });
  });
}
