import { execFile } from "node:child_process";
import { chown, readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** How a program of PostgreSQL is started: words before its command line, and whose files it must find. */
export type Launcher = { readonly prefix: readonly string[]; readonly fileOwner: number };

/** "nobody": the one ordinary user that every system names. */
const SYSTEM_USER_ID = 65_534;
const OTHER_NAME_IN_NAMESPACE = ["unshare", "--user", `--map-user=${SYSTEM_USER_ID}`, `--map-group=${SYSTEM_USER_ID}`];

/**
 * Gives a way to run PostgreSQL's programs on files of this folder: they refuse to run as root, and as a user without a name.
 * A user namespace gives us another number without giving the files away: they stay ours, and folders only we may enter stay open to the server.
 * Where namespaces are forbidden (most containers), root runs them as an ordinary user who keeps root's right to enter folders.
 */
export async function findLauncher(binaries: string, folder: string): Promise<Launcher> {
  const failures: unknown[] = [];
  for (const candidate of await launchersToTry(folder)) {
    try {
      await probe(candidate, { binaries, folder });
      return candidate;
    } catch (error) {
      failures.push(error);
    }
  }
  throw new Error("PostgreSQL can run neither as this user nor as another: start as an ordinary user with a name, or set DATABASE_URL", {
    cause: new AggregateError(failures),
  });
}

async function launchersToTry(folder: string): Promise<readonly Launcher[]> {
  const self = process.getuid?.() ?? 0;
  if (self !== 0) {
    return [
      { prefix: [], fileOwner: self },
      { prefix: OTHER_NAME_IN_NAMESPACE, fileOwner: self },
    ];
  }
  const owner = (await stat(folder)).uid;
  const ordinary = owner === 0 ? SYSTEM_USER_ID : owner;
  const asUser = ["--reuid", String(ordinary), "--regid", String(ordinary), "--clear-groups"];
  const keepingRights = ["--inh-caps=+dac_override,+dac_read_search", "--ambient-caps=+dac_override,+dac_read_search"];
  return [
    { prefix: OTHER_NAME_IN_NAMESPACE, fileOwner: 0 },
    { prefix: ["setpriv", ...asUser, ...keepingRights], fileOwner: ordinary },
    { prefix: ["setpriv", ...asUser], fileOwner: ordinary },
  ];
}

/** Runs a program of PostgreSQL and enters the folder, as the server will; `initdb` wants its user's name. */
async function probe(launcher: Launcher, on: { binaries: string; folder: string }): Promise<void> {
  const [command = "", ...words] = [
    ...launcher.prefix,
    "sh",
    "-c",
    'id -un && "$1/postgres" --version && cd "$2"',
    "sh",
    on.binaries,
    on.folder,
  ];
  await run(command, words, { timeout: 10_000 });
}

/** Gives a folder and all it holds to the launcher's user, when it is not already. Only root needs it, and only root may. */
export async function giveFolder(launcher: Launcher, folder: string): Promise<void> {
  if (process.getuid?.() !== 0 || (await stat(folder)).uid === launcher.fileOwner) return;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    await chown(join(entry.parentPath, entry.name), launcher.fileOwner, launcher.fileOwner);
  }
  // The folder itself last: it tells a later start that the work was done to the end.
  await chown(folder, launcher.fileOwner, launcher.fileOwner);
}

/** The environment of PostgreSQL's programs: nothing of ours, whose locale may be unknown to the machine and whose secrets are none of its business. */
export function postgresEnvironment(): NodeJS.ProcessEnv {
  return {
    PATH: [dirname(process.execPath), "/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"].join(":"),
    LC_ALL: "C",
    TZ: "UTC",
  };
}
