import type { StoredStatus } from "@paraphe/contracts";
import { fromHex, toHex } from "@paraphe/kernel/bytes";
import { type Expression, type RawBuilder, sql, type SqlBool } from "kysely";
import type { Reader, Transaction } from "../../platform/database/database.ts";
import { insertionOf, type Write } from "../../platform/database/in-transaction.ts";
import type { JsonValue } from "../../platform/database/schema.generated.ts";
import type {
  Revision,
  DisplayedPage,
  DocumentControl,
  EnvelopeFacts,
  RevisionKind,
  StoredDocument,
} from "./domain/document.ts";

export type DocumentToInsert = {
  readonly id: string;
  readonly envelopeId: string;
  readonly position: number;
  readonly name: string;
  readonly pageCount: number;
  readonly pages: readonly DisplayedPage[];
  readonly control: DocumentControl;
  readonly sha256: Uint8Array;
  readonly sizeBytes: number;
  readonly copy?: { readonly sha256: Uint8Array; readonly sizeBytes: number };
  /** Revision 1 of a document inserted as signed. */
  readonly completed?: {
    readonly sha256: Uint8Array;
    readonly sizeBytes: number;
    readonly recipientId: string;
  };
  readonly createdAt: Date;
};

export type RevisionToInsert = {
  readonly documentId: string;
  readonly number: number;
  readonly kind: RevisionKind;
  readonly sha256: Uint8Array;
  readonly sizeBytes: number;
  readonly recipientId: string | null;
  readonly createdAt: Date;
};

export type DocumentJson = {
  readonly id: string;
  readonly envelope_id: string;
  readonly position: number;
  readonly name: string;
  readonly page_count: number;
  readonly pages: readonly DisplayedPage[];
  readonly control: DocumentControl;
  readonly normalised_accepted: boolean;
  readonly uploaded_sha256: string;
  readonly uploaded_size: number;
  readonly original_sha256: string;
  readonly original_size: number;
  readonly current_number: number;
  readonly current_kind: RevisionKind;
  readonly current_sha256: string;
  readonly current_size: number;
};

/** Gives one JSON array, in order, for the envelope's statement. */
export function documentsOf(envelopeId: Expression<string>) {
  return sql<DocumentJson[]>`coalesce((
    select json_agg(json_build_object('id', d.id, 'envelope_id', d.envelope_id, 'position', d.position, 'name', d.name, 'page_count', d.page_count,
      'pages', d.pages, 'control', d.control, 'normalised_accepted', d.normalised_accepted,
      'uploaded_sha256', encode(d.uploaded_sha256, 'hex'), 'uploaded_size', d.uploaded_size,
      'original_sha256', encode(o.blob_sha256, 'hex'), 'original_size', o.size, 'current_number', c.number, 'current_kind', c.kind,
      'current_sha256', encode(c.blob_sha256, 'hex'), 'current_size', c.size) order by d.position)
    from documents d
    join document_revisions o on o.document_id = d.id and o.number = 0
    join document_revisions c on c.document_id = d.id and c.number = d.current_revision
    where d.envelope_id = ${envelopeId}), '[]')`;
}

export async function loadDocuments(
  reader: Reader,
  envelopeId: string,
): Promise<readonly StoredDocument[]> {
  return (await loadDocumentsOf(reader, [envelopeId])).get(envelopeId) ?? [];
}

export async function loadDocumentsOf(
  reader: Reader,
  envelopeIds: readonly string[],
): Promise<ReadonlyMap<string, StoredDocument[]>> {
  if (envelopeIds.length === 0) return new Map();
  const { rows } = await sql<{ id: string; documents: DocumentJson[] }>`
    select asked.id, ${documentsOf(sql.ref("asked.id"))} as documents from unnest(${sql.val([...envelopeIds])}::uuid[]) as asked (id)
  `.execute(reader);
  return new Map(rows.map(({ id, documents }) => [id, documents.map(readDocument)]));
}

export function readDocument(row: DocumentJson): StoredDocument {
  return {
    id: row.id,
    envelopeId: row.envelope_id,
    position: row.position,
    name: row.name,
    pageCount: row.page_count,
    pages: row.pages,
    control: row.control,
    normalisedAccepted: row.normalised_accepted,
    uploadedSha256: fromHex(row.uploaded_sha256),
    uploadedSizeBytes: row.uploaded_size,
    original: {
      number: 0,
      kind: "original",
      sha256: fromHex(row.original_sha256),
      sizeBytes: row.original_size,
    },
    current: {
      number: row.current_number,
      kind: row.current_kind,
      sha256: fromHex(row.current_sha256),
      sizeBytes: row.current_size,
    },
  };
}

export function insertDocumentRows(
  documents: readonly DocumentToInsert[],
  locked: {
    readonly files: readonly { readonly sha256: Uint8Array }[];
    readonly read: () => Promise<void>;
  },
): readonly (Write | null)[] {
  const rows = insertionOf(
    { into: "documents" },
    documents.map((document) => ({
      id: document.id,
      envelope_id: document.envelopeId,
      position: document.position,
      name: document.name,
      page_count: document.pageCount,
      pages: document.pages as unknown as JsonValue,
      control: document.control as unknown as JsonValue,
      uploaded_sha256: document.sha256,
      uploaded_size: document.sizeBytes,
      normalised_accepted: document.copy !== undefined,
      current_revision: document.completed === undefined ? 0 : 1,
      created_at: document.createdAt,
    })),
  );
  const revisions = insertRevisionRows(documents.flatMap(revisionsOf));
  const lock = ["locked", sql`as materialized (${locking(locked.files, "share")})`] as const;
  return [rows, revisions && { ...revisions, with: [lock], read: locked.read }];
}

function revisionsOf({
  id,
  sha256,
  sizeBytes,
  copy,
  completed,
  createdAt,
}: DocumentToInsert): readonly RevisionToInsert[] {
  const of = { documentId: id, createdAt } as const;
  const original = {
    ...of,
    number: 0,
    kind: "original",
    recipientId: null,
    ...(copy ?? { sha256, sizeBytes }),
  } as const;
  return completed === undefined
    ? [original]
    : [original, { ...of, number: 1, kind: "completed", ...completed }];
}

/** PostgreSQL would not run the locking part if nothing read it. */
const BEHIND_LOCK = sql`where (select count(*) from locked) > 0 returning number`;

function insertRevisionRows(revisions: readonly RevisionToInsert[]): Write | null {
  return insertionOf(
    { into: "document_revisions", conflict: BEHIND_LOCK },
    revisions.map((revision) => ({
      document_id: revision.documentId,
      number: revision.number,
      kind: revision.kind,
      blob_sha256: revision.sha256,
      size: revision.sizeBytes,
      recipient_id: revision.recipientId,
      created_at: revision.createdAt,
    })),
  );
}

/**
 * Under the files' lock, the last new revision of each document becomes current if the one before
 * the first still is. Returns those inserted.
 */
export function moveToRevisions(revisions: readonly RevisionToInsert[]): Write {
  const rows = revisions.map((revision) => ({
    ...revision,
    sha256: `\\x${toHex(revision.sha256)}`,
  }));
  const locked = sql`as materialized (${locking(revisions, "share")})`;
  const made = sql`as materialized (
      select made.* from json_to_recordset(${JSON.stringify(rows)}::json) as made ("documentId" uuid, number int,
        kind text, sha256 bytea, "sizeBytes" bigint, "recipientId" uuid, "createdAt" timestamptz), (select count(*) from locked) as held
    )`;
  const moved = sql`as (
      update documents set current_revision = reach.last
      from (select "documentId", min(number) - 1 as before, max(number) as last from made group by 1) as reach
      where id = reach."documentId" and current_revision = reach.before returning id
    )`;
  const statement = sql`
    insert into document_revisions (document_id, number, kind, blob_sha256, size, recipient_id, created_at)
    select id, number, kind, sha256, "sizeBytes", "recipientId", "createdAt" from moved join made on "documentId" = id
    returning number`;
  const parts = [
    ["locked", locked],
    ["made", made],
    ["moved", moved],
  ] as const;
  return { into: ["documents", "document_revisions"], with: parts, statement };
}

export async function replaceOriginal(
  trx: Transaction,
  copy: { documentId: string; sha256: Uint8Array; sizeBytes: number } & Partial<
    Pick<DocumentToInsert, "pages" | "control">
  >,
): Promise<void> {
  await trx
    .updateTable("document_revisions")
    .set({ blob_sha256: copy.sha256, size: copy.sizeBytes })
    .where("document_id", "=", copy.documentId)
    .where("number", "=", 0)
    .execute();
  await trx
    .updateTable("documents")
    .set({
      normalised_accepted: true,
      ...(copy.pages ? { pages: JSON.stringify(copy.pages) } : {}),
      ...(copy.control ? { control: JSON.stringify(copy.control) } : {}),
    })
    .where("id", "=", copy.documentId)
    .execute();
}

/** A draft's documents have no other revision. */
export async function returnToOriginal(trx: Transaction, envelopeId: string): Promise<void> {
  const own = trx
    .updateTable("documents")
    .set({ current_revision: 0 })
    .where("envelope_id", "=", envelopeId)
    .returning("id");
  await trx
    .with("own", () => own)
    .deleteFrom("document_revisions")
    .where("number", ">", 0)
    .where("document_id", "in", (query) => query.selectFrom("own").select("id"))
    .execute();
}

export async function deleteDocumentRows(
  trx: Transaction,
  documentIds: readonly string[],
): Promise<void> {
  if (documentIds.length > 0)
    await trx
      .deleteFrom("documents")
      .where("id", "in", [...documentIds])
      .execute();
}

export async function updatePositions(
  trx: Transaction,
  documentIds: readonly string[],
): Promise<void> {
  if (documentIds.length === 0) return;
  await sql`update documents set position = place.position
    from unnest(${sql.val([...documentIds])}::uuid[]) with ordinality as place (id, position) where documents.id = place.id`.execute(
    trx,
  );
}

export type DocumentName = { readonly id: string; readonly name: string };

export async function updateNames(trx: Transaction, names: readonly DocumentName[]): Promise<void> {
  if (names.length === 0) return;
  await sql`update documents set name = given.name
    from unnest(${sql.val(names.map(({ id }) => id))}::uuid[], ${sql.val(names.map(({ name }) => name))}::text[]) as given (id, name)
    where documents.id = given.id`.execute(trx);
}

/** Blanks findings too; ids, sizes and hashes stay. */
export async function blankDocumentNames(trx: Transaction, envelopeId: string): Promise<void> {
  await trx
    .updateTable("documents")
    .set({ name: "", control: JSON.stringify({ result: "ok", findings: [] }) })
    .where("envelope_id", "=", envelopeId)
    .execute();
}

/** The first revision with every field, as it was sent. */
export async function selectPrepared(
  reader: Reader,
  documentIds: readonly string[],
): Promise<ReadonlyMap<string, Pick<Revision, "sha256" | "sizeBytes">>> {
  const rows = await reader
    .selectFrom("document_revisions")
    .distinctOn("document_id")
    .select(["document_id", "blob_sha256", "size"])
    .where("document_id", "in", [...documentIds])
    .where("kind", "=", "prepared")
    .orderBy("document_id")
    .orderBy("number")
    .execute();
  return new Map(
    rows.map((row) => [row.document_id, { sha256: row.blob_sha256, sizeBytes: Number(row.size) }]),
  );
}

export async function selectBlobs(reader: Reader, envelopeId: string): Promise<Uint8Array[]> {
  const rows = await reader
    .selectFrom("document_revisions as r")
    .innerJoin("documents as d", "d.id", "r.document_id")
    .select("r.blob_sha256 as sha256")
    .where("d.envelope_id", "=", envelopeId)
    .union(
      reader
        .selectFrom("documents")
        .select("uploaded_sha256 as sha256")
        .where("envelope_id", "=", envelopeId),
    )
    .execute();
  return rows.map((row) => row.sha256);
}

/** An envelope not purged, a template, an upload, an unsigned batch item or an account may need it. */
export async function isBlobNeeded(reader: Reader, sha256: Uint8Array): Promise<boolean> {
  const alive = (envelopeId: Expression<string>): Expression<SqlBool> =>
    sql<boolean>`exists (select 1 from envelopes e where e.id = ${envelopeId} and e.purged_at is null)`;
  const row = await reader
    .selectFrom("document_revisions as r")
    .innerJoin("documents as d", "d.id", "r.document_id")
    .select("r.number")
    .where("r.blob_sha256", "=", sha256)
    .where((eb) => alive(eb.ref("d.envelope_id")))
    .limit(1)
    .executeTakeFirst();
  if (row !== undefined) return true;
  const template = await reader
    .selectFrom("template_documents")
    .select("position")
    .where("blob_sha256", "=", sha256)
    .limit(1)
    .executeTakeFirst();
  if (template !== undefined) return true;
  const upload = await reader
    .selectFrom("uploads")
    .select("id")
    .where("file_sha256", "=", sha256)
    .limit(1)
    .executeTakeFirst();
  if (upload !== undefined) return true;
  const waiting = await reader
    .selectFrom("batch_items")
    .select("id")
    .where("source_sha256", "=", sha256)
    .limit(1)
    .executeTakeFirst();
  if (waiting !== undefined) return true;
  const avatar = await reader
    .selectFrom("users")
    .select("id")
    .where("avatar_sha256", "=", sha256)
    .limit(1)
    .executeTakeFirst();
  return avatar !== undefined;
}

/** `share`: for a row that will refer to them; `alone`: to remove one. */
export async function lockBlobs(
  trx: Transaction,
  sha256s: readonly Uint8Array[],
  mode: "share" | "alone",
): Promise<void> {
  if (sha256s.length > 0)
    await locking(
      sha256s.map((sha256) => ({ sha256 })),
      mode,
    ).execute(trx);
}

function locking(
  files: readonly { readonly sha256: Uint8Array }[],
  mode: "share" | "alone",
): RawBuilder<unknown> {
  const names = [...new Set(files.map(({ sha256 }) => toHex(sha256)))].sort();
  const lock =
    mode === "alone"
      ? sql`pg_advisory_xact_lock(hashtextextended('blob:' || name, 0))`
      : sql`pg_advisory_xact_lock_shared(hashtextextended('blob:' || name, 0))`;
  return sql`select ${lock} from unnest(${sql.val(names)}::text[]) as name`;
}

export async function selectEnvelopeFacts(
  reader: Reader,
  envelopeId: string,
): Promise<EnvelopeFacts | null> {
  const row = await reader
    .selectFrom("envelopes")
    .select(["id", "title", "status", "completed_at", "created_at"])
    .where("id", "=", envelopeId)
    .where("purged_at", "is", null)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { id, title, status, completed_at, created_at } = row;
  return {
    id,
    title,
    status: status as StoredStatus,
    completedAt: completed_at,
    datedAt: completed_at ?? created_at,
  };
}

/**
 * Columns that name a stored file, each with an index and the triggers of `stored-files.sql`.
 * `testing/scheduled-work.test.ts` lists the other hashes, and fails for a column in neither list.
 */
export const FILE_COLUMNS = [
  ["document_revisions", "blob_sha256"],
  ["documents", "uploaded_sha256"],
  ["template_documents", "blob_sha256"],
  ["uploads", "file_sha256"],
  ["batch_items", "source_sha256"],
  ["batch_items", "signed_sha256"],
  ["users", "avatar_sha256"],
] as const;

export type UploadRow = {
  readonly id: string;
  readonly ownerId: string;
  readonly holderId: string;
  readonly name: string;
  readonly sha256: Uint8Array;
  readonly sizeBytes: number;
  readonly expiresAt: Date;
};

export async function insertUploadRow(trx: Transaction, upload: UploadRow): Promise<void> {
  await trx
    .insertInto("uploads")
    .values({
      id: upload.id,
      owner_id: upload.ownerId,
      holder_id: upload.holderId,
      name: upload.name,
      file_sha256: upload.sha256,
      size: upload.sizeBytes,
      expires_at: upload.expiresAt,
    })
    .execute();
}

type Uploads = { readonly holderId: string; readonly ids: readonly string[]; readonly now: Date };

export async function selectUploads(
  reader: Reader,
  { holderId, ids, now }: Uploads,
): Promise<ReadonlyMap<string, Pick<UploadRow, "id" | "name" | "sha256" | "sizeBytes">>> {
  if (ids.length === 0) return new Map();
  const rows = await reader
    .selectFrom("uploads")
    .select(["id", "name", "file_sha256", "size"])
    .where("id", "in", [...ids])
    .where("holder_id", "=", holderId)
    .where("expires_at", ">", now)
    .forUpdate()
    .execute();
  return new Map(
    rows.map(({ id, name, file_sha256: sha256, size }) => [
      id,
      { id, name, sha256, sizeBytes: Number(size) },
    ]),
  );
}

export async function deleteUploads(trx: Transaction, ids: readonly string[]): Promise<void> {
  await trx
    .deleteFrom("uploads")
    .where("id", "in", [...ids])
    .execute();
}

export async function deleteExpiredUploads(reader: Reader, now: Date): Promise<void> {
  await reader.deleteFrom("uploads").where("expires_at", "<=", now).execute();
}

export async function selectUnreferenced(
  reader: Reader,
  sha256s: readonly Uint8Array[],
): Promise<Uint8Array[]> {
  // The limit makes PostgreSQL use the index.
  const unreferenced = FILE_COLUMNS.map(
    ([table, column]) =>
      sql`(select true from ${sql.table(table)} where ${sql.ref(column)} = file.sha256 limit 1) is null`,
  );
  const names = sha256s.map((sha256) => toHex(sha256));
  const { rows } = await sql<{ sha256: Uint8Array }>`
    select sha256 from (select decode(name, 'hex') as sha256 from unnest(${sql.val(names)}::text[]) as name) file
    where ${sql.join(unreferenced, sql` and `)}`.execute(reader);
  return rows.map((row) => row.sha256);
}

/** Gives files stored or unreferenced before a moment, oldest first; some may have rows again. */
export async function selectLooseFiles(
  reader: Reader,
  { before, limit }: { readonly before: Date; readonly limit: number },
): Promise<Uint8Array[]> {
  const rows = await reader
    .selectFrom("loose_files")
    .select("sha256")
    .where("at", "<=", before)
    .orderBy("at")
    .limit(limit)
    .execute();
  return rows.map((row) => row.sha256);
}

export async function forgetLooseFiles(
  reader: Reader,
  { sha256s, before }: { readonly sha256s: readonly Uint8Array[]; readonly before: Date },
): Promise<number> {
  if (sha256s.length === 0) return 0;
  const names = sha256s.map((sha256) => toHex(sha256));
  const { numAffectedRows } = await sql`
    delete from loose_files using unnest(${sql.val(names)}::text[]) as name where sha256 = decode(name, 'hex') and at <= ${before}`.execute(
    reader,
  );
  return Number(numAffectedRows ?? 0);
}
