import { setTimeout as sleep } from "node:timers/promises";
import type { Result } from "@paraphe/contracts";
import { STALE_TRIES, isStalePlan, sqlState } from "../error-code.ts";
import type { Database, Reader, Schema, Transaction } from "./database.ts";
import {
  DummyDriver,
  Kysely,
  type OperationNodeSource,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
  sql,
  type Insertable,
} from "kysely";

/** serialization_failure, deadlock_detected. Source: PostgreSQL 18, §13.5. */
const RETRYABLE = new Set(["40001", "40P01"]);
const TRIES = 5;
const FIRST_DELAY_MS = 10;

type Open = { readonly db: Database; readonly afterwards: (() => void)[] };
const opened = new WeakMap<Transaction, Open>();

export function databaseOf(trx: Transaction): Database | null {
  return opened.get(trx)?.db ?? null;
}

export function afterCommit(trx: Transaction, work: () => void): void {
  opened.get(trx)?.afterwards.push(work);
}

/**
 * Repeats on a conflict or a stale statement. The work waits for database and store alone: other
 * results are made before, and committed if still current. Files that a lost try stored are swept.
 */
export async function inTransaction<T>(
  db: Database,
  work: (trx: Transaction) => Promise<T>,
): Promise<T> {
  let stale = 0;
  for (let attempt = 1; ; ) {
    try {
      const afterwards: (() => void)[] = [];
      const result = await db.transaction().execute((trx) => {
        opened.set(trx, { db, afterwards });
        return work(trx);
      });
      for (const one of afterwards) one();
      return result;
    } catch (error) {
      if (isStalePlan(error) && ++stale < STALE_TRIES) continue;
      if (attempt === TRIES || !RETRYABLE.has(sqlState(error))) throw error;
      await sleep(FIRST_DELAY_MS * 2 ** attempt++ * (0.5 + Math.random()));
    }
  }
}

class Refused extends Error {
  override readonly name = "Refused";
  readonly refusal: unknown;

  constructor(refusal: unknown) {
    super("The work was refused");
    this.refusal = refusal;
  }
}

/** A refusal rolls everything back. */
export async function allOrNothing<T, E>(
  db: Database,
  work: (trx: Transaction) => Promise<Result<T, E>>,
): Promise<Result<T, E>> {
  try {
    return await inTransaction(db, async (trx) => {
      const result = await work(trx);
      if (!result.ok) throw new Refused(result);
      return result;
    });
  } catch (error) {
    if (error instanceof Refused) return error.refusal as Result<T, E>;
    throw error;
  }
}

function isRetryable(error: unknown): boolean {
  return RETRYABLE.has(sqlState(error)) || isStalePlan(error);
}

/** in_failed_sql_transaction, invalid_sql_statement_name: consequences of a failure. */
const CONSEQUENCES = new Set(["25P02", "26000"]);

/**
 * Runs statements of one transaction that travel together (`PipeliningExecutor`); results by name.
 * Unlike `Promise.all` it waits for all before it throws: none may follow the rollback. A retryable
 * cause comes first.
 */
export async function inParallel<
  T extends Readonly<Record<string, Promise<unknown>>> | readonly Promise<unknown>[],
>(work: T): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  const outcomes = await Promise.allSettled(Object.values<Promise<unknown>>(work));
  const failures = outcomes.flatMap((outcome) =>
    outcome.status === "rejected" ? [outcome.reason as unknown] : [],
  );
  if (failures.length > 0)
    throw (
      failures.find(isRetryable) ??
      failures.find((reason) => !CONSEQUENCES.has(sqlState(reason))) ??
      failures[0]
    );
  const results = outcomes.map((outcome) => (outcome as PromiseFulfilledResult<unknown>).value);
  const named = Array.isArray(work)
    ? results
    : Object.fromEntries(Object.keys(work).map((name, index) => [name, results[index]]));
  return named as { -readonly [K in keyof T]: Awaited<T[K]> };
}

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

/** Compiles statements without a connection. */
export const build = new Kysely<Schema>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

/**
 * Writes in order; those on different tables are parts of one statement. All parts see the rows
 * from before, and of two updates of one row one is lost: a table written again begins a new
 * statement. All are sent before it returns.
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

type NewRow<T extends keyof Schema> = Insertable<Schema[T]>;
/** `conflict`: the end, from `on conflict`; `computed`: columns of an expression. */
type Into<T extends keyof Schema> = {
  readonly into: T;
  readonly conflict?: RawBuilder<unknown>;
  readonly computed?: Readonly<Record<string, RawBuilder<unknown>>>;
};

/**
 * Makes one text, planned once: rows travel as one JSON value. Columns missing in the first row
 * take their default. Null without rows.
 * Source: PostgreSQL 18, §9.16.1 (json_populate_recordset), §8.4.1 (bytea in hexadecimal).
 */
export function insertionOf<T extends keyof Schema>(
  { into, conflict, computed = {} }: Into<T>,
  rows: readonly NewRow<T>[],
): Write | null {
  const [first] = rows;
  if (first === undefined) return null;
  const names = Object.keys(first);
  // Inline text: a query node per name costs more than the statement.
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
