import { type Kysely, sql } from "kysely";

/** A field may ask for a sentence of the sender's to be copied by its signer: its `value` is that sentence. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    alter table fields drop constraint fields_type_check;
    alter table fields add constraint fields_type_check
      check (type in ('signature', 'initials', 'date', 'name', 'text', 'checkbox', 'mention'));
  `.execute(db);
}
