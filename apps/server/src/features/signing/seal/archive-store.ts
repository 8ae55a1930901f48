import { sql } from "kysely";
import type { Reader, Transaction } from "../../../platform/database/database.ts";
import { insertRows } from "../../../platform/database/insert-rows.ts";

/** The last document time-stamp of a completed document. */
export type ArchiveRow = {
  readonly documentId: string;
  readonly revision: number;
  readonly authoritySerial: string;
  readonly stampedAt: Date;
  readonly validUntil: Date;
  readonly renewAt: Date;
};
/** One to be renewed. */
export type DueArchive = { readonly envelopeId: string; readonly documentId: string };

const RENEWED = sql`on conflict (document_id) do update set revision = excluded.revision, authority_serial = excluded.authority_serial,
      stamped_at = excluded.stamped_at, valid_until = excluded.valid_until, renew_at = excluded.renew_at`;

export async function saveArchives(trx: Transaction, rows: readonly ArchiveRow[]): Promise<void> {
  await insertRows(
    trx,
    { into: "document_archives", conflict: RENEWED },
    rows.map((row) => ({
      document_id: row.documentId,
      revision: row.revision,
      authority_serial: row.authoritySerial,
      stamped_at: row.stampedAt,
      valid_until: row.validUntil,
      renew_at: row.renewAt,
    })),
  );
}

export async function loadArchive(reader: Reader, documentId: string): Promise<ArchiveRow | null> {
  const row = await reader
    .selectFrom("document_archives")
    .select(["document_id", "revision", "authority_serial", "stamped_at", "valid_until", "renew_at"])
    .where("document_id", "=", documentId)
    .executeTakeFirst();
  if (row === undefined) return null;
  return {
    documentId: row.document_id,
    revision: row.revision,
    authoritySerial: row.authority_serial,
    stampedAt: row.stamped_at,
    validUntil: row.valid_until,
    renewAt: row.renew_at,
  };
}

/** Gives documents whose time-stamp is to be renewed, the most urgent first; purged envelopes have no file left to renew. */
export async function listDueArchives(reader: Reader, due: { readonly now: Date; readonly limit: number }): Promise<readonly DueArchive[]> {
  const rows = await reader
    .selectFrom("document_archives as a")
    .innerJoin("documents as d", "d.id", "a.document_id")
    .innerJoin("envelopes as e", "e.id", "d.envelope_id")
    .select(["d.envelope_id", "a.document_id"])
    .where("a.renew_at", "<=", due.now)
    .where("e.purged_at", "is", null)
    .orderBy("a.renew_at")
    .orderBy("a.document_id")
    .limit(due.limit)
    .execute();
  return rows.map((row) => ({ envelopeId: row.envelope_id, documentId: row.document_id }));
}

/** Asks for the renewal of every document stamped by one of these certificates, and gives how many there are. */
export async function hastenRenewals(trx: Transaction, authoritySerials: readonly string[], now: Date): Promise<number> {
  if (authoritySerials.length === 0) return 0;
  const result = await trx
    .updateTable("document_archives")
    .set((eb) => ({ renew_at: eb.fn<Date>("least", [eb.ref("renew_at"), eb.val(now)]) }))
    .where("authority_serial", "in", [...authoritySerials])
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom("documents as d")
          .innerJoin("envelopes as e", "e.id", "d.envelope_id")
          .select("d.id")
          .whereRef("d.id", "=", "document_archives.document_id")
          .where("e.purged_at", "is", null),
      ),
    )
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}
