import type { Transaction } from "../../platform/database/database.ts";
import { together } from "../../platform/database/together.ts";
import type { Platform } from "../../platform/platform.ts";
import { addRevision } from "../documents/index.ts";
import type { PadesLevel } from "./domain/envelope.ts";
import type { OwnEnvelope } from "./insert-own-envelope.ts";
import { insertOwnDocument, insertOwnRows } from "./insert-own-rows.ts";
import { insertFieldRows } from "./store.ts";

/** An envelope whose one file is signed and proven already. `completed`: its last revision, in storage. */
export type CompletedOwn = Omit<OwnEnvelope, "prepared"> & {
  readonly completed: { readonly sha256: Uint8Array; readonly sizeBytes: number };
  readonly level: PadesLevel;
  readonly signedAt: Date;
};

/** Number of the revision that holds the signature of a document signed in one go: right after the original. */
export const OWN_SIGNED_REVISION = 1;

/** Begins to write an envelope that its owner alone has signed, as completed; `insertCompletedOwn` goes on once this has ended. */
export function beginCompletedOwn(trx: Transaction, platform: Platform, own: CompletedOwn): Promise<void> {
  return insertOwnRows(trx, platform, { ...own, signed: { at: own.signedAt, level: own.level } });
}

/**
 * Writes what is in it. Its statements are sent before it returns: the caller begins with it, after it, the act and the journal, which one journey
 * takes there.
 */
export async function insertCompletedOwn(trx: Transaction, platform: Platform, own: CompletedOwn): Promise<void> {
  const { id, documentId, completed } = own;
  await together([
    insertOwnDocument(trx, platform, own),
    insertFieldRows(trx, id, { fields: own.fields, firstPosition: 1 }),
    addRevision(trx, platform, {
      documentId,
      previousNumber: 0,
      kind: "completed",
      ...completed,
      recipientId: own.recipientId,
    }),
  ]);
}
