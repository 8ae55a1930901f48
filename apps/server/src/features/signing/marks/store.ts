import { sql } from "kysely";
import type { Reader, Transaction } from "../../../platform/database/database.ts";
import type { SavedKind, SavedSignature } from "./domain/saved-signature.ts";

export type OwnId = { readonly id: string; readonly userId: string };
export type StoredSignature = SavedSignature & { readonly markWrapped: Uint8Array };

const COLUMNS = [
  "id",
  "name",
  "kind",
  "mark_wrapped",
  "is_default",
  "created_at",
  "last_used_at",
] as const;

/** Every addition and change takes this lock first. */
export async function lockSignatures(trx: Transaction, userId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('saved-signatures:' || ${userId}, 0))`.execute(
    trx,
  );
}

/** The default comes first, then the newest. */
export async function selectSignatures(
  reader: Reader,
  userId: string,
): Promise<readonly StoredSignature[]> {
  const rows = await reader
    .selectFrom("saved_signatures")
    .select(COLUMNS)
    .where("user_id", "=", userId)
    .orderBy("is_default", "desc")
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .execute();
  return rows.map(readRow);
}

export async function selectSignature(
  reader: Reader,
  { id, userId }: OwnId,
): Promise<StoredSignature | null> {
  const row = await reader
    .selectFrom("saved_signatures")
    .select(COLUMNS)
    .where("id", "=", id)
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return row === undefined ? null : readRow(row);
}

export async function insertSignature(
  trx: Transaction,
  userId: string,
  signature: StoredSignature,
): Promise<void> {
  await trx
    .insertInto("saved_signatures")
    .values({
      id: signature.id,
      user_id: userId,
      name: signature.name,
      kind: signature.kind,
      mark_wrapped: signature.markWrapped,
      is_default: signature.isDefault,
      created_at: signature.createdAt,
      last_used_at: signature.lastUsedAt,
    })
    .execute();
}

export async function clearDefault(trx: Transaction, userId: string): Promise<void> {
  await trx
    .updateTable("saved_signatures")
    .set({ is_default: false })
    .where("user_id", "=", userId)
    .where("is_default", "=", true)
    .execute();
}

export async function updateSignature(
  trx: Transaction,
  { id, userId }: OwnId,
  change: { readonly name?: string; readonly is_default?: boolean; readonly last_used_at?: Date },
): Promise<void> {
  if (Object.keys(change).length === 0) return;
  await trx
    .updateTable("saved_signatures")
    .set(change)
    .where("id", "=", id)
    .where("user_id", "=", userId)
    .execute();
}

export async function deleteSignature(trx: Transaction, { id, userId }: OwnId): Promise<void> {
  await trx
    .deleteFrom("saved_signatures")
    .where("id", "=", id)
    .where("user_id", "=", userId)
    .execute();
}

function readRow(row: {
  id: string;
  name: string;
  kind: string;
  mark_wrapped: Uint8Array;
  is_default: boolean;
  created_at: Date;
  last_used_at: Date | null;
}): StoredSignature {
  return {
    id: row.id,
    name: row.name,
    kind: row.kind as SavedKind,
    markWrapped: row.mark_wrapped,
    isDefault: row.is_default,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  };
}
