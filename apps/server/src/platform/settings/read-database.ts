import { type Environment, readInteger, readUrl, refuse } from "./read-variable.ts";
import type { DatabaseSettings, DatabaseShare } from "./settings.ts";

const EXAMPLE = "postgres://paraphe:motdepasse@localhost:5432/paraphe";
const SERVICE_EXAMPLE = "postgres://paraphe_service:motdepasse@localhost:5432/paraphe";

/** Gives where the database is. Errors: throws `SettingsError`. */
export function readDatabase(environment: Environment, dataDir: string): DatabaseSettings {
  const read = (variable: string, example: string) => readUrl(environment, variable, { protocols: ["postgres:", "postgresql:"], example });
  const url = read("DATABASE_URL", EXAMPLE);
  const others = { serviceUrl: read("DATABASE_SERVICE_URL", SERVICE_EXAMPLE), readUrl: read("DATABASE_READ_URL", SERVICE_EXAMPLE) };
  if (url !== null) return { kind: "external", url, ...others };
  const given = others.serviceUrl === null ? "DATABASE_READ_URL" : "DATABASE_SERVICE_URL";
  if (Object.values(others).some((other) => other !== null)) refuse("DATABASE_URL", `manque, alors que ${given} est donné`, EXAMPLE);
  return { kind: "embedded", dataDir };
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
