import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

export function hasTool(program: string): boolean {
  return (process.env["PATH"] ?? "")
    .split(delimiter)
    .some((folder) => folder !== "" && existsSync(join(folder, program)));
}

/** Exit code and output of a tool. `settings`: added to the environment. */
export function runTool(
  program: string,
  words: readonly string[],
  settings: NodeJS.ProcessEnv = {},
): { code: number; output: string } {
  const env = { ...process.env, ...settings };
  const { status, stdout, stderr, error } = spawnSync(program, words, {
    encoding: "utf8",
    env,
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error) throw new Error(`${program} could not run`, { cause: error });
  return { code: status ?? 1, output: stdout + stderr };
}

export async function runToolBeside(
  program: string,
  words: readonly string[],
  settings: NodeJS.ProcessEnv = {},
): Promise<{ code: number; output: string }> {
  const child = spawn(program, words, {
    env: { ...process.env, ...settings },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (part: string) => (output += part));
  const code = await new Promise<number | null>((resolve, reject) =>
    child.on("error", reject).on("close", resolve),
  );
  return { code: code ?? 1, output };
}
