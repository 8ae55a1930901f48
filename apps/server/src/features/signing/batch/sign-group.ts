import { type Problem, problem } from "@paraphe/contracts";
import { PadesError } from "@paraphe/pades/parts";
import type { Transaction } from "../../../platform/database/database.ts";
import { inTransaction } from "../../../platform/database/in-transaction.ts";
import { together } from "../../../platform/database/together.ts";
import { failPoint } from "../../../platform/fail-point.ts";
import { AlteredFileError, MissingFileError, StorageFullError } from "../../../platform/files/file-store.ts";
import { SandboxBusyError, SandboxLimitError } from "../../../platform/pdf-sandbox/pdf-sandbox.ts";
import { commitCompletedOwn, type CompletedDocument } from "../complete-own-document.ts";
import { UnsoundSignatureError } from "../seal/check-revision.ts";
import type { BatchDeps } from "./create-batches.ts";
import { SEATS } from "./domain/lanes.ts";
import { makeDocument } from "./make-document.ts";
import {
  type ClaimedItem,
  claimItems,
  completeItems,
  countFailedTry,
  failItem,
  holdQueued,
  releaseClaims,
  renewClaims,
  type RunningBatch,
} from "./run-store.ts";

/** What fails for no reason of the file's that is known is tried so often. */
const TRIES = 3;
/** A group begins no file after this: what is signed is seen, and a cancellation felt, within a quarter of a second, or one file. */
const BEGINNING_MS = 200;

export type GroupWork = { readonly batch: RunningBatch; readonly lane: number; readonly most: number };

type Signed = { readonly item: ClaimedItem; readonly completed: CompletedDocument };
type Refused = { readonly item: ClaimedItem; readonly problem: Problem };
type Fault = { readonly item: ClaimedItem; readonly error: Error };
/** What became of the files of a group that were begun; the others are as they were. */
type Made = { readonly signed: Signed[]; readonly refused: Refused[]; readonly faults: Fault[] };

/**
 * Signs the next files of a batch, `most` at most: everything that follows from them is committed together, or nothing is. Gives how many were taken,
 * 0 when no file waits. A file that cannot be signed fails alone.
 * Throws when signing cannot go on now, whatever the file (`TimestampUnavailableError`, database away): what was signed before is committed, the rest
 * stays in the line.
 */
export async function signNextGroup(deps: BatchDeps, work: GroupWork): Promise<number> {
  const written = await writeGroup(deps, work);
  if (written.failure === null) return written.taken.length;
  if (written.isCommitted || written.taken.length < 2) throw written.failure;
  // Nothing of it stands. Should one file be why, it must not keep the others: each is written alone.
  deps.platform.log.warn({ batch: work.batch.id, error: written.failure }, "a group of a batch was not written");
  const failures: Error[] = [];
  for (const id of written.taken) {
    const { failure } = await writeGroup(deps, { ...work, among: [id] });
    if (failure !== null) failures.push(failure);
  }
  const [first] = failures;
  if (first !== undefined) throw first;
  return written.taken.length;
}

/** `taken`: ids. `failure`: why signing cannot go on; null when it can. */
type Written = { readonly taken: readonly string[]; readonly isCommitted: boolean; readonly failure: Error | null };

async function writeGroup(deps: BatchDeps, work: GroupWork & { readonly among?: readonly string[] }): Promise<Written> {
  const { db } = deps.platform;
  const { batch, most, among } = work;
  let taken: readonly string[] = [];
  try {
    const items = await claimItems(db, { batchId: batch.id, most, ...(among === undefined ? {} : { among }) });
    taken = items.map(({ id }) => id);
    if (items.length === 0) return { taken, isCommitted: true, failure: null };
    const made = await whileClaimed(deps, taken, async () => {
      const group = await makeGroup(deps, { ...work, items });
      // Written in one go, it holds the processors for some milliseconds: not while somebody waits for an answer.
      await deps.pause.calm();
      return group;
    });
    const failure = await inTransaction(db, (trx) => commitGroup(trx, deps, { taken, made }));
    failPoint("group_committed");
    return { taken, isCommitted: true, failure };
  } catch (error) {
    // Where this cannot be said, they come back by themselves.
    await releaseClaims(db, taken).catch((unsaid: unknown) =>
      deps.platform.log.warn({ error: unsaid }, "files of a batch were not given back"),
    );
    return { taken, isCommitted: false, failure: errorOf(error) };
  }
}

/** Units: milliseconds. Twice in the time that a claim lasts. */
const RENEW_MS = 2_500;

/** Keeps files claimed while this work lasts: a time-stamping authority may be slow. */
async function whileClaimed<T>({ platform }: BatchDeps, ids: readonly string[], work: () => Promise<T>): Promise<T> {
  const renew = () =>
    void renewClaims(platform.db, ids).catch((error: unknown) => platform.log.warn({ error }, "files of a batch could not be kept"));
  const timer = setInterval(renew, RENEW_MS).unref();
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

type Group = GroupWork & { readonly items: readonly ClaimedItem[] };

/**
 * Writes what was made of a group's files, but for those that ended otherwise meanwhile, and gives the others back. Gives why signing cannot go on, or null.
 */
async function commitGroup(
  trx: Transaction,
  deps: BatchDeps,
  { taken, made }: { readonly taken: readonly string[]; readonly made: Made },
): Promise<Error | null> {
  const { platform, sealing } = deps;
  const queued = await holdQueued(trx, taken);
  const isQueued = ({ item }: { readonly item: ClaimedItem }) => queued.has(item.id);
  const signed = made.signed.filter(isQueued);
  const refused = made.refused.filter(isQueued);
  const failures: Error[] = [];
  for (const fault of made.faults.filter(isQueued)) {
    const refusal = await refusalOfTries(trx, deps, fault);
    if (refusal === null) failures.push(fault.error);
    else refused.push({ item: fault.item, problem: refusal });
  }
  const now = platform.clock();
  await together([
    commitCompletedOwn(
      trx,
      sealing,
      signed.map(({ item, completed }) => ({ actId: item.id, method: "bulk", completed })),
    ),
    completeItems(
      trx,
      signed.map(({ item, completed: { placed, sealed } }) => ({ id: item.id, envelopeId: placed.id, ...sealed.archive })),
      now,
    ),
    ...refused.map(({ item, problem }) => failItem(trx, { id: item.id, problem, now })),
    releaseClaims(trx, taken),
  ]);
  failPoint("group_written");
  return failures[0] ?? null;
}

/** Makes the documents of a group in their order, some at a time, until the group has lasted long enough or something is wrong that is no file's. */
async function makeGroup(deps: BatchDeps, { batch, lane, items }: Group): Promise<Made> {
  const made: Made = { signed: [], refused: [], faults: [] };
  const until = performance.now() + BEGINNING_MS;
  const waiting = [...items];
  const isHeld = () => deps.stop.asked || deps.cancelled.has(batch.id) || made.faults.length > 0;
  const mayBegin = () => !isHeld() && (waiting.length === items.length || performance.now() < until);
  const runSeat = async (seat: number): Promise<void> => {
    while (mayBegin()) {
      const item = waiting.shift();
      if (item === undefined) return;
      await make(deps, { work: { batch, seat: `${lane}:${seat}`, item }, made });
    }
  };
  await Promise.all(Array.from({ length: SEATS }, (_, seat) => runSeat(seat)));
  return made;
}

type Making = { readonly work: Parameters<typeof makeDocument>[1]; readonly made: Made };

async function make(deps: BatchDeps, { work, made }: Making): Promise<void> {
  const { item } = work;
  try {
    const document = await makeDocument(deps, work);
    if (document.ok) made.signed.push({ item, completed: document.value });
    else if (document.error.code === "service_unavailable") made.faults.push({ item, error: new SandboxBusyError() });
    else made.refused.push({ item, problem: document.error });
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === null) made.faults.push({ item, error: errorOf(error) });
    else {
      deps.platform.log.warn({ batch_item: item.id, error }, "a file of a batch was not signed");
      made.refused.push({ item, problem: refusal });
    }
  }
}

function errorOf(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error("Signing was interrupted", { cause: thrown });
}

/** Gives what an error says of the file, or of the place it would take; null for anything else. */
function refusalOf(error: unknown): Problem | null {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  for (const one of [error, cause]) {
    if (one instanceof StorageFullError) return problem("storage_full");
    if (one instanceof SandboxLimitError) return problem("pdf_too_complex");
    if (one instanceof MissingFileError || one instanceof AlteredFileError) return problem("stored_file_lost");
  }
  return null;
}

/** A fault that the file may have to do with: after some tries it is the file's. The try is counted with what the group has signed. */
async function refusalOfTries(trx: Transaction, { platform, signers }: BatchDeps, { item, error }: Fault): Promise<Problem | null> {
  if (!(error instanceof PadesError || error instanceof UnsoundSignatureError)) return null;
  // The signer may be what is wrong: another one is made.
  signers.clear();
  const tries = await countFailedTry(trx, item.id);
  if (tries < TRIES) return null;
  platform.log.warn({ batch_item: item.id, error }, "a file of a batch was not signed");
  return problem("document_not_signed");
}
