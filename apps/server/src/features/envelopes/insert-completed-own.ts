import type { Transaction } from "../../platform/database/database.ts";
import { together } from "../../platform/database/together.ts";
import type { Platform } from "../../platform/platform.ts";
import { addRevision } from "../documents/index.ts";
import type { PadesLevel } from "./domain/envelope.ts";
import type { OwnEnvelope } from "./insert-own-envelope.ts";
import { insertOwnRows } from "./insert-own-rows.ts";
import { insertFieldRows } from "./store.ts";

/** An envelope whose one file is signed and proven already. `completed`: its last revision, in storage. */
export type CompletedOwn = Omit<OwnEnvelope, "prepared"> & {
  readonly completed: { readonly sha256: Uint8Array; readonly sizeBytes: number };
  readonly level: PadesLevel;
  readonly signedAt: Date;
};

/** Number of the revision that holds the signature of a document signed in one go: right after the original. */
export const OWN_SIGNED_REVISION = 1;

/** Writes an envelope that its owner alone has signed, as completed; the caller writes the act and the journal in the same transaction. */
export async function insertCompletedOwn(trx: Transaction, platform: Platform, own: CompletedOwn): Promise<void> {
  const { id, documentId, completed, level, signedAt } = own;
  await insertOwnRows(trx, platform, { ...own, signed: { at: signedAt, level } });
  await together([
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
