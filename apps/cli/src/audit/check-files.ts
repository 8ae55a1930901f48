import { toHex } from "@paraphe/kernel/bytes";
import { sql } from "kysely";
import {
  AlteredFileError,
  MissingFileError,
} from "../../../server/src/platform/files/file-store.ts";
import { isOfAnother } from "../store/check-revisions.ts";
import { isStillNeeded, NAMED_FILES, namesOf } from "../store/named-files.ts";
import { type AuditOutcome, auditOutcome, type AuditPlatform } from "./audit-fault.ts";

const MOST_NAMED = 1_000;

/** Recomputes the hash of every stored file, and finds every file that a row needs. */
export function checkFiles({ db, files }: AuditPlatform): Promise<AuditOutcome> {
  return auditOutcome("Fichiers conservés", async ({ checked, fault }) => {
    for await (const { sha256 } of files.list()) {
      checked();
      if (await isAltered(files, sha256))
        fault(toHex(sha256), "le fichier n’a plus l’empreinte sous laquelle il a été conservé");
    }
    for (const named of NAMED_FILES)
      for await (const names of namesOf(db, named, "needed"))
        for (const sha256 of names)
          if ((await files.size(sha256)) === null && (await isStillNeeded(db, named, sha256)))
            fault(toHex(sha256), "le fichier n’est plus là");
  });
}

async function isAltered(files: AuditPlatform["files"], sha256: Uint8Array): Promise<boolean> {
  try {
    await files.get(sha256);
    return false;
  } catch (error) {
    if (error instanceof AlteredFileError) return true;
    // Removed since the listing; the rows say which files must exist.
    if (error instanceof MissingFileError) return false;
    throw error;
  }
}

const BATCH = 500;
const NOTHING = "00000000-0000-0000-0000-000000000000";

type SignedDocument = {
  readonly id: string;
  readonly envelopeId: string;
  readonly sha256: Uint8Array;
  readonly originalSize: number;
};

/**
 * Signatures of a signed file must name the envelope of its row, or rows were moved to another
 * envelope.
 */
export function checkSignedFiles({ db, files }: AuditPlatform): Promise<AuditOutcome> {
  return auditOutcome(
    "Fichiers signés, de l’enveloppe qui les présente",
    async ({ checked, fault }) => {
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
          // Unreadable files are reported among the stored files.
          const bytes = await files.get(sha256).catch(() => null);
          if (bytes !== null && isOfAnother(bytes.subarray(originalSize), envelopeId))
            fault(
              `document ${id}`,
              "ses signatures ont été faites pour une autre enveloppe que celle qui le présente",
            );
        }
        after = rows.at(-1)?.id ?? after;
        if (rows.length < BATCH) return;
      }
    },
  );
}

/** Clock differences; events are due in the next checkpoint as soon as they are committed. */
const MARGIN = sql`interval '2 hours'`;

/** Backdated events: older than a checkpoint that does not cover them, or than the event before. */
export function checkDates({ db }: Pick<AuditPlatform, "db">): Promise<AuditOutcome> {
  return auditOutcome(
    "Dates des événements, face au journal de transparence",
    async ({ checked, fault }) => {
      const { rows: counted } = await sql<{
        count: number;
      }>`select count(*) as count from audit_events`.execute(db);
      checked(counted[0]?.count ?? 0);
      const { rows: late } = await sql<Found>`
      with marks as (
        select envelope_id, sequence, leaf_index from transparency_leaves
        union all select envelope_id, sequence, 9223372036854775807 from transparency_due
      ), spans as (
        -- the first leaf that stands for an event is the lowest of those at its number or after
        select envelope_id, sequence, coalesce(lag(sequence) over (partition by envelope_id order by sequence), 0) as before,
          min(leaf_index) over (partition by envelope_id order by sequence desc rows between unbounded preceding and current row) as leaf_index
        from marks
      )
      select e.envelope_id as "envelopeId", e.sequence
      from spans s cross join lateral (select at from transparency_checkpoints c where c.size <= s.leaf_index order by c.size desc limit 1) missed
      join audit_events e on e.envelope_id = s.envelope_id and e.sequence > s.before and e.sequence <= s.sequence and e.at < missed.at - ${MARGIN}
      order by e.envelope_id, e.sequence limit ${MOST_NAMED}`.execute(db);
      for (const event of late)
        fault(
          nameOf(event),
          "sa date est antérieure à un point de contrôle qui ne l’a pas\u202f: il a été écrit plus tard qu’il ne le dit",
        );
      const { rows: backwards } = await sql<Found>`
      select e.envelope_id as "envelopeId", e.sequence from audit_events e
      join audit_events p on p.envelope_id = e.envelope_id and p.sequence = e.sequence - 1 and e.at < p.at - ${MARGIN}
      order by e.envelope_id, e.sequence limit ${MOST_NAMED}`.execute(db);
      for (const event of backwards)
        fault(nameOf(event), "sa date est antérieure à celle de l’événement qui le précède");
    },
  );
}

type Found = { readonly envelopeId: string; readonly sequence: number };

function nameOf({ envelopeId, sequence }: Found): string {
  return `enveloppe ${envelopeId}, événement ${sequence}`;
}
