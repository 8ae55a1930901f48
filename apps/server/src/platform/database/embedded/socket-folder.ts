import { createHash } from "node:crypto";
import { chmod, lstat, mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A Unix socket's whole path fits in `sockaddr_un.sun_path`, end mark included. Source: unix(7): 108 bytes; 104 on macOS. */
const LONGEST_SOCKET_PATH = 103;
const SOCKET_NAME = ".s.PGSQL.5432";

/**
 * Gives the folder of the server's socket, made and closed to others: in the data folder, or,
 * when that path is too long for a socket, one of the temporary folder named after it, so that every process finds the same.
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
  const root = roots.find((candidate) => Buffer.byteLength(join(candidate, name, SOCKET_NAME)) <= LONGEST_SOCKET_PATH);
  if (root === undefined) throw new Error("No folder with a path short enough for PostgreSQL's socket: set DATABASE_URL");
  const outside = join(root, name);
  await mkdir(outside, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  await refuseForeignFolder(outside);
  return outside;
}

/** The temporary folder is everybody's: another user may have made a folder of this name to answer in the server's place. */
async function refuseForeignFolder(folder: string): Promise<void> {
  const found = await lstat(folder);
  const ours = process.getuid?.() ?? found.uid;
  const trusted = found.uid === ours || (ours === 0 && found.uid === 65_534);
  if (!found.isDirectory() || !trusted || (found.mode & 0o077) !== 0)
    throw new Error(`${folder} belongs to someone else or is open to others: remove it`);
}
