import { createHash } from "node:crypto";
import type { CheckpointPayload } from "@paraphe/contracts";
import { keyIdentifier, parseCertificate } from "@paraphe/pades/parts";
import canonicalize from "canonicalize";
import type { Reader, Transaction } from "../../../platform/database/database.ts";
import { inTransaction } from "../../../platform/database/in-transaction.ts";
import { failPoint } from "../../../platform/fail-point.ts";
import { signJws } from "../../trust/public.ts";
import { appendDue } from "./append-due.ts";
import { readRanges } from "./read-ranges.ts";
import { type CheckpointRow, countLeaves, hasNews, holdLog, insertCheckpoint, selectLatestCheckpoint } from "./store.ts";
import type { TransparencyDeps } from "./transparency-deps.ts";

/**
 * Appends what is due to the log, then signs and time-stamps its new state; null when nothing was written since the last one.
 * Killed anywhere, it leaves the log whole: leaves first, each batch with its nodes, and the checkpoint over them after; run again, it goes on.
 * Errors: `TimestampUnavailableError`: the leaves stay, in their order, and no checkpoint is made without its time-stamp.
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

/** Each round that is thrown away is another process's batch of leaves; whoever appended the last one has its checkpoint. */
const MOST_ROUNDS = 20;

/** The time-stamp is asked for in no transaction: its authority may be slow, and the log is held for everybody who appends to it. */
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
  await holdLog(trx);
  const [size, last] = [await countLeaves(trx), await selectLatestCheckpoint(trx)];
  if (size !== made.size || made.number !== (last?.number ?? 0) + 1) return false;
  await insertCheckpoint(trx, made);
  failPoint("checkpoint_written");
  return true;
}

type State = { readonly size: number; readonly root: Uint8Array; readonly last: CheckpointRow | null };

async function signState({ platform, trust }: TransparencyDeps, { size, root, last }: State): Promise<CheckpointRow> {
  // Another process may have replaced the seal since this one last looked: whoever asks for evidence has the living one.
  await trust.evidence();
  const at = platform.clock();
  const payload: CheckpointPayload = {
    log: platform.settings.publicUrl,
    size,
    root: hex(root),
    at: at.toISOString(),
    previous: last === null ? null : { size: last.size, root: hex(last.root) },
  };
  const signer = trust.seal;
  const signature = await signJws(signer, canonicalBytes(payload));
  const timestampDer = await trust.timestamp.timestamp(new Uint8Array(createHash("sha256").update(signature).digest()));
  const { subjectPublicKey } = parseCertificate(signer.certificates[0] ?? new Uint8Array());
  const keyId = hex(await keyIdentifier(subjectPublicKey));
  return { number: (last?.number ?? 0) + 1, size, root, at, keyId, signature, timestampDer };
}

function canonicalBytes(payload: CheckpointPayload): Uint8Array {
  const text = canonicalize(payload);
  if (text === undefined) throw new Error("A checkpoint has no canonical form");
  return new TextEncoder().encode(text);
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
