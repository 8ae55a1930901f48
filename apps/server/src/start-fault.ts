import { StorageFullError, StoreAwayError } from "./platform/files/file-store.ts";
import { BAD_SETTING_EXIT_CODE, SettingsError } from "./platform/settings/settings.ts";

/** One French line about what a person can repair. */
export type StartFault = { readonly line: string; readonly exitCode: number };

/** Node's, PostgreSQL's and child processes' errors have these. */
type Details = {
  readonly code?: unknown;
  readonly port?: number;
  readonly path?: string;
  readonly stderr?: unknown;
  readonly cause?: unknown;
};

const CONNECTION_FAULTS = new Set<unknown>([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ETIMEDOUT",
  "28P01",
  "28000",
  "3D000",
]);
/** Codes for unknown parameters and prepared statements, which poolers cause. */
const POOLER_FAULTS = new Set<unknown>(["08P01", "26000", "42P05"]);
const NOT_OURS = new Set<unknown>(["EACCES", "EPERM"]);
/** errno(3); PostgreSQL 18, appendix A. */
const NO_ROOM = new Set<unknown>(["ENOSPC", "EDQUOT", "53100"]);
const MENDABLE_EXIT_CODE = 1;

/** Gives null for what a person cannot repair. */
export function startFault(error: unknown): StartFault | null {
  if (error instanceof SettingsError)
    return { line: error.message, exitCode: BAD_SETTING_EXIT_CODE };
  const { code, port } = detailsOf(error);
  if (code === "EADDRINUSE")
    return mendable(`le port ${port} est déjà pris. Exemple\u00a0: PORT=${Number(port) + 1}`);
  if (code === "EACCES" && port !== undefined)
    return mendable(`le port ${port} est réservé. Exemple\u00a0: PORT=8443`);
  if (CONNECTION_FAULTS.has(code))
    return mendable(
      "la base de DATABASE_URL ne répond pas ou refuse la connexion. Exemple\u00a0: DATABASE_URL=postgres://paraphe:motdepasse@localhost:5432/paraphe",
    );
  if (POOLER_FAULTS.has(code))
    return mendable(
      "le répartiteur de connexions devant la base refuse ce que demande Paraphe (docs/operations/pooler.md). Exemple\u00a0: max_prepared_statements = 500",
    );
  if (error instanceof StorageFullError)
    return mendable(
      "le stockage de STORAGE_URL est plein. Exemple\u00a0: relever le quota du seau",
    );
  if (error instanceof StoreAwayError)
    return mendable(
      "le stockage de STORAGE_URL ne répond pas. Exemple\u00a0: vérifier son adresse (endpoint) et le réseau",
    );
  return fileFault(error);
}

/** A file of another user in `DATA_DIR`, or a full disk. */
function fileFault(error: unknown): StartFault | null {
  const { code, path, stderr, cause } = detailsOf(error);
  if (NOT_OURS.has(code) && path !== undefined) {
    const { line } = mendable(
      `${path} appartient à un autre utilisateur que celui qui lance Paraphe, ou ses droits l’interdisent. Exemple\u00a0: chown -R paraphe ${path}`,
    );
    return { line, exitCode: BAD_SETTING_EXIT_CODE };
  }
  // `initdb` has no code for a full disk.
  if (NO_ROOM.has(code) || String(stderr).includes("No space left on device"))
    return mendable(
      "le disque est plein. Faites de la place, ou choisissez-en un autre. Exemple\u00a0: DATA_DIR=/var/lib/paraphe",
    );
  return cause === undefined ? null : fileFault(cause);
}

function mendable(why: string): StartFault {
  return { line: `Démarrage impossible\u00a0: ${why}`, exitCode: MENDABLE_EXIT_CODE };
}

function detailsOf(error: unknown): Details {
  return typeof error === "object" && error !== null ? error : {};
}
