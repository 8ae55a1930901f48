import { sql } from "kysely";
import { isOfAnother } from "../store/check-revisions.ts";
import { type AuditOutcome, auditOutcome, type AuditPlatform } from "./audit-fault.ts";

const BATCH = 500;
const NOTHING = "00000000-0000-0000-0000-000000000000";

type SignedDocument = { readonly id: string; readonly envelopeId: string; readonly sha256: Uint8Array; readonly originalSize: number };

/** The signatures of every signed file were made for the envelope that its row names: a contract whose rows were moved under another envelope keeps its own name, whatever journal was written for it. */
export function checkSignedFiles({ db, files }: AuditPlatform): Promise<AuditOutcome> {
  return auditOutcome("Fichiers signés, de l’enveloppe qui les présente", async ({ checked, fault }) => {
    for (let after = NOTHING; ; ) {
      const { rows } = await sql<SignedDocument>`
        select d.id, d.envelope_id as "envelopeId", r.blob_sha256 as sha256, o.size::int as "originalSize" from documents d
        join envelopes e on e.id = d.envelope_id and e.purged_at is null
        join document_revisions r on r.document_id = d.id and r.number = d.current_revision
        join document_revisions o on o.document_id = d.id and o.number = 0
        where d.id > ${after}::uuid and exists (select from signatures s where s.document_id = d.id)
        order by d.id limit ${BATCH}`.execute(db);
      for (const { id, envelopeId, sha256, originalSize } of rows) {
        checked();
        // One that cannot be read is told as such, among the stored files.
        const bytes = await files.get(sha256).catch(() => null);
        if (bytes !== null && isOfAnother(bytes.subarray(originalSize), envelopeId))
          fault(`document ${id}`, "ses signatures ont été faites pour une autre enveloppe que celle qui le présente");
      }
      after = rows.at(-1)?.id ?? after;
      if (rows.length < BATCH) return;
    }
  });
}
