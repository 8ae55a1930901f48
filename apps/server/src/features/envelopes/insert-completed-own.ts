import type { Transaction } from "../../platform/database/database.ts";
import { together } from "../../platform/database/together.ts";
import type { Platform } from "../../platform/platform.ts";
import { insertCompletedDocuments } from "../documents/public.ts";
import type { PadesLevel } from "./domain/envelope.ts";
import type { OwnEnvelope } from "./insert-own-envelope.ts";
import { insertOwnSigners } from "./insert-own-rows.ts";
import { insertFieldRows } from "./store.ts";

/** An envelope whose one file is signed and proven already. `completed`: its last revision, in storage. */
export type CompletedOwn = Omit<OwnEnvelope, "prepared"> & {
  readonly completed: { readonly sha256: Uint8Array; readonly sizeBytes: number };
  readonly level: PadesLevel;
  readonly signedAt: Date;
};

/** Number of the revision that holds the signature of a document signed in one go: right after the original. */
export const OWN_SIGNED_REVISION = 1;

/**
 * Writes envelopes that their owner alone has signed, as completed. Its statements are sent before it returns: what refers to them may be begun with it,
 * after it, and one journey takes it all there.
 */
export async function insertCompletedOwn(trx: Transaction, platform: Platform, owns: readonly CompletedOwn[]): Promise<void> {
  await together([
    insertOwnSigners(
      trx,
      platform,
      owns.map((own) => ({ ...own, signed: { at: own.signedAt, level: own.level } })),
    ),
    insertCompletedDocuments(
      trx,
      platform,
      owns.map(({ id, documentId, document, copy, completed, recipientId }) => ({
        envelopeId: id,
        id: documentId,
        document,
        copy,
        completed: { ...completed, recipientId },
      })),
    ),
    insertFieldRows(
      trx,
      owns.map(({ id, fields }) => ({ envelopeId: id, fields, firstPosition: 1 })),
    ),
  ]);
}
