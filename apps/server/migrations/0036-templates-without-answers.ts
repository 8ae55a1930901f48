import { type Kysely, sql } from "kysely";

/**
 * Empties the fields of the templates kept so far: what was made of an envelope that somebody had signed holds their answers, and nothing tells
 * it from what a sender had written in a draft.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    update templates set content = jsonb_set(content, '{fields}', (
      select coalesce(jsonb_agg(field || '{"value": null}' order by place), '[]')
      from jsonb_array_elements(content -> 'fields') with ordinality as listed (field, place)))
    where content -> 'fields' @? '$[*] ? (@.value != null)';
  `.execute(db);
}
