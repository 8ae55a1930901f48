import { type Insertable, type RawBuilder, sql } from "kysely";
import type { Schema, Transaction } from "./database.ts";

type NewRow<T extends keyof Schema> = Insertable<Schema[T]>;
/** `conflict`: the statement's end, from `on conflict`. */
type Into<T extends keyof Schema> = { readonly into: T; readonly conflict?: RawBuilder<unknown> };

/**
 * Inserts rows in one statement of one text, planned once: they travel as one JSON value. Columns
 * missing in the first row take their default in all.
 * Source: PostgreSQL 18, §9.16.1 (json_populate_recordset), §8.4.1 (bytea in hexadecimal).
 */
export async function insertRows<T extends keyof Schema>(
  trx: Transaction,
  { into, conflict }: Into<T>,
  rows: readonly NewRow<T>[],
): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const names = Object.keys(first);
  const columns = sql.join(names.map((name) => sql.ref(name)));
  const json = JSON.stringify(
    rows.map((row) =>
      Object.fromEntries(
        names.map((name) => [name, written((row as Record<string, unknown>)[name])]),
      ),
    ),
  );
  await sql`
    insert into ${sql.table<string>(into)} (${columns})
    select ${columns} from json_populate_recordset(null::${sql.table<string>(into)}, ${json}::json) ${conflict ?? sql``}
  `.execute(trx);
}

/** A lone surrogate becomes U+FFFD, as in any other parameter. */
function written(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (value instanceof Uint8Array)
    return `\\x${Buffer.from(value.buffer, value.byteOffset, value.length).toString("hex")}`;
  return value;
}
