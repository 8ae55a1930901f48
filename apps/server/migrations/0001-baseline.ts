import { readFile } from "node:fs/promises";
import { type Kysely, sql } from "kysely";

/** The files of `baseline/`, by room; each one needs those before it. */
const PARTS = [
  "platform",
  "accounts",
  "organisations",
  "envelopes",
  "contacts",
  "documents",
  "trust",
  "signing",
  "journal",
  "notices",
  "webhooks",
  "proof",
  "years",
  "live",
  "stored-files",
];

/** The whole schema of the first release. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const part of PARTS) {
    const text = await readFile(new URL(`baseline/${part}.sql`, import.meta.url), "utf8");
    await sql.raw(text).execute(db);
  }
}
