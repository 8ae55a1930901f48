import { execFile } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { SettingsError } from "../../settings/settings.ts";
import { giveFolder, type Launcher, postgresEnvironment } from "./launcher.ts";

const run = promisify(execFile);

/** The only major version these programs read. */
const MAJOR_VERSION = "18";
export const POSTGRES_USER = "paraphe";
/**
 * In the cluster's folder: the processes that parse hostile files cannot read it, nor pass the
 * socket.
 */
const PASSWORD_FILE = "paraphe-password";
const ABANDONED_AFTER_MS = 10 * 60_000;

/**
 * Creates the cluster if missing; gives its user's password. A rename makes it appear whole: of two
 * starts one wins and the other uses its cluster.
 * Errors: `SettingsError` for a cluster without a password.
 */
export async function initialiseCluster(options: {
  binaries: string;
  launcher: Launcher;
  dataDir: string;
}): Promise<string> {
  const { binaries, launcher, dataDir } = options;
  const cluster = join(dataDir, "db");
  await removeAbandoned(dataDir);
  if (!(await exists(join(cluster, "PG_VERSION")))) {
    const place = join(dataDir, `db.new-${randomUUID()}`);
    const fresh = join(place, "db");
    // Moved in afterwards: initdb wants an empty folder.
    const password = join(place, PASSWORD_FILE);
    await mkdir(fresh, { recursive: true, mode: 0o700 });
    await writeFile(password, randomBytes(32).toString("base64url"), { mode: 0o600 });
    await giveFolder(launcher, place);
    // The builtin C.UTF-8 needs no locale of the machine (PostgreSQL 18, §23.1.4).
    const words = [
      "--pgdata",
      fresh,
      "--username",
      POSTGRES_USER,
      "--auth",
      "scram-sha-256",
      "--pwfile",
      password,
      // 256 random bits cannot be guessed: more iterations would slow only our own connections.
      "--set",
      "scram_iterations=1",
      "--encoding",
      "UTF8",
      "--locale",
      "C",
      "--locale-provider",
      "builtin",
      "--builtin-locale",
      "C.UTF-8",
      "--no-instructions",
    ];
    const [command = "", ...rest] = [...launcher.prefix, join(binaries, "initdb"), ...words];
    await run(command, rest, { env: postgresEnvironment(), cwd: "/" });
    await rename(password, join(fresh, PASSWORD_FILE));
    await rename(fresh, cluster).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
    });
    await rm(place, { recursive: true, force: true });
  }
  await giveFolder(launcher, cluster);
  const version = (await readFile(join(cluster, "PG_VERSION"), "utf8")).trim();
  if (version !== MAJOR_VERSION)
    throw new Error(
      `${cluster} was made by PostgreSQL ${version}; this version reads PostgreSQL ${MAJOR_VERSION}`,
    );
  const password = await readFile(join(cluster, PASSWORD_FILE), "utf8").catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
      throw new SettingsError(
        `Démarrage impossible\u00a0: ${cluster} vient d’une version antérieure, ou son fichier ${PASSWORD_FILE} manque. Remettez ce fichier, ou exportez la base avec cette version-là et restaurez-la dans un dossier neuf (docs/operations/backup.md). Exemple\u00a0: DATA_DIR=./data-neuf`,
      );
    },
  );
  return password.trim();
}

async function removeAbandoned(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    if (!name.startsWith("db.new-")) continue;
    const folder = join(dataDir, name);
    const age = Date.now() - (await stat(folder).catch(() => ({ mtimeMs: Date.now() }))).mtimeMs;
    if (age > ABANDONED_AFTER_MS) await rm(folder, { recursive: true, force: true });
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return false;
      throw error;
    },
  );
}
