import type { Transaction } from "../../platform/database/database.ts";
import { together } from "../../platform/database/together.ts";
import type { Platform } from "../../platform/platform.ts";
import { addRevision, type PreparedDocument } from "../documents/public.ts";
import type { NewAuditEvent } from "../journal/public.ts";
import { auditActor } from "./audit-actor.ts";
import { committedOwnParts } from "./committed-parts.ts";
import type { EnvelopeField } from "./domain/envelope.ts";
import { insertOwnDocument, insertOwnRows, type OwnParts } from "./insert-own-rows.ts";
import { insertFieldRows } from "./store.ts";

/** An envelope that its owner alone signs, ready to be: its one file controlled, prepared and in storage. */
export type OwnEnvelope = OwnParts & {
  readonly prepared: PreparedDocument;
  readonly fields: readonly EnvelopeField[];
};

/**
 * Writes an envelope open for its owner's own signature: nobody is asked, nothing is sent, and it is in no list of what waits for somebody.
 * The caller commits the owner's consent in the same transaction, and appends the event given back before the consent's own.
 */
export async function insertOwnEnvelope(trx: Transaction, platform: Platform, own: OwnEnvelope): Promise<NewAuditEvent> {
  const { id, actor, document, copy, prepared } = own;
  await insertOwnRows(trx, platform, [own]);
  await together([
    insertOwnDocument(trx, platform, own),
    insertFieldRows(trx, [{ envelopeId: id, fields: own.fields, firstPosition: 1 }]),
    addRevision(trx, platform, {
      documentId: own.documentId,
      previousNumber: 0,
      kind: "prepared",
      sha256: prepared.sha256,
      sizeBytes: prepared.bytes.length,
      bytes: prepared.bytes,
      recipientId: null,
    }),
  ]);
  const hashes = [document.sha256, ...(copy === null ? [] : [copy.sha256]), prepared.sha256];
  const parts = committedOwnParts(own);
  return {
    envelopeId: id,
    action: "envelope_created",
    actor: auditActor(actor),
    detail: {
      documents: hashes.map((sha256) => Buffer.from(sha256).toString("hex")),
      recipients: 1,
      fields: own.fields.length,
      ...parts.detail,
    },
    personal: parts.personal,
  };
}
