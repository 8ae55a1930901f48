import { createHash } from "node:crypto";
import { access, chmod, constants, mkdir, rm, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Linux tmpfs. */
const MEMORY = "/dev/shm";

/** A container's default of some megabytes is too small. */
const ENOUGH_BYTES = 4 * 1024 ** 3;

/**
 * Gives an empty folder in memory for the tests' temporary files; null where memory is scarce or
 * `noexec`.
 * Databases on a disk's file system cost a fifth more.
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
    // Left by a killed run.
    await removeFolder(folder);
    const { bavail, bsize } = await statfs(MEMORY);
    if (Math.min(bavail * bsize, process.availableMemory()) < enoughBytes) return null;
    await mkdir(folder);
    // The mode of /tmp, because PostgreSQL runs as another user under root.
    await chmod(folder, 0o1777);
    await writeFile(program, "", { mode: 0o700 });
    await access(program, constants.X_OK);
    await rm(program);
    return folder;
  } catch {
    // Another user's.
    await removeFolder(folder).catch(() => {});
    return null;
  }
}

/** Retries: a process may still be writing. */
export function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
}
