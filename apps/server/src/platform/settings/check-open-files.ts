import { readFileSync } from "node:fs";
import { SettingsError } from "./settings.ts";

/** Connections of browsers, of the database and of the queue, files being read and written, and the sandbox's children beside them. */
export const LEAST_OPEN_FILES = 1_024;

/**
 * Refuses to start where the system grants too few open files: each upload would fail, and nothing else would say why. Node has raised its own limit to
 * the most that it is granted.
 * Errors: throws `SettingsError`. Elsewhere than on Linux nothing is known, and nothing refused.
 */
export function checkOpenFiles(limits: string | null = readLimits()): void {
  const granted = /^Max open files\s+(\d+|unlimited)/m.exec(limits ?? "")?.[1];
  if (granted === undefined || granted === "unlimited" || Number(granted) >= LEAST_OPEN_FILES) return;
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
