import type { LayoutField } from "@paraphe/contracts";
import { sql } from "kysely";
import type { Reader, Transaction } from "../../../platform/database/database.ts";

/** Where fields stand, by the ranks of their documents and people. */
export type KeptLayout = { readonly id: string; readonly name: string; readonly fields: readonly LayoutField[]; readonly createdAt: Date };

/** Those kept before the sentences of mentions were have none. */
type StoredField = Omit<LayoutField, "value"> & Partial<Pick<LayoutField, "value">>;

/** Takes the lock that whoever adds to an account's layouts takes first. */
export async function lockLayouts(trx: Transaction, ownerId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('layouts:' || ${ownerId}, 0))`.execute(trx);
}

/** Gives an account's layouts, by name. */
export async function selectLayouts(reader: Reader, ownerId: string): Promise<readonly KeptLayout[]> {
  const rows = await reader
    .selectFrom("layouts")
    .select(["id", "name", "fields", "created_at"])
    .where("owner_id", "=", ownerId)
    .orderBy("name_key")
    .execute();
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    fields: (row.fields as unknown as readonly StoredField[]).map(({ value = null, ...field }) => ({ ...field, value })),
    createdAt: row.created_at,
  }));
}

/** Adds a layout; false when this owner has one of that name. */
export async function insertLayout(
  trx: Transaction,
  layout: KeptLayout & { readonly ownerId: string; readonly nameKey: string },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto("layouts")
    .values({
      id: layout.id,
      owner_id: layout.ownerId,
      name: layout.name,
      name_key: layout.nameKey,
      fields: JSON.stringify(layout.fields),
      created_at: layout.createdAt,
    })
    .onConflict((conflict) => conflict.columns(["owner_id", "name_key"]).doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

/** Deletes a layout of this owner, or all of them; gives how many went. */
export async function deleteLayouts(reader: Reader, of: { readonly ownerId: string; readonly id?: string }): Promise<number> {
  const all = reader.deleteFrom("layouts").where("owner_id", "=", of.ownerId);
  const { numDeletedRows } = await (of.id === undefined ? all : all.where("id", "=", of.id)).executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
