import { sql } from "kysely";
import type { TestPlatform } from "./platform.ts";
import { wholeTables } from "./database.ts";

let remembered = 0;

/**
 * Copies every table; gives the function that restores them, even what the service's role may not
 * undo. Files, jobs and the clock stay.
 */
export async function rememberRows({
  owner,
}: Pick<TestPlatform, "owner">): Promise<() => Promise<void>> {
  const schema = `remembered_${++remembered}`;
  const { rows: tables } = await sql<{ name: string; columns: string }>`
    select c.table_name as name, string_agg(quote_ident(c.column_name), ', ') as columns
    from information_schema.columns c
    where c.table_schema = 'public' and c.table_name = any(${sql.val([...(await wholeTables(owner))])}::text[]) and c.is_generated = 'NEVER'
    group by 1`.execute(owner);
  const run = (statements: readonly string[]) =>
    sql.raw(`do $$ begin ${statements.join("; ")}; end $$`).execute(owner);
  await run([
    `create schema ${schema}`,
    ...tables.map(({ name }) => `create table ${schema}.${name} as table public.${name}`),
  ]);
  const putBack = tables.flatMap(({ name, columns }) => [
    `delete from public.${name}`,
    `insert into public.${name} (${columns}) overriding system value select ${columns} from ${schema}.${name}`,
  ]);
  return async () => {
    await run(["set local session_replication_role = replica", ...putBack]);
  };
}
