import { sql } from "kysely";
import { AlteredFileError, MissingFileError } from "../../apps/server/src/platform/files/file-store.ts";
import { type AuditOutcome, auditOutcome, type AuditPlatform } from "./audit-fault.ts";

const BATCH = 1_000;
const NOTHING = Buffer.alloc(0);

/** Every stored file that a row names, its hash computed anew. */
export function checkFiles({ db, files }: AuditPlatform): Promise<AuditOutcome> {
  return auditOutcome("Fichiers conservés", async ({ checked, fault }) => {
    for (let after: Uint8Array = NOTHING; ; ) {
      const { rows } = await sql<{ sha256: Uint8Array }>`
        select distinct r.blob_sha256 as sha256 from document_revisions r join documents d on d.id = r.document_id
          join envelopes e on e.id = d.envelope_id
        where e.purged_at is null and r.blob_sha256 > ${Buffer.from(after)}::bytea order by sha256 limit ${BATCH}`.execute(db);
      for (const { sha256 } of rows) {
        checked();
        const what = await faultOf(files, sha256);
        if (what !== null) fault(Buffer.from(sha256).toString("hex"), what);
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < BATCH) return;
      after = last.sha256;
    }
  });
}

async function faultOf(files: AuditPlatform["files"], sha256: Uint8Array): Promise<string | null> {
  try {
    await files.get(sha256);
    return null;
  } catch (error) {
    if (error instanceof MissingFileError) return "le fichier n’est plus là";
    if (error instanceof AlteredFileError) return "le fichier n’a plus l’empreinte sous laquelle il a été conservé";
    throw error;
  }
}

/** Every file that bears a signature is the one that its journal names: a row that leads to another file is seen, whatever its hash. */
export function checkSignedFiles({ db }: AuditPlatform): Promise<AuditOutcome> {
  return auditOutcome("Fichiers signés, tels que leur journal les nomme", async ({ checked, fault }) => {
    const { rows: counted } = await sql<{ count: number }>`select count(*) as count from documents d ${SIGNED}`.execute(db);
    checked(counted[0]?.count ?? 0);
    const { rows } = await sql<{ id: string }>`
      select d.id from documents d ${SIGNED} and not exists (
        select from audit_events v where v.envelope_id = d.envelope_id and v.action in ('recipient_signed', 'envelope_completed', 'archive_renewed')
          and v.detail::text like '%' || d.id || ':' || encode(r.blob_sha256, 'hex') || '%')
      order by d.id limit ${BATCH}`.execute(db);
    for (const { id } of rows) fault(`document ${id}`, "son fichier n’est pas celui que le journal de son enveloppe nomme");
  });
}

const SIGNED = sql`
  join envelopes e on e.id = d.envelope_id and e.purged_at is null
  join document_revisions r on r.document_id = d.id and r.number = d.current_revision
  where exists (select from signatures s where s.document_id = d.id)`;
