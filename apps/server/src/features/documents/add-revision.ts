import type { Transaction } from "../../platform/database/database.ts";
import { together } from "../../platform/database/together.ts";
import type { Platform } from "../../platform/platform.ts";
import type { RevisionKind } from "./domain/document.ts";
import { holdBytes } from "./hold-bytes.ts";
import { lockBlobs, moveToRevision } from "./store.ts";

export type NewRevision = {
  readonly documentId: string;
  /** The revision these bytes were made from. */
  readonly previousNumber: number;
  readonly kind: Exclude<RevisionKind, "original">;
  /** Already in storage. With `bytes`, it is stored again should a sweep have taken it since: bytes that may have been stored before need it. */
  readonly sha256: Uint8Array;
  readonly sizeBytes: number;
  readonly bytes?: Uint8Array;
  /** Who signed it; null when nobody did. */
  readonly recipientId: string | null;
};

/** The bytes were made from a revision that is not the current one any more: they must be made again. */
export class StaleRevisionError extends Error {
  override readonly name = "StaleRevisionError";
}

/**
 * Makes stored bytes the document's current revision; gives its number. Throws `StaleRevisionError` when another revision came in between.
 * Without `bytes` its statements are sent before it returns: revisions of one document may be begun together, in their order.
 */
export async function addRevision(trx: Transaction, platform: Pick<Platform, "clock" | "files">, revision: NewRevision): Promise<number> {
  const number = revision.previousNumber + 1;
  const row = { ...revision, number, createdAt: platform.clock() };
  if (revision.bytes !== undefined) await holdBytes(trx, platform, [{ bytes: revision.bytes, sha256: revision.sha256 }]);
  const locked = revision.bytes === undefined ? lockBlobs(trx, [revision.sha256], "share") : Promise.resolve();
  const [, moved] = await together([locked, moveToRevision(trx, row)]);
  if (!moved) throw new StaleRevisionError(`The document is not at revision ${revision.previousNumber} any more`);
  return number;
}
