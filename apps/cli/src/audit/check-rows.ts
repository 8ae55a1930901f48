import { type FactEvent, readJournal } from "@paraphe/proof/parts";
import { sql } from "kysely";
import { type AuditOutcome, auditOutcome, type AuditPlatform } from "./audit-fault.ts";
import { compareRows, type EnvelopeRows } from "./compare-rows.ts";

const BATCH = 100;
const START = "00000000-0000-0000-0000-000000000000";

/** Rows and journal in one snapshot: a running service writes between two reads. */
type Row = EnvelopeRows & { readonly id: string; readonly events: readonly FactEvent[] };

/**
 * Compares every envelope's rows with its journal. Proofs use the journal alone: a difference here
 * means that somebody wrote in the tables.
 */
export function checkRows({ db }: Pick<AuditPlatform, "db">): Promise<AuditOutcome> {
  return auditOutcome("Lignes des enveloppes, face à leur historique", async (notes) => {
    for (let after = START; ; ) {
      const rows = await readAfter(db, after);
      notes.checked(rows.length);
      for (const { id, events, ...row } of rows)
        for (const what of compareRows(readJournal(events), row))
          notes.fault(`enveloppe ${id}`, what);
      after = rows.at(-1)?.id ?? after;
      if (rows.length < BATCH) return;
    }
  });
}

const instant = (column: string) =>
  sql`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

async function readAfter(db: AuditPlatform["db"], after: string): Promise<readonly Row[]> {
  const { rows } = await sql<Row>`
    select e.id, json_build_object('status', e.status, 'title', e.title, 'createdBy', e.created_by_name,
        'proofOnly', e.proof_only, 'createdAt', ${instant("e.created_at")}, 'sentAt', ${instant("e.sent_at")},
        'completedAt', ${instant("e.completed_at")}, 'cancelledAt', ${instant("e.cancelled_at")},
        'deadlineAt', ${instant("e.deadline_at")}, 'purgedAt', ${instant("e.purged_at")}) as envelope,
      (select coalesce(json_agg(json_build_object('id', r.id, 'role', r.role, 'name', r.full_name, 'email', r.email,
          'phone', r.phone_number, 'status', r.status, 'viewedAt', ${instant("r.viewed_at")}, 'signedAt', ${instant("r.signed_at")},
          'declinedAt', ${instant("r.declined_at")}, 'declineReason', r.decline_reason)), '[]')
        from recipients r where r.envelope_id = e.id) as recipients,
      (select coalesce(json_agg(json_build_object('id', d.id, 'name', d.name, 'uploaded', encode(d.uploaded_sha256, 'hex'),
          'original', encode(o.blob_sha256, 'hex'), 'current', encode(c.blob_sha256, 'hex')) order by d.position), '[]')
        from documents d left join document_revisions o on o.document_id = d.id and o.number = 0
          left join document_revisions c on c.document_id = d.id and c.number = d.current_revision
        where d.envelope_id = e.id) as documents,
      (select coalesce(json_agg(json_build_object('document', s.document_id, 'recipient', s.recipient_id, 'serial', s.serial_number,
          'name', s.signer_name, 'signedAt', ${instant("s.signed_at")})), '[]')
        from signatures s where s.envelope_id = e.id) as signatures,
      (select coalesce(json_agg(json_build_object('recipient', a.recipient_id, 'method', a.method, 'version', a.consent_version,
          'documentsSha256', encode(a.documents_sha256, 'hex'), 'ip', a.ip_address, 'userAgent', a.user_agent,
          'signedAt', ${instant("a.signed_at")}, 'sealedAt', ${instant("a.sealed_at")})), '[]')
        from signing_acts a where a.envelope_id = e.id) as acts,
      (select coalesce(json_agg(json_build_object('id', p.id, 'qrType', p.qr_type, 'createdAt', ${instant("p.created_at")})), '[]')
        from prints p where p.envelope_id = e.id) as prints,
      (select coalesce(json_agg(json_build_object('sequence', v.sequence, 'at', ${instant("v.at")}, 'actor', v.actor,
          'action', v.action, 'detail', v.detail, 'personal', (
            select coalesce(jsonb_object_agg(i.name, jsonb_build_object('value', i.value)), '{}')
            from audit_details i where i.envelope_id = v.envelope_id and i.sequence = v.sequence)) order by v.sequence), '[]')
        from audit_events v where v.envelope_id = e.id) as events
    from (select * from envelopes where id > ${after}::uuid order by id limit ${BATCH}) e order by e.id`.execute(
    db,
  );
  return rows;
}
