import { sql } from "kysely";
import { SettingsError } from "../settings/settings.ts";
import type { Database } from "./database.ts";

/** The oldest PostgreSQL that the migrations and the statements were tried on. */
const LEAST_POSTGRES = 15;

/** Errors: `SettingsError` when the server is older. */
export async function checkServerVersion(db: Database): Promise<void> {
  const { rows } = await sql<{ version: number }>`select current_setting('server_version_num')::int as version`.execute(db);
  const major = Math.floor((rows[0]?.version ?? 0) / 10_000);
  if (major >= LEAST_POSTGRES) return;
  throw new SettingsError(
    `Démarrage impossible\u00a0: DATABASE_URL mène à PostgreSQL ${major}, il faut la version ${LEAST_POSTGRES} ou une plus récente. Exemple\u00a0: DATABASE_URL=postgres://paraphe:motdepasse@localhost:5432/paraphe`,
  );
}
