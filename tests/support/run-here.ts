import { faultOf } from "../../apps/cli/src/outcome.ts";
import { runParaphe } from "../../apps/cli/src/run-paraphe.ts";

/** Runs a command of `paraphe` in this process: its own would cost a second more of CPU. */
export async function runHere(
  words: readonly string[],
  settings: NodeJS.ProcessEnv = {},
): Promise<{ readonly code: number; readonly output: string }> {
  try {
    const { outcome } = await runParaphe(words, { ...process.env, ...settings });
    return { code: outcome.code, output: outcome.lines.join("\n") };
  } catch (error) {
    const { line, code } = faultOf(error);
    return { code, output: line };
  }
}

/** `paraphe verify-store` on a server's folder, running or not. */
export async function verifyStoreOf(
  { dataDir }: { readonly dataDir: string },
  settings: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number; readonly said: string }> {
  const { code, output } = await runHere(["verify-store"], { DATA_DIR: dataDir, ...settings });
  // Without a fault only the last line is given, because times differ from run to run.
  return { code, said: code === 0 ? (output.split("\n").at(-1) ?? "") : output };
}

export const EVERY_INVARIANT_HOLDS = { code: 0, said: "Tous les invariants tiennent." } as const;
