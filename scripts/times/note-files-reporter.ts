import { fileURLToPath } from "node:url";
import type { Reporter, Vitest } from "vitest/node";

const NOTE_FILE = fileURLToPath(new URL("./note-file.ts", import.meta.url));

/** Adds `note-file.ts` to every project's setup. */
export default class NoteFilesReporter implements Reporter {
  onInit(vitest: Vitest): void {
    for (const project of vitest.projects) project.config.setupFiles.unshift(NOTE_FILE);
  }
}
