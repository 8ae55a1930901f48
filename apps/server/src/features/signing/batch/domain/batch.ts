import {
  type BatchItemStatus,
  type BatchPlacement,
  type BatchStatus,
  MAX_TITLE_LENGTH,
  type Problem,
  problemSentence,
  titleOfFile,
} from "@paraphe/contracts";

/** Who agreed, under the name and with the address of that moment, and whether it was confirmed (`recipient_key`). */
export type BatchSigner = {
  readonly full_name: string;
  readonly email: string;
  readonly email_key: string;
  readonly recipient_key: string | null;
};

/** Many documents of one person, signed at once with the same mark. */
export type Batch = {
  readonly id: string;
  readonly ownerId: string;
  readonly title: string | null;
  readonly signer: BatchSigner;
  readonly placement: BatchPlacement;
  readonly ifFixable: "accept" | "refuse";
  /** The moment of consent. */
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly cancelledAt: Date | null;
  readonly finishedAt: Date | null;
};

/** What is kept of a file's state; that it is being signed is not: its transaction alone knows, and dies with its process. */
export type StoredItemStatus = Exclude<BatchItemStatus, "running">;

/** One file of a batch. */
export type BatchItem = {
  readonly id: string;
  readonly position: number;
  readonly name: string;
  readonly status: StoredItemStatus;
  /** Why it failed, for a person. */
  readonly detail: string | null;
  readonly failureCode: string | null;
  readonly envelopeId: string | null;
  /** The signed file as it was when the batch made it. */
  readonly signed: { readonly sha256: Uint8Array; readonly sizeBytes: number } | null;
  readonly endedAt: Date | null;
};

export type BatchCounts = {
  readonly total: number;
  readonly done: number;
  readonly failed: number;
  readonly cancelled: number;
};

/** Groups of documents that one process signs at the same time. While one is written, the other goes on. */
export const LANES = 2;
/** Documents that one transaction writes at most: what it costs is shared by them. */
export const GROUP = 5;
/** Of a group, so many are made at the same time: while one is in the sandbox, the server works for another. */
export const SEATS = 2;

/**
 * Gives the state of a batch as its owner reads it. `done` counts successes; a batch that was cancelled stays so, whatever was signed before;
 * `partial`: some are signed, some are not.
 */
export function batchStatus(
  batch: Pick<Batch, "startedAt" | "cancelledAt" | "finishedAt">,
  counts: BatchCounts,
): BatchStatus {
  if (batch.finishedAt === null) return batch.startedAt === null ? "queued" : "running";
  if (batch.cancelledAt !== null && counts.cancelled > 0) return "cancelled";
  if (counts.done === counts.total) return "completed";
  return counts.done === 0 ? "failed" : "partial";
}

/**
 * Gives the states of a batch's files, in their order. Files are taken in their order, a group for each lane: of a batch at work, those are the first
 * that have not ended.
 */
export function shownStatuses(
  batch: Pick<Batch, "startedAt" | "finishedAt" | "cancelledAt">,
  stored: readonly StoredItemStatus[],
): readonly BatchItemStatus[] {
  let running = batch.startedAt !== null && batch.finishedAt === null ? LANES * GROUP : 0;
  return stored.map((status) => {
    if (status !== "queued" || running === 0) return status;
    running -= 1;
    return "running";
  });
}

/** Gives the title of one document's envelope: the file's name, after the batch's own title if it has one. */
export function envelopeTitle(batchTitle: string | null, fileName: string): string {
  const stem = titleOfFile(fileName);
  const title = batchTitle === null ? stem : `${batchTitle} – ${stem}`;
  return Array.from(title).slice(0, MAX_TITLE_LENGTH).join("").trim();
}

/** Gives why one file failed: what is wrong with a field says more than that one is wrong. */
export function failureDetail(problem: Problem): string {
  const [message] = problem.code === "validation" ? Object.values(problem.errors ?? {}).flat() : [];
  return message ?? problemSentence(problem);
}
