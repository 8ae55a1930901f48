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

/** The folder is writable. Errors: `SettingsError`. */
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

/** `recursive` loops for ever below /proc, which answers ENOENT under an existing folder. */
async function make(folder: string): Promise<void> {
  if (await stat(folder).catch(() => null)) return;
  const parent = dirname(folder);
  if (parent !== folder) await make(parent);
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
}

const LEAST_OPEN_FILES = 1_024;

/**
 * Too few would fail uploads without a reason. Node has raised its own limit. Linux only.
 * Errors: `SettingsError`.
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
