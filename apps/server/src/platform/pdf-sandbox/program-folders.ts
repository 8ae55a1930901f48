import { existsSync, readdirSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { CLIENT_FOLDER } from "../http/client-folder.ts";
import { refuse } from "../settings/read-variable.ts";

const ROOT = fileURLToPath(new URL("../../../../../", import.meta.url));

/** The code of the program and what it depends on, fonts among it. Not the root: `./data` lies there, with `MASTER_KEY` and every stored file. */
const FOLDERS: readonly string[] = ["", "apps/server", ...readdirSync(join(ROOT, "packages")).map((name) => `packages/${name}`)]
  .flatMap((workspace) => [join(ROOT, workspace, "node_modules"), ...(workspace === "" ? [] : [join(ROOT, workspace, "src")])])
  .filter(existsSync)
  .map((folder) => realpathSync(folder));

/** Gives what a child may read: the program's folders, that of its tasks, and the files by which Node finds packages and their kind. */
export function readableByChildren(tasksModule: URL): readonly string[] {
  const manifests = ["package.json", ...FOLDERS.map((folder) => join(relative(ROOT, dirname(folder)), "package.json"))];
  const folders = [...FOLDERS, dirname(fileURLToPath(tasksModule))].map((folder) => join(folder, "*"));
  return [...folders, ...new Set(manifests.map((file) => join(ROOT, file)))];
}

/** A setting whose place holds what the children must not read. */
export type PrivatePlace = { readonly variable: string; readonly path: string; readonly example: string };

/**
 * Refuses secrets and people's files in a folder of the program: where what parses strangers' files would read them, or where the client is served from,
 * which everybody reads and the next build empties.
 * Errors: throws `SettingsError`.
 */
export function refuseInsideProgram(places: readonly PrivatePlace[]): void {
  const served = realPathOf(CLIENT_FOLDER);
  for (const { variable, path, example } of places) {
    const real = realPathOf(path);
    const isIn = (folder: string) => !relative(folder, real).startsWith("..");
    if (FOLDERS.some(isIn))
      refuse(variable, "désigne un emplacement dans les dossiers du programme, que peut lire ce qui analyse les fichiers reçus", example);
    if (isIn(served)) refuse(variable, "désigne un emplacement dans le dossier de l’interface, que le service montre à tous", example);
  }
}

/** What is not there yet is where its folder is. */
function realPathOf(path: string): string {
  return existsSync(path) || dirname(path) === path ? realpathSync(path) : join(realPathOf(dirname(path)), basename(path));
}
