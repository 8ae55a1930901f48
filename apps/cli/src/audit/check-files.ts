import { sql } from "kysely";
import { AlteredFileError, MissingFileError } from "../../../server/src/platform/files/file-store.ts";
import { isStillNeeded, NAMED_FILES, namesOf } from "../store/named-files.ts";
import { type AuditOutcome, auditOutcome, type AuditPlatform } from "./audit-fault.ts";

const MOST_NAMED = 1_000;
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

/** Every stored file, its hash computed anew, whatever it is; and every file that a row needs, there. */
export function checkFiles({ db, files }: AuditPlatform): Promise<AuditOutcome> {
  return auditOutcome("Fichiers conservés", async ({ checked, fault }) => {
    for await (const { sha256 } of files.list()) {
      checked();
      if (await isAltered(files, sha256)) fault(hex(sha256), "le fichier n’a plus l’empreinte sous laquelle il a été conservé");
    }
    for (const named of NAMED_FILES)
      for await (const names of namesOf(db, named, "needed"))
        for (const sha256 of names)
          if ((await files.size(sha256)) === null && (await isStillNeeded(db, named, sha256)))
            fault(hex(sha256), "le fichier n’est plus là");
  });
}

async function isAltered(files: AuditPlatform["files"], sha256: Uint8Array): Promise<boolean> {
  try {
    await files.get(sha256);
    return false;
  } catch (error) {
    if (error instanceof AlteredFileError) return true;
    // Removed since it was listed: what must be there is asked for by its row.
    if (error instanceof MissingFileError) return false;
    throw error;
  }
}

/**
 * Every file of a document that was sent or signed is the one that the journal named last: a row that leads to another file is seen, whatever its hash, an earlier
 * state of the same document too. A sending also says what was uploaded: that is not what is signed.
 */
export function checkNamedFiles({ db }: AuditPlatform): Promise<AuditOutcome> {
  return auditOutcome("Fichiers envoyés et signés, tels que leur historique les nomme", async ({ checked, fault }) => {
    const { rows: counted } = await sql<{ count: number }>`select count(*) as count from documents d ${NAMED}`.execute(db);
    checked(counted[0]?.count ?? 0);
    const { rows } = await sql<{ id: string }>`
      select d.id from documents d ${NAMED} and not exists (
        select from (
          select v.action, named.files from audit_events v, lateral (select coalesce(v.detail->'documents', v.detail->'document')::text as files) named
          where v.envelope_id = d.envelope_id and (v.action = 'envelope_sent'
            or (v.action in ('recipient_signed', 'envelope_completed', 'archive_renewed') and named.files like '%' || d.id || ':%'))
          order by v.sequence desc limit 1
        ) last where last.files like
          '%' || case last.action when 'envelope_sent' then '' else d.id || ':' end || encode(r.blob_sha256, 'hex') || '%')
      order by d.id limit ${MOST_NAMED}`.execute(db);
    for (const { id } of rows) fault(`document ${id}`, "son fichier n’est pas celui que l’historique de son enveloppe nomme");
  });
}

const NAMED = sql`
  join envelopes e on e.id = d.envelope_id and e.purged_at is null
  join document_revisions r on r.document_id = d.id and r.number = d.current_revision
  where (e.sent_at is not null or exists (select from signatures s where s.document_id = d.id))`;
