import { type Insertable, type RawBuilder, sql } from "kysely";
import type { Schema } from "./database.ts";
import type { Write } from "./write-together.ts";

type NewRow<T extends keyof Schema> = Insertable<Schema[T]>;
/** `conflict`: the end, from `on conflict`; `computed`: columns of an expression. */
type Into<T extends keyof Schema> = {
  readonly into: T;
  readonly conflict?: RawBuilder<unknown>;
  readonly computed?: Readonly<Record<string, RawBuilder<unknown>>>;
};

/**
 * One text, planned once: rows travel as one JSON value. Columns missing in the first row take
 * their default. Null without rows.
 * Source: PostgreSQL 18, §9.16.1 (json_populate_recordset), §8.4.1 (bytea in hexadecimal).
 */
export function insertionOf<T extends keyof Schema>(
  { into, conflict, computed = {} }: Into<T>,
  rows: readonly NewRow<T>[],
): Write | null {
  const [first] = rows;
  if (first === undefined) return null;
  const names = Object.keys(first);
  // Inline: a node for each name costs more than the statement.
  const columns = sql.raw(names.map((name) => `"${name}"`).join(", "));
  const json = JSON.stringify(
    rows.map((row) =>
      Object.fromEntries(
        names.map((name) => [name, written((row as Record<string, unknown>)[name])]),
      ),
    ),
  );
  const added = Object.keys(computed).map((name) => sql.ref(name));
  const statement = sql`
    insert into ${sql.table<string>(into)} (${sql.join([columns, ...added])})
    select ${sql.join([columns, ...Object.values(computed)])} from json_populate_recordset(null::${sql.table<string>(into)}, ${json}::json) ${conflict ?? sql``}
  `;
  return { into: [into], statement };
}

/** A lone surrogate becomes U+FFFD, as in other parameters. */
function written(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (value instanceof Uint8Array)
    return `\\x${Buffer.from(value.buffer, value.byteOffset, value.length).toString("hex")}`;
  return value;
}
