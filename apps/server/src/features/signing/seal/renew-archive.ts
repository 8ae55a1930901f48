import { idSchema } from "@paraphe/contracts";
import * as z from "zod/mini";
import type { Transaction } from "../../../platform/database/database.ts";
import { inTransaction } from "../../../platform/database/in-transaction.ts";
import { together } from "../../../platform/database/together.ts";
import type { StoredDocument } from "../../documents/public.ts";
import { type EnvelopeAggregate, loadEnvelope, lockEnvelope } from "../../envelopes/public.ts";
import { appendEvent, SYSTEM_ACTOR } from "../../journal/public.ts";
import { addArchive } from "./add-archive.ts";
import { archiveRevision } from "./archive-revision.ts";
import { type ArchiveRow, type DueArchive, hastenRenewals, listDueArchives, loadArchive, saveArchives } from "./archive-store.ts";
import type { SealingDeps } from "./deps.ts";
import { renewalTime } from "./domain/renewal-time.ts";
import { loadProofs } from "./load-proofs.ts";

export const RENEW_JOB = "renew-archive";
export const renewalPayload = z.strictObject({ envelope_id: idSchema, document_id: idSchema });
/** What one hour's round takes up; the next ones do the rest. */
const ROUND = 2_000;

/** `renewed`; `current`: it was done already; `postponed`: the authority has no later certificate yet; `gone`: purged meanwhile. */
export type RenewalOutcome = "renewed" | "current" | "postponed" | "gone";

/** Enqueues the renewal of each document that is due, once each. */
export async function enqueueRenewals({ platform }: SealingDeps): Promise<number> {
  const due = await listDueArchives(platform.db, { now: platform.clock(), limit: ROUND });
  for (const { envelopeId, documentId } of due) {
    await platform.db
      .transaction()
      .execute((trx) =>
        platform.queue.enqueue(trx, RENEW_JOB, { envelope_id: envelopeId, document_id: documentId }, { singletonKey: documentId }),
      );
  }
  return due.length;
}

/** Makes every document stamped by one of these authorities due at once, before they are revoked; gives how many are left to renew. */
export function hastenRenewalsOf({ platform }: Pick<SealingDeps, "platform">, authoritySerials: readonly string[]): Promise<number> {
  return platform.db.transaction().execute((trx) => hastenRenewals(trx, authoritySerials, platform.clock()));
}

/**
 * Adds another document time-stamp to a completed document before the last one can no longer prove itself, with what proves that one (EN 319 142-1 §5.4).
 * Run any number of times, it renews once.
 * Errors: `TimestampUnavailableError`, `UnsoundSignatureError`: nothing was changed, it is to be tried again.
 */
export function renewArchive(deps: SealingDeps, due: DueArchive): Promise<RenewalOutcome> {
  return deps.turns.run(due.envelopeId, () => renewInTurn(deps, due));
}

/** The time-stamp is asked for in no transaction; of two processes that renew one document, the first to commit has. */
async function renewInTurn(deps: SealingDeps, { envelopeId, documentId }: DueArchive): Promise<RenewalOutcome> {
  const { platform } = deps;
  const { db } = platform;
  const last = await loadArchive(db, documentId);
  if (last === null || last.renewAt > platform.clock()) return "current";
  const document = documentOf(await loadEnvelope(db, envelopeId), documentId);
  if (document === null) return "gone";
  const kept = (await loadProofs(db, envelopeId)).get(documentId) ?? { ocsps: [], crls: [], serialNumbers: [] };
  const archive = await archiveRevision(deps, await platform.files.get(document.current.sha256), kept);
  return inTransaction(db, async (trx) => {
    const current = documentOf(await lockEnvelope(trx, envelopeId), documentId);
    if (current === null) return "gone";
    if (current.current.number !== document.current.number || !(await isStillDue(trx, last))) return "current";
    if (archive.authoritySerial === last.authoritySerial) return postpone(trx, deps, last);
    const { row, done } = addArchive(trx, platform, { documentId, previousNumber: document.current.number, archive });
    await together([done, saveArchives(trx, [row])]);
    await appendEvent(trx, platform, {
      envelopeId,
      action: "archive_renewed",
      actor: SYSTEM_ACTOR,
      detail: { document: `${documentId}:${Buffer.from(archive.sha256).toString("hex")}`, valid_until: row.validUntil.toISOString() },
    });
    return "renewed";
  });
}

/** Nobody renewed it, postponed it or made it due sooner since it was read. */
async function isStillDue(trx: Transaction, last: ArchiveRow): Promise<boolean> {
  return (await loadArchive(trx, last.documentId))?.renewAt.getTime() === last.renewAt.getTime();
}

function documentOf(aggregate: EnvelopeAggregate | null, documentId: string): StoredDocument | null {
  return aggregate?.documents.find(({ id }) => id === documentId) ?? null;
}

/** A stamp by the certificate that ends would prove nothing for longer: the document is left as it is until the authority has another. */
async function postpone(trx: Transaction, { platform }: SealingDeps, last: ArchiveRow): Promise<RenewalOutcome> {
  platform.log.warn(
    { document_id: last.documentId, valid_until: last.validUntil.toISOString() },
    "a document time-stamp is to be renewed, and the time-stamping authority has no later certificate yet",
  );
  await saveArchives(trx, [{ ...last, renewAt: renewalTime(platform.clock(), last.validUntil) }]);
  return "postponed";
}
