import { runTool } from "./run-tool.ts";

/** Every invariant of ARCHITECTURE.md on what a server stored, running or not, as `paraphe verify-store` says it: what was found, and the exit code. */
export function verifyStoreOf(
  { dataDir }: { readonly dataDir: string },
  settings: Readonly<Record<string, string>> = {},
): { readonly code: number; readonly said: string } {
  const { code, output } = runTool(process.execPath, ["apps/cli/src/main.ts", "verify-store"], {
    DATA_DIR: dataDir,
    ...settings,
  });
  // With a fault, each of them; else the last line alone, for times differ from run to run.
  return { code, said: code === 0 ? (output.trim().split("\n").at(-1) ?? "") : output };
}

/** What it says when every invariant holds. */
export const EVERY_INVARIANT_HOLDS = { code: 0, said: "Tous les invariants tiennent." } as const;
