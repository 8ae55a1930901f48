import { createHash } from "node:crypto";
import { access, chmod, constants, mkdir, rm, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Where Linux keeps files in memory. */
const MEMORY = "/dev/shm";

/** What a whole run writes at once is a fraction of it; a container's own few megabytes are too little. */
const ENOUGH_BYTES = 4 * 1024 ** 3;

/**
 * Gives an empty folder in memory for the temporary files of the tests in `root`; null where memory is scarce or runs no program.
 * Dozens of databases are made and removed there: a disk's file system took a fifth of what they cost.
 */
export async function memoryFolder(
  root: string,
  enoughBytes = ENOUGH_BYTES,
): Promise<string | null> {
  const folder = join(
    MEMORY,
    `paraphe-tests-${createHash("sha256").update(root).digest("hex").slice(0, 8)}`,
  );
  const program = join(folder, "program");
  try {
    // What a run that was killed has left.
    await removeFolder(folder);
    const { bavail, bsize } = await statfs(MEMORY);
    if (Math.min(bavail * bsize, process.availableMemory()) < enoughBytes) return null;
    await mkdir(folder);
    // As /tmp: PostgreSQL runs as a user of its own where the tests are root's.
    await chmod(folder, 0o1777);
    await writeFile(program, "", { mode: 0o700 });
    await access(program, constants.X_OK);
    await rm(program);
    return folder;
  } catch {
    // It may belong to somebody else.
    await removeFolder(folder).catch(() => {});
    return null;
  }
}

/** Whoever writes there may not have ended yet. */
export function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
}
