import { constants, readFileSync } from "node:fs";
import { access, mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { refuse } from "./read-variable.ts";
import { SettingsError } from "./settings.ts";

type FolderToMake = {
  readonly variable: string;
  readonly folder: string;
  readonly example: string;
};

/**
 * Makes a folder that a setting names, with those above it, and checks that this process may write in it.
 * Errors: throws `SettingsError` when it cannot be.
 */
export async function makeFolder({ variable, folder, example }: FolderToMake): Promise<void> {
  try {
    await make(folder);
    if (!(await stat(folder)).isDirectory()) throw new Error("Expected a folder");
    await access(folder, constants.W_OK | constants.X_OK);
  } catch {
    refuse(
      variable,
      "désigne un dossier qui ne peut pas être créé, ou dans lequel Paraphe ne peut pas écrire",
      example,
    );
  }
}

/**
 * One folder at a time: `mkdir` with `recursive` tries for ever where a file system answers ENOENT below a folder that exists,
 * as /proc does, and no signal is heard meanwhile.
 */
async function make(folder: string): Promise<void> {
  if (await stat(folder).catch(() => null)) return;
  const parent = dirname(folder);
  if (parent !== folder) await make(parent);
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    // Another process of the service may have made it meanwhile.
    if (error.code !== "EEXIST") throw error;
  });
}

/** Connections of browsers, of the database and of the queue, files being read and written, and the sandbox's children beside them. */
const LEAST_OPEN_FILES = 1_024;

/**
 * Refuses to start where the system grants too few open files: each upload would fail, and nothing else would say why. Node has raised its own limit to
 * the most that it is granted.
 * Errors: throws `SettingsError`. Elsewhere than on Linux nothing is known, and nothing refused.
 */
export function checkOpenFiles(limits: string | null = readLimits()): void {
  const granted = /^Max open files\s+(\d+|unlimited)/m.exec(limits ?? "")?.[1];
  if (granted === undefined || granted === "unlimited" || Number(granted) >= LEAST_OPEN_FILES)
    return;
  throw new SettingsError(
    `Démarrage impossible\u00a0: le système n’accorde que ${granted} fichiers ouverts à Paraphe. Exemple\u00a0: ulimit -n ${4 * LEAST_OPEN_FILES}`,
  );
}

/** Source: proc(5), `limits`. */
function readLimits(): string | null {
  try {
    return readFileSync("/proc/self/limits", "utf8");
  } catch {
    return null;
  }
}
