import { createHash } from "node:crypto";
import type { CheckpointPayload } from "@paraphe/contracts";
import { toHex } from "@paraphe/kernel/bytes";
import { canonicalBytes } from "@paraphe/kernel/canonical-json";
import { keyIdentifier, parseCertificate } from "@paraphe/pades/parts";
import type { Database, Reader, Transaction } from "../../../platform/database/database.ts";
import { inTransaction } from "../../../platform/database/in-transaction.ts";
import { failPoint } from "../../../platform/fail-point.ts";
import type { Platform } from "../../../platform/platform.ts";
import { type Trust, signJws } from "../../trust/public.ts";
import { readRanges } from "./read-inclusion.ts";
import {
  type CheckpointRow,
  type DueRow,
  countLeaves,
  hasNews,
  insertCheckpoint,
  insertLeaves,
  lockLog,
  selectDue,
  selectLatestCheckpoint,
  strikeDue,
} from "./store.ts";

const BATCH = 5_000;

/** Appends a leaf for each journal that grew. The database builds the tree. */
async function appendDue(db: Database): Promise<void> {
  for (let last: number | null = 0; last !== null; ) {
    const after: number = last;
    last = await inTransaction(db, (trx) => appendBatch(trx, after));
  }
}

async function appendBatch(trx: Transaction, after: number): Promise<number | null> {
  await lockLog(trx);
  const listed = await selectDue(trx, { after, limit: BATCH });
  // Whoever can write the database may have added rows that are no events.
  const due = listed.filter(({ isEvent }) => isEvent);
  // The last entry of a journal covers its earlier ones.
  const heads = new Map<string, DueRow["entry"]>();
  for (const { entry, isLogged } of due)
    if (!isLogged && (heads.get(entry.envelope_id)?.sequence ?? 0) < entry.sequence)
      heads.set(entry.envelope_id, entry);
  const size = await countLeaves(trx);
  await insertLeaves(
    trx,
    [...heads.values()].map((entry, place) => ({ leafIndex: size + place, entry })),
  );
  await strikeDue(
    trx,
    due.map(({ number }) => number),
  );
  return listed.length < BATCH ? null : (listed.at(-1)?.number ?? null);
}

export const CHECKPOINT_JOB = "make-checkpoint";
/** Completions within this time share a signature and a time-stamp. */
const SHARED_MS = 2_000;

export async function requestCheckpoint(
  trx: Transaction,
  platform: Pick<Platform, "queue" | "clock">,
): Promise<void> {
  // With a key, concurrent completions would wait at the unique index.
  await platform.queue.enqueue(
    trx,
    CHECKPOINT_JOB,
    {},
    { startAfter: new Date(platform.clock().getTime() + SHARED_MS) },
  );
}

/**
 * Appends due leaves, then signs and time-stamps; null when nothing is new. A crash leaves the log
 * whole.
 * Errors: `TimestampUnavailableError`: the leaves stay, without a checkpoint.
 */
export async function makeCheckpoint(deps: TransparencyDeps): Promise<CheckpointRow | null> {
  const { db } = deps.platform;
  if (!(await hasNews(db))) return null;
  await appendDue(db);
  failPoint("leaves_appended");
  const made = await signLatest(deps);
  failPoint("checkpoint_committed");
  return made;
}

/** Each round is lost to another process's leaves. */
const MOST_ROUNDS = 20;

/** No transaction is open meanwhile: the lock stops every append. */
async function signLatest(deps: TransparencyDeps): Promise<CheckpointRow | null> {
  const { db } = deps.platform;
  for (let round = 1; round <= MOST_ROUNDS; round++) {
    const state = await readState(db);
    if (state === null) return null;
    const made = await signState(deps, state);
    const isCommitted = await inTransaction(db, (trx) => commitCheckpoint(trx, made));
    if (isCommitted) return made;
  }
  throw new Error("Each time a checkpoint was made, the log had grown");
}

async function readState(reader: Reader): Promise<State | null> {
  // Read in this order, as a log only grows.
  const [last, size] = [await selectLatestCheckpoint(reader), await countLeaves(reader)];
  if (size === (last?.size ?? 0)) return null;
  const [root] = await readRanges(reader, [{ start: 0, end: size }]);
  if (root === undefined) throw new Error("Expected the root of a log with leaves");
  return { size, root, last };
}

/** Commits only if it covers the whole log and follows the last one. */
async function commitCheckpoint(trx: Transaction, made: CheckpointRow): Promise<boolean> {
  await lockLog(trx);
  const [size, last] = [await countLeaves(trx), await selectLatestCheckpoint(trx)];
  if (size !== made.size || made.number !== (last?.number ?? 0) + 1) return false;
  await insertCheckpoint(trx, made);
  failPoint("checkpoint_written");
  return true;
}

type State = {
  readonly size: number;
  readonly root: Uint8Array;
  readonly last: CheckpointRow | null;
};

async function signState(
  { platform, trust }: TransparencyDeps,
  { size, root, last }: State,
): Promise<CheckpointRow> {
  // Another process may have replaced the seal.
  await trust.evidence();
  const at = platform.clock();
  const payload: CheckpointPayload = {
    log: platform.settings.publicUrl,
    size,
    root: toHex(root),
    at: at.toISOString(),
    previous: last === null ? null : { size: last.size, root: toHex(last.root) },
  };
  const signer = trust.seal;
  const signature = await signJws(signer, canonicalBytes(payload));
  const timestampDer = await trust.timestamp.timestamp(
    new Uint8Array(createHash("sha256").update(signature).digest()),
  );
  const { subjectPublicKey } = parseCertificate(signer.certificates[0] ?? new Uint8Array());
  const keyId = toHex(await keyIdentifier(subjectPublicKey));
  return { number: (last?.number ?? 0) + 1, size, root, at, keyId, signature, timestampDer };
}

export type TransparencyDeps = {
  readonly platform: Pick<
    Platform,
    "db" | "queue" | "clock" | "settings" | "secrets" | "newId" | "log"
  >;
  readonly trust: Pick<Trust, "evidence" | "seal" | "timestamp">;
};
