import { type Kysely, sql } from "kysely";

/** A registration of an address that has an account waits like any other, name and password included: names need no other keeping. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`drop table username_holds`.execute(db);
}
