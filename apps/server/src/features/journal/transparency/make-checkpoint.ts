import { createHash } from "node:crypto";
import type { CheckpointPayload } from "@paraphe/contracts";
import { toHex } from "@paraphe/kernel/bytes";
import { canonicalBytes } from "@paraphe/kernel/canonical-json";
import { keyIdentifier, parseCertificate } from "@paraphe/pades/parts";
import type { Database, Reader, Transaction } from "../../../platform/database/database.ts";
import { inTransaction } from "../../../platform/database/in-transaction.ts";
import { failPoint } from "../../../platform/fail-point.ts";
import type { Platform } from "../../../platform/platform.ts";
import { signJws } from "../../trust/public.ts";
import { readRanges } from "./read-inclusion.ts";
import {
  type CheckpointRow,
  countLeaves,
  type DueRow,
  hasNews,
  lockLog,
  insertCheckpoint,
  insertLeaves,
  selectDue,
  selectLatestCheckpoint,
  strikeDue,
} from "./store.ts";
import type { TransparencyDeps } from "./transparency-deps.ts";

/** Heads taken in one transaction. */
const BATCH = 5_000;

/**
 * Appends a leaf for the head of each journal that has grown, in the order in which they did; all
 * of those committed by now. The database builds the tree above.
 */
async function appendDue(db: Database): Promise<void> {
  for (let last: number | null = 0; last !== null; ) {
    const after: number = last;
    last = await inTransaction(db, (trx) => appendBatch(trx, after));
  }
}

/** Appends one batch. Gives the number of its last head, or null when it was the last batch. */
async function appendBatch(trx: Transaction, after: number): Promise<number | null> {
  await lockLog(trx);
  const listed = await selectDue(trx, { after, limit: BATCH });
  // Somebody with the database in hand may have listed heads of no event.
  const due = listed.filter(({ isEvent }) => isEvent);
  // Of a journal that grew several times, its head alone: it stands for what came before.
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
/** What ends within these moments shares one checkpoint: one signature, one time-stamp. */
const SHARED_MS = 2_000;

/**
 * Asks, in the transaction that completes an envelope, for a checkpoint that covers it once it is
 * committed.
 */
export async function requestCheckpoint(
  trx: Transaction,
  platform: Pick<Platform, "queue" | "clock">,
): Promise<void> {
  // No key: two completions at once would wait for one another's commit at the queue's unique
  // index.
  await platform.queue.enqueue(
    trx,
    CHECKPOINT_JOB,
    {},
    { startAfter: new Date(platform.clock().getTime() + SHARED_MS) },
  );
}

/**
 * Appends what is due to the log, then signs and time-stamps its new state; null when nothing was
 * written since the last one.
 * Killed anywhere, it leaves the log whole: leaves first, each batch with its nodes, and the
 * checkpoint over them after; run again, it goes on.
 * Errors: `TimestampUnavailableError`: the leaves stay, in their order, and no checkpoint is made
 * without its time-stamp.
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

/**
 * Each round that is thrown away is another process's batch of leaves; whoever appended the last
 * one has its checkpoint.
 */
const MOST_ROUNDS = 20;

/**
 * The time-stamp is asked for in no transaction: its authority may be slow, and the log is held for
 * everybody who appends to it.
 */
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

/** Gives what the next checkpoint states; null when the last one covers the log. */
async function readState(reader: Reader): Promise<State | null> {
  // In this order: a log only grows.
  const [last, size] = [await selectLatestCheckpoint(reader), await countLeaves(reader)];
  if (size === (last?.size ?? 0)) return null;
  const [root] = await readRanges(reader, [{ start: 0, end: size }]);
  if (root === undefined) throw new Error("Expected the root of a log with leaves");
  return { size, root, last };
}

/** Writes a checkpoint if it is of the whole log, after the last one; gives false otherwise. */
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
  // Another process may have replaced the seal since this one last looked: whoever asks for
  // evidence has the living one.
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
