import type { BatchItemStatus, BatchPlacement } from "@paraphe/contracts";

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

export type BatchCounts = { readonly total: number; readonly done: number; readonly failed: number; readonly cancelled: number };
