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

/**
 * A statement that writes, and its tables; `with`: named parts it reads. `read` gets what it
 * returns, as JSON; what it throws fails the transaction. `adds`: rows that no earlier write
 * concerns, so that it may follow one to the same table.
 */
export type Write = {
  readonly into: readonly (keyof Schema)[];
  readonly with?: readonly (readonly [name: string, part: RawBuilder<unknown>])[];
  readonly statement: OperationNodeSource;
  readonly adds?: true;
  readonly read?: (rows: readonly unknown[]) => void | Promise<void>;
};

/** Nothing, a statement that travels with others, or work that sends its own. */
export type WriteStep = Write | null | (() => Promise<unknown>);

/** Without a connection. */
export const build = new Kysely<Schema>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

/**
 * In order; those on different tables are parts of one statement. All parts see the rows from
 * before, and of two updates of one row one is lost: a table written again begins a new statement.
 * All are sent before it returns.
 * Source: PostgreSQL 18, §7.8.4 (data-modifying statements in WITH).
 */
export async function writeTogether(reader: Reader, writes: readonly WriteStep[]): Promise<void> {
  await inParallel(
    groupsOf(writes).map((group) =>
      typeof group === "function" ? group() : execute(reader, group),
    ),
  );
}

async function execute(reader: Reader, group: readonly Write[]): Promise<void> {
  const { rows } = await statementOf(group).execute(reader);
  for (const [index, { read }] of group.entries()) await read?.(rows[0]?.[nameOf(index)] ?? []);
}

type Group = Write[] | (() => Promise<unknown>);

function groupsOf(writes: readonly WriteStep[]): readonly Group[] {
  const groups: Group[] = [];
  for (const write of writes) {
    if (write === null) continue;
    const last = groups.at(-1);
    if (typeof write === "function") groups.push(write);
    else if (
      Array.isArray(last) &&
      (write.adds || !last.some(({ into }) => isMet(into, write.into)))
    )
      last.push(write);
    else groups.push([write]);
  }
  return groups;
}

function isMet(tables: Write["into"], others: Write["into"]): boolean {
  return tables.some((table) => others.includes(table));
}

const nameOf = (index: number) => `write_${index}`;
type Returned = Readonly<Record<string, readonly unknown[]>>;

function statementOf(group: readonly Write[]): RawBuilder<Returned> {
  const returned = group.flatMap(({ read }, index) => {
    const name = sql.ref(nameOf(index));
    const rows = sql`(select coalesce(json_agg(to_json(${name})), '[]') from ${name}) as ${name}`;
    return read === undefined ? [] : [rows];
  });
  const isPart = (index: number) => returned.length > 0 || index < group.length - 1;
  const parts = group.flatMap((write, index) => [
    ...(write.with ?? []).map(([name, part]) => sql`${sql.ref(name)} ${part}`),
    ...(isPart(index) ? [sql`${sql.ref(nameOf(index))} as (${write.statement})`] : []),
  ]);
  const last = returned.length > 0 ? sql`select ${sql.join(returned)}` : group.at(-1)?.statement;
  return parts.length === 0 ? sql`${last}` : sql`with recursive ${sql.join(parts)} ${last}`;
}
