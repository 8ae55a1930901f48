import { sql } from "kysely";
import type { Reader, Transaction } from "../../../platform/database/database.ts";

export type QrType = "page" | "last" | "certificate";
export type PrintRow = {
  readonly id: string;
  readonly envelopeId: string;
  readonly ownerId: string;
  readonly qrType: QrType;
  readonly keyId: string;
  readonly createdAt: Date;
};

const COLUMNS = ["id", "envelope_id", "owner_id", "qr_type", "key_id", "created_at"] as const;

export async function insertPrint(trx: Transaction, print: PrintRow): Promise<void> {
  await trx
    .insertInto("prints")
    .values({
      id: print.id,
      envelope_id: print.envelopeId,
      owner_id: print.ownerId,
      qr_type: print.qrType,
      key_id: print.keyId,
      created_at: print.createdAt,
    })
    .execute();
}

export async function findPrint(reader: Reader, id: string): Promise<PrintRow | null> {
  const row = await reader
    .selectFrom("prints")
    .select(COLUMNS)
    .where("id", "=", id)
    .executeTakeFirst();
  return row === undefined ? null : readRow(row);
}

export type PrintPage = {
  readonly ownerId: string;
  readonly envelopeId: string | null;
  readonly page: number;
  readonly pageSize: number;
};

/** Gives an owner's prints, newest first, with their number. */
export async function listPrintRows(
  reader: Reader,
  page: PrintPage,
): Promise<{ readonly count: number; readonly rows: readonly PrintRow[] }> {
  const own = reader
    .selectFrom("prints")
    .where("owner_id", "=", page.ownerId)
    .$if(page.envelopeId !== null, (query) =>
      query.where("envelope_id", "=", page.envelopeId as string),
    );
  const { count } = await own
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  const rows = await own
    .select(COLUMNS)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(page.pageSize)
    .offset((page.page - 1) * page.pageSize)
    .execute();
  return { count: Number(count), rows: rows.map(readRow) };
}

/** Makes every read of a transaction, which begins with it, see what was committed by now. Source: PostgreSQL 18, §13.2.2. */
export async function readOneMoment(trx: Transaction): Promise<void> {
  await sql`set transaction isolation level repeatable read, read only`.execute(trx);
}

/** What stays of a purged envelope: dates and hashes, nobody's name. */
export type Tombstone = {
  readonly completedAt: Date | null;
  readonly purgedAt: Date | null;
  readonly hashes: readonly { readonly documentId: string; readonly sha256: Uint8Array }[];
};

export async function loadTombstone(reader: Reader, envelopeId: string): Promise<Tombstone> {
  const envelope = await reader
    .selectFrom("envelopes")
    .select(["completed_at", "purged_at"])
    .where("id", "=", envelopeId)
    .executeTakeFirst();
  const rows = await reader
    .selectFrom("documents as d")
    .innerJoin("document_revisions as r", (join) =>
      join.onRef("r.document_id", "=", "d.id").onRef("r.number", "=", "d.current_revision"),
    )
    .select(["d.id", "r.blob_sha256"])
    .where("d.envelope_id", "=", envelopeId)
    .orderBy("d.position")
    .execute();
  return {
    completedAt: envelope?.completed_at ?? null,
    purgedAt: envelope?.purged_at ?? null,
    hashes: rows.map((row) => ({ documentId: row.id, sha256: row.blob_sha256 })),
  };
}

/** Gives the lengths (bytes) that a document's file has had. */
export async function loadRevisionSizes(
  reader: Reader,
  documentId: string,
): Promise<readonly number[]> {
  const rows = await reader
    .selectFrom("document_revisions")
    .select("size")
    .where("document_id", "=", documentId)
    .execute();
  return rows.map(({ size }) => Number(size));
}

/** A signature as it was recorded: whose certificate it must bear. */
export type RecordedSignature = {
  readonly id: string;
  readonly envelopeId: string;
  readonly signerName: string;
  readonly signedAt: Date;
  readonly documentId: string;
  readonly recipientId: string | null;
  readonly serialNumber: string;
  readonly certificateDer: Uint8Array;
};

export async function loadRecordedSignatures(
  reader: Reader,
  envelopeId: string,
): Promise<readonly RecordedSignature[]> {
  const rows = await reader
    .selectFrom("signatures")
    .select([
      "id",
      "envelope_id",
      "document_id",
      "recipient_id",
      "signer_name",
      "signed_at",
      "serial_number",
      "certificate_der",
    ])
    .where("envelope_id", "=", envelopeId)
    .orderBy("signed_at")
    .orderBy("id")
    .execute();
  return rows.map((row) => ({
    id: row.id,
    envelopeId: row.envelope_id,
    signerName: row.signer_name,
    signedAt: row.signed_at,
    documentId: row.document_id,
    recipientId: row.recipient_id,
    serialNumber: row.serial_number,
    certificateDer: row.certificate_der,
  }));
}

function readRow(row: {
  id: string;
  envelope_id: string;
  owner_id: string;
  qr_type: string;
  key_id: string;
  created_at: Date;
}): PrintRow {
  return {
    id: row.id,
    envelopeId: row.envelope_id,
    ownerId: row.owner_id,
    qrType: row.qr_type as QrType,
    keyId: row.key_id,
    createdAt: row.created_at,
  };
}
