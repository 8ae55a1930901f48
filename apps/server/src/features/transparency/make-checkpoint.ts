import { createHash } from "node:crypto";
import type { CheckpointPayload } from "@paraphe/contracts";
import { keyIdentifier, parseCertificate } from "@paraphe/pades";
import canonicalize from "canonicalize";
import type { Transaction } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import { failPoint } from "../../platform/fail-point.ts";
import { signJws } from "../trust/index.ts";
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
  const made = await inTransaction(db, (trx) => checkpointOf(trx, deps));
  failPoint("checkpoint_committed");
  return made;
}

async function checkpointOf(trx: Transaction, deps: TransparencyDeps): Promise<CheckpointRow | null> {
  await holdLog(trx);
  const [size, last] = [await countLeaves(trx), await selectLatestCheckpoint(trx)];
  if (size === (last?.size ?? 0)) return null;
  const [root] = await readRanges(trx, [{ start: 0, end: size }]);
  if (root === undefined) throw new Error("Expected the root of a log with leaves");
  const made = await signState(deps, { size, root, last });
  await insertCheckpoint(trx, made);
  failPoint("checkpoint_written");
  return made;
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
