import { resolve } from "node:path";
import { type Environment, readInteger, readText, readUrl, refuse } from "./read-variable.ts";
import type { DatabaseSettings, DatabaseShare } from "./settings.ts";

const EXAMPLE = "postgres://paraphe:motdepasse@localhost:5432/paraphe";
const SERVICE_EXAMPLE = "postgres://paraphe_service:motdepasse@localhost:5432/paraphe";

/** Gives where the database is. Errors: throws `SettingsError`. */
export function readDatabase(
  environment: Environment,
  { dataDir, workingFolder }: { readonly dataDir: string; readonly workingFolder: string },
): DatabaseSettings {
  const read = (variable: string, example: string) => readUrl(environment, variable, { protocols: ["postgres:", "postgresql:"], example });
  const url = read("DATABASE_URL", EXAMPLE);
  const others = { serviceUrl: read("DATABASE_SERVICE_URL", SERVICE_EXAMPLE), readUrl: read("DATABASE_READ_URL", SERVICE_EXAMPLE) };
  const archive = readText(environment, "WAL_ARCHIVE_DIR");
  if (url !== null && archive !== null)
    refuse(
      "WAL_ARCHIVE_DIR",
      "n’est que pour la base embarquée, alors que DATABASE_URL est donné (archive_mode est le réglage de la vôtre)",
      "",
    );
  if (url !== null) return { kind: "external", url, ...others };
  const given = others.serviceUrl === null ? "DATABASE_READ_URL" : "DATABASE_SERVICE_URL";
  if (Object.values(others).some((other) => other !== null)) refuse("DATABASE_URL", `manque, alors que ${given} est donné`, EXAMPLE);
  return { kind: "embedded", dataDir, archiveDir: archive === null ? null : resolve(workingFolder, archive) };
}

/** Gives what a process takes of it. Errors: throws `SettingsError`. */
export function readDatabaseShare(environment: Environment): DatabaseShare {
  const statementS = readInteger(environment, "DATABASE_STATEMENT_S", { fallback: 6, minimum: 1, maximum: 3_600, example: "6" });
  const lockS = readInteger(environment, "DATABASE_LOCK_S", { fallback: 4, minimum: 1, maximum: 3_600, example: "4" });
  return {
    connections: readInteger(environment, "DATABASE_CONNECTIONS", { fallback: 16, minimum: 2, maximum: 1_000, example: "16" }),
    queueConnections: readInteger(environment, "DATABASE_QUEUE_CONNECTIONS", { fallback: 4, minimum: 2, maximum: 100, example: "4" }),
    statementMs: statementS * 1_000,
    // A lock that is waited for longer than a statement may take would never be the one that is told of.
    lockMs: Math.min(lockS, statementS) * 1_000,
  };
}
