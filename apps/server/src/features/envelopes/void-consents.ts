import type { Transaction } from "../../platform/database/database.ts";
import type { Platform } from "../../platform/platform.ts";
import { appendEvent, type AuditActor } from "../journal/public.ts";
import { deleteWaitingActs } from "./store.ts";

/**
 * Withdraws the consents of an envelope that no signature was made of; its lock is held. Each person is free to sign again if it reopens.
 * Gives whose they were. A sealing that was under way finds its act gone, and commits nothing.
 */
export async function voidConsents(
  trx: Transaction,
  platform: Platform,
  { envelopeId, actor }: { readonly envelopeId: string; readonly actor: AuditActor },
): Promise<ReadonlySet<string>> {
  const recipientIds = await deleteWaitingActs(trx, envelopeId);
  for (const recipient of recipientIds)
    await appendEvent(trx, platform, { envelopeId, action: "consent_void", actor, detail: { recipient } });
  return new Set(recipientIds);
}
