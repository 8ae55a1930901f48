import { SettingsError } from "./platform/settings/settings.ts";

const CONNECTION_FAULTS = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "ETIMEDOUT", "28P01", "28000", "3D000"]);

/** Gives the one French line of a start that failed for a reason a person can mend; null for anything else. */
export function startFault(error: unknown): string | null {
  if (error instanceof SettingsError) return error.message;
  const { code, port } = (typeof error === "object" && error !== null ? error : {}) as { code?: string; port?: number };
  if (code === "EADDRINUSE") return `Démarrage impossible : le port ${port} est déjà pris. Exemple : PORT=${Number(port) + 1}`;
  if (code === "EACCES" && port !== undefined) return `Démarrage impossible : le port ${port} est réservé. Exemple : PORT=8443`;
  if (code !== undefined && CONNECTION_FAULTS.has(code))
    return "Démarrage impossible : la base de DATABASE_URL ne répond pas ou refuse la connexion. Exemple : DATABASE_URL=postgres://paraphe:motdepasse@localhost:5432/paraphe";
  return null;
}
