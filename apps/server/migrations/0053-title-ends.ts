import { type Kysely, sql } from "kysely";

/**
 * The title ends with a line feed in the text that a list is put in order by, where a space led on to the sender's name: « Bail » came after « Bail 2 ». What was
 * cut short keeps its space: it has no end. The indexes that hold this text are made again rather than changed row by row.
 */
export async function up(db: Kysely<never>): Promise<void> {
  const { rows } = await sql<{
    name: string;
  }>`select distinct created_by_name as name from envelopes where purged_at is null`.execute(db);
  const names = rows.map(({ name }) => ({ name, folded: fold(name) }));
  await sql`
    drop index envelope_search_keys, envelopes_owner, envelopes_owner_folder, envelopes_owner_status, envelopes_owner_title;
  `.execute(db);
  await sql`
    update envelopes e set search_text = left(e.search_text, length(e.search_text) - length(n.folded) - 1) || E'\\n' || n.folded
    from jsonb_to_recordset(${JSON.stringify(names)}::jsonb) as n (name text, folded text)
    where n.name = e.created_by_name and e.purged_at is null and right(e.search_text, length(n.folded) + 1) = ' ' || n.folded
  `.execute(db);
  // Keys of a million texts are made by all who may, in memory; the service's own reading goes without (0035).
  await sql`
    set local maintenance_work_mem = '256MB';
    alter table envelope_search reset (parallel_workers);
    create index envelope_search_keys on envelope_search using gin (search_keys(owner_id, search_text)) with (fastupdate = off);
    alter index envelope_search_keys alter column 1 set statistics 0;
    alter table envelope_search set (parallel_workers = 0);
    create index envelopes_owner on envelopes (owner_id, created_at desc, id desc) include (search_text) where purged_at is null;
    create index envelopes_owner_folder on envelopes (owner_id, folder, created_at desc, id desc) include (search_text) where purged_at is null;
    create index envelopes_owner_status on envelopes (owner_id, status, created_at desc, id desc) include (search_text) where purged_at is null;
    create index envelopes_owner_title on envelopes (owner_id, (search_text collate "C"), id) where purged_at is null;
  `.execute(db);
}

/** As texts were folded when they were kept. */
function fold(text: string): string {
  return text
    .toLowerCase()
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .replace(/œ/gu, "oe")
    .replace(/æ/gu, "ae")
    .replace(/ß/gu, "ss")
    .replace(/ø/gu, "o")
    .replace(/[łđ]/gu, (letter) => (letter === "ł" ? "l" : "d"))
    .replace(/[’‘]/gu, "'")
    .replace(/\s+/gu, " ")
    .trim();
}
