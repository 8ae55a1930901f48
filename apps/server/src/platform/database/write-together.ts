import {
  DummyDriver,
  Kysely,
  type OperationNodeSource,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
  sql,
} from "kysely";
import type { Reader, Schema } from "./database.ts";
import { inParallel } from "./in-transaction.ts";

/** A statement that writes rows, and the tables it writes; `with`: named parts it reads. */
export type Write = {
  readonly into: readonly (keyof Schema)[];
  readonly with?: readonly (readonly [name: string, part: RawBuilder<unknown>])[];
  readonly statement: OperationNodeSource;
};

/** Nothing, a statement that may travel with others, or work that sends its own. */
export type WriteStep = Write | null | (() => Promise<unknown>);

/** Builds statements for `Write`; it has no connection. */
export const build = new Kysely<Schema>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

/**
 * Begins the writes in order; those that touch different tables are parts of one statement.
 * All parts of a statement see the rows from before it, and of two updates of one row one is lost:
 * so a table that is written again begins a new statement.
 * The statements are sent before it returns.
 * Source: PostgreSQL 18, §7.8.4 (data-modifying statements in WITH).
 */
export async function writeTogether(reader: Reader, writes: readonly WriteStep[]): Promise<void> {
  await inParallel(
    groupsOf(writes).map((group) =>
      typeof group === "function" ? group() : statementOf(group).execute(reader),
    ),
  );
}

type Group = Write[] | (() => Promise<unknown>);

function groupsOf(writes: readonly WriteStep[]): readonly Group[] {
  const groups: Group[] = [];
  for (const write of writes) {
    if (write === null) continue;
    const last = groups.at(-1);
    if (typeof write === "function") groups.push(write);
    else if (Array.isArray(last) && !last.some(({ into }) => isMet(into, write.into)))
      last.push(write);
    else groups.push([write]);
  }
  return groups;
}

function isMet(tables: Write["into"], others: Write["into"]): boolean {
  return tables.some((table) => others.includes(table));
}

function statementOf(group: readonly Write[]): RawBuilder<unknown> {
  const parts = group.flatMap((write, index) => [
    ...(write.with ?? []).map(([name, part]) => sql`${sql.ref(name)} ${part}`),
    ...(index === group.length - 1
      ? []
      : [sql`${sql.ref(`write_${index}`)} as (${write.statement})`]),
  ]);
  const last = group.at(-1)?.statement;
  return parts.length === 0 ? sql`${last}` : sql`with recursive ${sql.join(parts)} ${last}`;
}
