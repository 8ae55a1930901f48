import { type Insertable, type RawBuilder, sql } from "kysely";
import type { Schema } from "./database.ts";
import type { Write } from "./write-together.ts";

type NewRow<T extends keyof Schema> = Insertable<Schema[T]>;
/** `conflict`: the statement's end, from `on conflict`. */
type Into<T extends keyof Schema> = { readonly into: T; readonly conflict?: RawBuilder<unknown> };

/**
 * One statement of one text that inserts rows, planned once: they travel as one JSON value. Columns
 * missing in the first row take their default in all. Null without rows.
 * Source: PostgreSQL 18, §9.16.1 (json_populate_recordset), §8.4.1 (bytea in hexadecimal).
 */
export function insertionOf<T extends keyof Schema>(
  { into, conflict }: Into<T>,
  rows: readonly NewRow<T>[],
): Write | null {
  const [first] = rows;
  if (first === undefined) return null;
  const names = Object.keys(first);
  // Text at once: a node for each name costs more than the statement.
  const columns = sql.raw(names.map((name) => `"${name}"`).join(", "));
  const json = JSON.stringify(
    rows.map((row) =>
      Object.fromEntries(
        names.map((name) => [name, written((row as Record<string, unknown>)[name])]),
      ),
    ),
  );
  const statement = sql`
    insert into ${sql.table<string>(into)} (${columns})
    select ${columns} from json_populate_recordset(null::${sql.table<string>(into)}, ${json}::json) ${conflict ?? sql``}
  `;
  return { into: [into], statement };
}

/** A lone surrogate becomes U+FFFD, as in any other parameter. */
function written(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (value instanceof Uint8Array)
    return `\\x${Buffer.from(value.buffer, value.byteOffset, value.length).toString("hex")}`;
  return value;
}
