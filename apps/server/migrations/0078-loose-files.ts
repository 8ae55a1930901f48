import { type Kysely, sql } from "kysely";

/** Every column that names a stored file. */
const FILE_COLUMNS = [
  ["document_revisions", "blob_sha256"],
  ["documents", "uploaded_sha256"],
  ["template_documents", "blob_sha256"],
  ["batch_items", "source_sha256"],
  ["batch_items", "signed_sha256"],
  ["users", "avatar_sha256"],
] as const;

/**
 * Files that perhaps no row refers to: written before a file is stored, and as soon as a row refers to it no more. The sweep starts from here: it never lists a store.
 * A store that the database has left is remembered, so that nothing more is written there.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`create table loose_files (sha256 bytea primary key, at timestamptz not null)`.execute(
    db,
  );
  await sql`create index loose_files_at on loose_files (at)`.execute(db);
  // An update of a row that is there holds it: a sweep that forgets the file at this moment looks at it again.
  await sql`
    create function note_loose_file() returns trigger language plpgsql as $$
    declare
      gone bytea;
    begin
      execute format('select ($1).%I', tg_argv[0]) into gone using old;
      if gone is not null then
        insert into loose_files (sha256, at) values (gone, now()) on conflict (sha256) do update set at = greatest(loose_files.at, excluded.at);
      end if;
      return null;
    end $$`.execute(db);
  for (const [table, column] of FILE_COLUMNS) {
    const name = sql.ref(column);
    await sql`create trigger ${sql.ref(`${table}_${column}_gone`)} after delete on ${sql.table(table)} for each row execute function note_loose_file(${sql.lit(column)})`.execute(
      db,
    );
    await sql`create trigger ${sql.ref(`${table}_${column}_changed`)} after update of ${name} on ${sql.table(table)} for each row
      when (old.${name} is distinct from new.${name}) execute function note_loose_file(${sql.lit(column)})`.execute(
      db,
    );
  }
  await sql`alter table store_identity drop column one, add column closed_at timestamptz`.execute(
    db,
  );
}
