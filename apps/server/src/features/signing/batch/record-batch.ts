import {
  type BatchSignRequest,
  batchSignRequest,
  CONSENT_VERSION,
  failure,
  MAX_BATCH_FILES,
  problem,
  type Result,
  success,
  firstUnprinted,
} from "@paraphe/contracts";
import type { Transaction } from "../../../platform/database/database.ts";
import { inTransaction } from "../../../platform/database/in-transaction.ts";
import type { Platform } from "../../../platform/platform.ts";
import { limitRate } from "../../../platform/throttle/throttle.ts";
import { takeRoom } from "../../accounts/public.ts";
import { cleanFileName, dropBlobs, lockBlobs, storeBytes } from "../../documents/public.ts";
import type { Actor } from "../../envelopes/public.ts";
import { noteMarkUse, readMark } from "../marks/saved-signatures.ts";
import { checkMark } from "../sign-own-document.ts";
import type { BatchDeps } from "./create-batches.ts";
import { enqueueRun } from "./change-batch.ts";
import { insertBatch } from "./store.ts";

const JSON_FIELDS = ["placement", "signature", "overrides"] as const;

/** Errors: `validation`, by field. */
export function readBatchForm(fields: Readonly<Record<string, string>>): Result<BatchSignRequest> {
  const values: Record<string, unknown> = { ...fields };
  for (const name of JSON_FIELDS) {
    const text = fields[name];
    if (text === undefined) continue;
    const value = parseJson(text);
    if (value === undefined)
      return failure(problem("validation", { errors: { [name]: ["JSON invalide"] } }));
    values[name] = value;
  }
  const read = batchSignRequest.safeParse(values);
  if (read.success) return success(read.data);
  const errors: Record<string, string[]> = {};
  for (const issue of read.error.issues) {
    const path =
      issue.path.length === 0 && issue.code === "unrecognized_keys"
        ? (issue.keys[0] ?? "")
        : issue.path.join(".");
    errors[path] = [...(errors[path] ?? []), issue.message];
  }
  return failure(problem("validation", { errors }));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Errors: `storage_full`. */
export async function storeFile(
  platform: Pick<Platform, "files">,
  { bytes, kept }: { readonly bytes: Uint8Array; readonly kept: Uint8Array[] },
): Promise<Result<Uint8Array>> {
  const stored = await storeBytes(platform, [bytes]);
  if (!stored.ok) return failure(stored.error);
  const sha256 = stored.value[0] as Uint8Array;
  kept.push(sha256);
  return success(sha256);
}

/** Removes the files unless something else refers to them; the sweep removes the rest. */
export async function removeUnusedFiles(
  platform: Pick<Platform, "db" | "queue" | "log">,
  kept: readonly Uint8Array[],
): Promise<void> {
  await inTransaction(platform.db, (trx) => dropBlobs(trx, platform, kept)).catch(
    (error: unknown) => {
      platform.log.warn({ error }, "the files of a refused request are left to the sweep");
    },
  );
}

type SentFile = {
  readonly field: string;
  readonly name: string;
  readonly sizeBytes: number;
  readonly sha256: Uint8Array;
};
type NewBatch = {
  readonly actor: Actor;
  readonly request: BatchSignRequest;
  readonly files: readonly SentFile[];
};

const HOURLY = { limit: 60, windowS: 3_600 } as const;

/**
 * Commits the consent and its job; gives the batch's id.
 * Errors: `validation`; those of `readMark`; `too_many_requests`; `storage_quota_reached`;
 * `service_unavailable` when a file was removed meanwhile.
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
    const fits = await takeRoom(trx, platform, {
      ownerId: user.id,
      bytes: batch.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    });
    if (!fits.ok) return fits;
    const held = await lockFiles(trx, platform, batch.files);
    if (!held.ok) return held;
    const id = platform.newId();
    await insertBatch(trx, {
      ...rowOf(platform, batch),
      id,
      mark: mark.value.mark,
      evidence: mark.value.evidence,
    });
    await noteMarkUse(trx, {
      userId: user.id,
      evidence: mark.value.evidence,
      now: platform.clock(),
    });
    await enqueueRun(trx, platform, { batchId: id });
    return success(id);
  });
}

async function check({ actor, request, files }: NewBatch): Promise<Result<null>> {
  if (files.length === 0)
    return failure(problem("validation", { errors: { files: ["Au moins un fichier"] } }));
  if (files.length > MAX_BATCH_FILES) return failure(problem("batch_too_large"));
  if (files.some((file) => file.field !== "files"))
    return failure(problem("validation", { errors: { files: ["Champ de fichier inconnu"] } }));
  const indices = request.overrides.map((override) => override.file_index);
  if (indices.some((index) => index >= files.length) || new Set(indices).size !== indices.length)
    return failure(
      problem("validation", {
        errors: { overrides: ["Chaque emplacement désigne un fichier du lot, une seule fois"] },
      }),
    );
  const character = firstUnprinted(actor.user.full_name);
  return character === null
    ? success(null)
    : failure(problem("unsupported_character", { params: { character } }));
}

function limitBatches(platform: Platform, userId: string): Promise<Result<null>> {
  return limitRate(platform, { key: `batch ${userId}`, ...HOURLY });
}

/** The lock prevents a purge of another envelope from removing the same bytes. */
async function lockFiles(
  trx: Transaction,
  platform: Pick<Platform, "files">,
  files: readonly SentFile[],
): Promise<Result<null>> {
  await lockBlobs(
    trx,
    files.map((file) => file.sha256),
    "share",
  );
  for (const file of files)
    if ((await platform.files.size(file.sha256)) !== file.sizeBytes)
      return failure(problem("service_unavailable"));
  return success(null);
}

function rowOf(platform: Platform, { actor, request, files }: NewBatch) {
  const { id: ownerId, full_name, email, email_key, recipient_key, ...session } = actor.user;
  const { provider, means, confirmed_by } = session;
  const places = new Map(
    request.overrides.map((override) => [override.file_index, override.placement]),
  );
  return {
    ownerId,
    signer: {
      full_name,
      email,
      email_key,
      recipient_key,
      ...(provider && { provider }),
      ...(means && { means }),
      ...(confirmed_by && { confirmed_by }),
    },
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
