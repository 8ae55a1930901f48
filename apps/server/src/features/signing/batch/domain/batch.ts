import {
  type BatchItemStatus,
  type BatchPlacement,
  type BatchStatus,
  MAX_TITLE_LENGTH,
  type Problem,
  problemSentence,
  titleOfFile,
} from "@paraphe/contracts";

/** The signer as at the consent; `recipient_key` is null while the address is unconfirmed. */
export type BatchSigner = {
  readonly full_name: string;
  readonly email: string;
  readonly email_key: string;
  readonly recipient_key: string | null;
  readonly means?: string;
  readonly confirmed_by?: string;
  /** What the session's provider said at the consent. */
  readonly provider?: {
    readonly issuer: string;
    readonly givenName: string | null;
    readonly familyName: string | null;
    readonly email: string | null;
    readonly siret: string | null;
  };
};

export type Batch = {
  readonly id: string;
  readonly ownerId: string;
  readonly title: string | null;
  readonly signer: BatchSigner;
  readonly placement: BatchPlacement;
  readonly ifFixable: "accept" | "refuse";
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly cancelledAt: Date | null;
  readonly finishedAt: Date | null;
};

/** `running` is not stored: a lost process could not take it back. */
export type StoredItemStatus = Exclude<BatchItemStatus, "running">;

export type BatchItem = {
  readonly id: string;
  readonly position: number;
  readonly name: string;
  readonly status: StoredItemStatus;
  readonly detail: string | null;
  readonly failureCode: string | null;
  readonly envelopeId: string | null;
  readonly signed: { readonly sha256: Uint8Array; readonly sizeBytes: number } | null;
  readonly endedAt: Date | null;
};

export type BatchCounts = {
  readonly total: number;
  readonly done: number;
  readonly failed: number;
  readonly cancelled: number;
};

/** Groups made at once: one signs while another is written. */
export const LANES = 2;
export const GROUP = 5;
/** Files made at once in a group: one in the sandbox, one in the server. */
export const SEATS = 2;

/** `cancelled` is final; `partial` means that some failed. */
export function batchStatus(
  batch: Pick<Batch, "startedAt" | "cancelledAt" | "finishedAt">,
  counts: BatchCounts,
): BatchStatus {
  if (batch.finishedAt === null) return batch.startedAt === null ? "queued" : "running";
  if (batch.cancelledAt !== null && counts.cancelled > 0) return "cancelled";
  if (counts.done === counts.total) return "completed";
  return counts.done === 0 ? "failed" : "partial";
}

/** The stored order shows which run: the first files not ended, a group per lane. */
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

export function envelopeTitle(batchTitle: string | null, fileName: string): string {
  const stem = titleOfFile(fileName);
  const title = batchTitle === null ? stem : `${batchTitle} – ${stem}`;
  return Array.from(title).slice(0, MAX_TITLE_LENGTH).join("").trim();
}

/** The message of a field is more precise. */
export function failureDetail(problem: Problem): string {
  const [message] = problem.code === "validation" ? Object.values(problem.errors ?? {}).flat() : [];
  return message ?? problemSentence(problem);
}
