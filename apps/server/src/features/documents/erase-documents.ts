import type { Transaction } from "../../platform/database/database.ts";
import type { Platform } from "../../platform/platform.ts";
import { REMOVE_FILES_JOB } from "./jobs.ts";
import { blankDocumentNames } from "./store.ts";

/** Erases a purged envelope's documents, in the transaction of the purge: names now, bytes by a job once it commits. Hashes and sizes stay: the tombstone. */
export async function eraseDocuments(trx: Transaction, platform: Pick<Platform, "queue">, envelopeId: string): Promise<void> {
  await blankDocumentNames(trx, envelopeId);
  await platform.queue.enqueue(trx, REMOVE_FILES_JOB, { envelope_id: envelopeId }, { singletonKey: envelopeId });
}
