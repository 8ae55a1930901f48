import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { run } from "../need-tools.ts";

const ROOT = join(import.meta.dirname, "../../..");
/** On the program's own disk, because installed packages become hard links. */
const FOLDER = join(ROOT, ".cache/next-version");
const LEFT_OUT = /\/node_modules(?:\/|$)/;

export type OtherVersion = { readonly root: string; remove(): Promise<void> };

/** Builds the same code under another version number. */
export async function makeNextVersion(version: string): Promise<OtherVersion> {
  const remove = () => rm(FOLDER, { recursive: true, force: true });
  await remove();
  await mkdir(FOLDER, { recursive: true });
  for (const part of ["apps", "packages"])
    await cp(join(ROOT, part), join(FOLDER, part), {
      recursive: true,
      filter: (path) => !LEFT_OUT.test(path.slice(ROOT.length)),
    });
  await cp(join(ROOT, "package.json"), join(FOLDER, "package.json"));
  // The workspaces' packages are links into their own tree.
  run("cp", ["-al", join(ROOT, "node_modules"), FOLDER]);
  const file = join(FOLDER, "apps/server/package.json");
  await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, "utf8")), version }));
  return { root: FOLDER, remove };
}
