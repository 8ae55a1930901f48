import { type BatchSignRequest, CONSENT_VERSION, failure, MAX_BATCH_FILES, problem, type Result, success } from "@paraphe/contracts";
import type { Transaction } from "../../../platform/database/database.ts";
import { inTransaction } from "../../../platform/database/in-transaction.ts";
import { loadPrintableCharacters } from "../../../platform/fonts/printable-characters.ts";
import type { Platform } from "../../../platform/platform.ts";
import { hitThrottle } from "../../../platform/throttle/throttle.ts";
import { takeRoom } from "../../accounts/public.ts";
import { cleanFileName, lockBlobs } from "../../documents/public.ts";
import type { Actor } from "../../envelopes/public.ts";
import { noteMarkUse } from "../note-mark-use.ts";
import { readMark } from "../read-mark.ts";
import { checkMark } from "../sign-own-document.ts";
import type { BatchDeps } from "./create-batches.ts";
import { enqueueRun } from "./jobs.ts";
import { insertBatch } from "./store.ts";

/** A file of the request, in storage already. */
export type SentFile = { readonly field: string; readonly name: string; readonly sizeBytes: number; readonly sha256: Uint8Array };
export type NewBatch = { readonly actor: Actor; readonly request: BatchSignRequest; readonly files: readonly SentFile[] };

/** Batches that an account may begin in an hour. */
const HOURLY = { limit: 60, windowS: 3_600 } as const;

/**
 * Records a person's consent to sign these files with this mark, and the job that does; gives the batch's id.
 * Errors: `validation` (no file, another file's place, a name or a mark that cannot be drawn); those of `readMark`; `too_many_requests`; `storage_quota_reached`;
 * `service_unavailable` when a file left the storage meanwhile.
 */
export async function recordBatch(deps: BatchDeps, batch: NewBatch): Promise<Result<string>> {
  const { platform } = deps;
  const { user } = batch.actor;
  const checked = await check(batch);
  if (!checked.ok) return checked;
  const mark = await readMark({ platform, userId: user.id }, batch.request.signature);
  if (!mark.ok) return mark;
  const unprintable = await checkMark(mark.value.mark);
  if (unprintable !== null) return failure(unprintable);
  const limited = await limitBatches(platform, user.id);
  if (!limited.ok) return limited;
  return inTransaction(platform.db, async (trx) => {
    const fits = await takeRoom(trx, platform, { ownerId: user.id, bytes: batch.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) });
    if (!fits.ok) return fits;
    const held = await holdFiles(trx, platform, batch.files);
    if (!held.ok) return held;
    const id = platform.newId();
    await insertBatch(trx, { ...rowOf(platform, batch), id, mark: mark.value.mark, evidence: mark.value.evidence });
    await noteMarkUse(trx, { userId: user.id, evidence: mark.value.evidence, now: platform.clock() });
    await enqueueRun(trx, platform, { batchId: id });
    return success(id);
  });
}

async function check({ actor, request, files }: NewBatch): Promise<Result<null>> {
  if (files.length === 0) return failure(problem("validation", { errors: { files: ["Au moins un fichier"] } }));
  if (files.length > MAX_BATCH_FILES) return failure(problem("batch_too_large"));
  if (files.some((file) => file.field !== "files"))
    return failure(problem("validation", { errors: { files: ["Champ de fichier inconnu"] } }));
  const indices = request.overrides.map((override) => override.file_index);
  if (indices.some((index) => index >= files.length) || new Set(indices).size !== indices.length)
    return failure(problem("validation", { errors: { overrides: ["Chaque emplacement désigne un fichier du lot, une seule fois"] } }));
  const character = (await loadPrintableCharacters()).firstMissing(actor.user.full_name);
  return character === null ? success(null) : failure(problem("unsupported_character", { params: { character } }));
}

async function limitBatches(platform: Platform, userId: string): Promise<Result<null>> {
  if (platform.settings.rateLimits === "off") return success(null);
  const { allowed, retryAfterS } = await hitThrottle(platform.db, { key: `batch ${userId}`, ...HOURLY, now: platform.clock() });
  return allowed ? success(null) : failure(problem("too_many_requests", { retryAfterS }));
}

/** From here to the commit no purge of another envelope takes the same bytes away; what it took before is not here any more. */
async function holdFiles(trx: Transaction, platform: Pick<Platform, "files">, files: readonly SentFile[]): Promise<Result<null>> {
  await lockBlobs(
    trx,
    files.map((file) => file.sha256),
    "share",
  );
  for (const file of files) if ((await platform.files.size(file.sha256)) !== file.sizeBytes) return failure(problem("service_unavailable"));
  return success(null);
}

function rowOf(platform: Platform, { actor, request, files }: NewBatch) {
  const { id: ownerId, full_name, email, email_key, recipient_key } = actor.user;
  const places = new Map(request.overrides.map((override) => [override.file_index, override.placement]));
  return {
    ownerId,
    signer: { full_name, email, email_key, recipient_key },
    title: request.title ?? null,
    placement: request.placement,
    ifFixable: request.if_fixable,
    consentVersion: CONSENT_VERSION,
    ...actor.client,
    createdAt: platform.clock(),
    items: files.map(({ name, sha256, sizeBytes }, index) => ({
      id: platform.newId(),
      name: cleanFileName(name),
      placement: places.get(index) ?? null,
      sha256,
      sizeBytes,
    })),
  };
}
