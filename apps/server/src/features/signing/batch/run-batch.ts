import {
  inParallel,
  inTransaction,
  writeTogether,
} from "../../../platform/database/in-transaction.ts";
import { type Problem, problem, type Result } from "@paraphe/contracts";
import { PadesError } from "@paraphe/pades/parts";
import type { Transaction } from "../../../platform/database/database.ts";
import { failPoint } from "../../../platform/fail-point.ts";
import {
  AlteredFileError,
  MissingFileError,
  StorageFullError,
} from "../../../platform/files/file-store.ts";
import { SandboxBusyError, SandboxLimitError } from "../../../platform/pdf-sandbox/pdf-sandbox.ts";
import type { Platform } from "../../../platform/platform.ts";
import { loadMember } from "../../accounts/public.ts";
import { enqueueNotices, noticesForMember } from "../../notices/public.ts";
import type { IssuedSigner } from "../../trust/public.ts";
import type { MarkEvidence } from "../marks/saved-signatures.ts";
import { storedMarkSchema } from "../seal/store.ts";
import { certifiedAccountEmail } from "../seal/seal-act.ts";
import { UnsoundSignatureError } from "../seal/archive-revision.ts";
import type { SealingDeps } from "../seal/create-sealing.ts";
import { type OwnDocument, placeOwnDocument } from "../place-own-document.ts";
import {
  commitCompletedOwn,
  type CompletedDocument,
  completeOwnDocument,
} from "../sign-own-document.ts";
import type { BatchDeps } from "./create-batches.ts";
import { envelopeTitle, GROUP, LANES, SEATS } from "./domain/batch.ts";
import {
  beginBatch,
  cancelQueued,
  type ClaimedItem,
  claimItems,
  completeItems,
  countFailedTry,
  type EndedBatch,
  failItem,
  finishBatch,
  lockQueued,
  isCancelled,
  releaseClaims,
  renewClaims,
  type RunningBatch,
} from "./store.ts";

/**
 * A batch has one signer per process (signatures §2). Its certificate is recorded before it signs;
 * each signature has a fresh OCSP answer.
 */
function signerOf(deps: BatchDeps, batch: RunningBatch): Promise<IssuedSigner> {
  const known = deps.signers.get(batch.id);
  if (known !== undefined) return known;
  const made = makeSigner(deps, batch);
  deps.signers.set(batch.id, made);
  made.catch(() => deps.signers.delete(batch.id));
  return made;
}

async function makeSigner(
  { platform, sealing }: BatchDeps,
  { signer }: RunningBatch,
): Promise<IssuedSigner> {
  const { trust } = sealing;
  const issued = await trust.issueSigner({
    fullName: signer.full_name,
    email: certifiedAccountEmail(signer),
    isVouched: signer.provider !== undefined,
    now: platform.clock(),
  });
  await platform.db.transaction().execute((trx) => writeTogether(trx, [issued.recording]));
  return {
    ...issued,
    recording: null,
    async attest() {
      const answer = await trust.ocsp(issued.certificateDer);
      if (answer === null) throw new Error("Nobody answers for a certificate made by this service");
      return answer;
    },
  };
}

/** `seat` runs one sandbox task at a time. */
type ItemWork = { readonly batch: RunningBatch; readonly seat: string; readonly item: ClaimedItem };

/**
 * Stores validated bytes, writes no row.
 * Errors: those of `placeOwnDocument` and `completeOwnDocument`.
 */
async function makeDocument(
  deps: BatchDeps,
  { batch, seat, item }: ItemWork,
): Promise<Result<CompletedDocument>> {
  const sealing = ofSeat(deps, seat);
  const bytes = await deps.platform.files.get(item.sourceSha256);
  const placed = await placeOwnDocument(sealing.platform, {
    actor: {
      user: { id: batch.ownerId, role: null, teams: [], ...batch.signer },
      client: batch.client,
    },
    file: { name: item.name, bytes },
    title: envelopeTitle(batch.title, item.name),
    placement: item.placement ?? batch.placement,
    ifFixable: ifFixable(batch, item),
  });
  if (!placed.ok) return placed;
  const issued = await signerOf(deps, batch);
  const mark = storedMarkSchema.parse(batch.mark);
  const evidence = { ...(batch.evidence as MarkEvidence), batch: batch.id };
  const agreed = { consentedAt: batch.createdAt, copyAcceptedAt: item.copyAcceptedAt };
  return completeOwnDocument(sealing, { placed: placed.value, mark, evidence, agreed, issued });
}

/** Its owner consented without seeing the file: a copy that looks different waits. */
function ifFixable(
  batch: RunningBatch,
  { copyAcceptedAt, copyMayDiffer }: ClaimedItem,
): OwnDocument["ifFixable"] {
  if (copyMayDiffer) return "accept";
  return batch.ifFixable === "accept" || copyAcceptedAt !== null ? "accept_alike" : "refuse";
}

/** The work yields to requests and runs one sandbox task at a time. */
function ofSeat({ sealing, pause }: BatchDeps, seat: string): SealingDeps {
  const { sandbox } = sealing.platform;
  const calls = sandbox.askedBy({ key: `batch:${seat}`, haste: "patient", background: true });
  const call: typeof calls.call = ((task: never, ...args: never) =>
    pause.calm().then(() => calls.call(task, ...args))) as never;
  return { ...sealing, platform: { ...sealing.platform, sandbox: { ...sandbox, call } } };
}

/** After this many tries an unexplained fault is the file's own. */
const TRIES = 3;
/** After this long a group begins no file, so that progress and cancellation show. */
const BEGINNING_MS = 200;

type GroupWork = { readonly batch: RunningBatch; readonly lane: number; readonly most: number };

type Signed = { readonly item: ClaimedItem; readonly completed: CompletedDocument };
type Refused = { readonly item: ClaimedItem; readonly problem: Problem };
type Fault = { readonly item: ClaimedItem; readonly error: Error };
/** Files not begun are in none of these. */
type Made = { readonly signed: Signed[]; readonly refused: Refused[]; readonly faults: Fault[] };

/**
 * Signs `most` files at most in one transaction and gives their number. A file that cannot be
 * signed fails alone.
 * Throws when signing cannot go on (`TimestampUnavailableError`, database away); earlier files stay
 * committed.
 */
async function signNextGroup(deps: BatchDeps, work: GroupWork): Promise<number> {
  const written = await writeGroup(deps, work);
  if (written.failure === null) return written.taken.length;
  if (written.isCommitted || written.taken.length < 2) throw written.failure;
  // The group was rolled back: each file is committed alone, in case one is the cause.
  deps.platform.log.warn(
    { batch: work.batch.id, error: written.failure },
    "a group of a batch was not written",
  );
  const failures: Error[] = [];
  for (const id of written.taken) {
    const { failure } = await writeGroup(deps, { ...work, among: [id] });
    if (failure !== null) failures.push(failure);
  }
  const [first] = failures;
  if (first !== undefined) throw first;
  return written.taken.length;
}

/** `failure` says why signing cannot go on, or is null. */
type Written = {
  readonly taken: readonly string[];
  readonly isCommitted: boolean;
  readonly failure: Error | null;
};

async function writeGroup(
  deps: BatchDeps,
  work: GroupWork & { readonly among?: readonly string[] },
): Promise<Written> {
  const { db } = deps.platform;
  const { batch, most, among } = work;
  let taken: readonly string[] = [];
  try {
    const items = await claimItems(db, {
      batchId: batch.id,
      most,
      ...(among === undefined ? {} : { among }),
    });
    taken = items.map(({ id }) => id);
    if (items.length === 0) return { taken, isCommitted: true, failure: null };
    const made = await whileClaimed(deps, taken, async () => {
      const group = await makeGroup(deps, { ...work, items });
      // The group's work blocks the event loop for milliseconds.
      await deps.pause.calm();
      return group;
    });
    const failure = await inTransaction(db, (trx) => commitGroup(trx, deps, { taken, made }));
    failPoint("group_committed");
    return { taken, isCommitted: true, failure };
  } catch (error) {
    await releaseClaims(db, taken).catch((unsaid: unknown) =>
      deps.platform.log.warn({ error: unsaid }, "files of a batch were not given back"),
    );
    return { taken, isCommitted: false, failure: errorOf(error) };
  }
}

/** Milliseconds: half the life of a claim. */
const RENEW_MS = 2_500;

/** Renews the claims, as a time-stamping authority may be slow. */
async function whileClaimed<T>(
  { platform }: BatchDeps,
  ids: readonly string[],
  work: () => Promise<T>,
): Promise<T> {
  const renew = () =>
    void renewClaims(platform.db, ids).catch((error: unknown) =>
      platform.log.warn({ error }, "files of a batch could not be kept"),
    );
  const timer = setInterval(renew, RENEW_MS).unref();
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

type Group = GroupWork & { readonly items: readonly ClaimedItem[] };

/** Releases the other files; says why signing cannot go on, or gives null. */
async function commitGroup(
  trx: Transaction,
  deps: BatchDeps,
  { taken, made }: { readonly taken: readonly string[]; readonly made: Made },
): Promise<Error | null> {
  const { platform, sealing } = deps;
  const queued = await lockQueued(trx, taken);
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
  await inParallel([
    commitCompletedOwn(
      trx,
      sealing,
      signed.map(({ item, completed }) => ({ actId: item.id, method: "bulk", completed })),
    ),
    completeItems(
      trx,
      signed.map(({ item, completed: { placed, sealed } }) => ({
        id: item.id,
        envelopeId: placed.id,
        ...sealed.archive,
      })),
      now,
    ),
    ...refused.map(({ item, problem }) => failItem(trx, { id: item.id, problem, now })),
    releaseClaims(trx, taken),
  ]);
  failPoint("group_written");
  return failures[0] ?? null;
}

/** Makes files in order until the time is over, or a fault is not a file's. */
async function makeGroup(deps: BatchDeps, { batch, lane, items }: Group): Promise<Made> {
  const made: Made = { signed: [], refused: [], faults: [] };
  const until = performance.now() + BEGINNING_MS;
  const waiting = [...items];
  const isHeld = () => deps.stop.asked || deps.cancelled.has(batch.id) || made.faults.length > 0;
  const mayBegin = () =>
    !isHeld() && (waiting.length === items.length || performance.now() < until);
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
    else if (document.error.code === "service_unavailable")
      made.faults.push({ item, error: new SandboxBusyError() });
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

/** Gives null for an error that is not the file's. */
function refusalOf(error: unknown): Problem | null {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  for (const one of [error, cause]) {
    if (one instanceof StorageFullError) return problem("storage_full");
    if (one instanceof SandboxLimitError) return problem("pdf_too_complex");
    if (one instanceof MissingFileError || one instanceof AlteredFileError)
      return problem("stored_file_lost");
  }
  return null;
}

/** The try is counted in the group's commit. */
async function refusalOfTries(
  trx: Transaction,
  { platform, signers }: BatchDeps,
  { item, error }: Fault,
): Promise<Problem | null> {
  if (!(error instanceof PadesError || error instanceof UnsoundSignatureError)) return null;
  // A revoked or expired signer may be the cause.
  signers.clear();
  const tries = await countFailedTry(trx, item.id);
  if (tries < TRIES) return null;
  platform.log.warn({ batch_item: item.id, error }, "a file of a batch was not signed");
  return problem("document_not_signed");
}

async function endBatch(trx: Transaction, platform: Platform, batchId: string): Promise<boolean> {
  const ended = await finishBatch(trx, batchId, platform.clock());
  if (ended === null) return false;
  if (ended.cancelledAt === null) await notifyOwner(trx, platform, ended);
  return true;
}

async function notifyOwner(
  trx: Transaction,
  platform: Platform,
  { id, ownerId, title, finishedAt, counts }: EndedBatch,
): Promise<void> {
  const member = await loadMember(trx, ownerId);
  if (member === null) return;
  const endedAt = finishedAt.toISOString();
  const notice = {
    kind: "batch_ended",
    dedupeKey: `batch_ended:${id}:${endedAt}`,
    content: {
      batchTitle: title,
      total: counts.total,
      done: counts.done,
      failed: counts.failed,
      endedAt,
      link: `${platform.settings.publicUrl}/signature/bulk-same?lot=${id}`,
    },
  } as const;
  await enqueueNotices(trx, platform, await noticesForMember(trx, platform, { member, notice }));
}

/** Files of a batch that run before another batch has its turn. */
const SLICE = 100;

/** `more`: files are queued; `later`: other processes sign the rest; `ended`: none is left. */
type RunOutcome = "more" | "later" | "ended";

/**
 * Several processes may run a batch: each file is claimed. Throws when signing cannot go on; signed
 * files stay.
 */
export async function runBatch(deps: BatchDeps, batchId: string): Promise<RunOutcome> {
  const { platform } = deps;
  const batch = await beginBatch(platform.db, batchId, platform.clock());
  if (batch === null) return ended(deps, batchId);
  // The batch was retried after its cancellation.
  if (batch.cancelledAt === null) deps.cancelled.delete(batchId);
  const isOver = await runSlice(deps, batch);
  if (!isOver) return "more";
  if (await isCancelled(platform.db, batchId)) {
    // A file that fails after a cancellation must not be queued.
    await inTransaction(platform.db, (trx) => cancelQueued(trx, batchId, platform.clock()));
  }
  const hasEnded = await inTransaction(platform.db, (trx) => endBatch(trx, platform, batchId));
  return hasEnded ? ended(deps, batchId) : "later";
}

function ended({ signers, cancelled }: BatchDeps, batchId: string): "ended" {
  signers.delete(batchId);
  cancelled.delete(batchId);
  return "ended";
}

/** Gives true when no file is left to claim. A lane that fails lets the others complete. */
async function runSlice(deps: BatchDeps, batch: RunningBatch): Promise<boolean> {
  let taken = 0;
  let isBroken = false;
  const runLane = async (lane: number): Promise<boolean> => {
    while (taken < SLICE && !isBroken && !deps.stop.asked) {
      const most = Math.min(GROUP, SLICE - taken);
      taken += most;
      try {
        if ((await signNextGroup(deps, { batch, lane, most })) === 0) return true;
      } catch (error) {
        isBroken = true;
        throw error;
      }
    }
    return false;
  };
  const lanes = await Promise.allSettled(Array.from({ length: LANES }, (_, lane) => runLane(lane)));
  for (const lane of lanes) if (lane.status === "rejected") throw lane.reason;
  return lanes.every((lane) => lane.status === "fulfilled" && lane.value);
}
