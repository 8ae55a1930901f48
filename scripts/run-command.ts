import { spawn } from "node:child_process";
import { performance } from "node:perf_hooks";

export type CommandOutcome = {
  readonly code: number;
  readonly output: string;
  readonly seconds: number;
};
type CommandOptions = {
  readonly env?: NodeJS.ProcessEnv;
  readonly echo?: boolean;
};

/** Runs a command and captures its output (`echo`: shows it too). Never throws for its failure. */
export function runCommand(
  command: string,
  words: readonly string[],
  options: CommandOptions = {},
): Promise<CommandOutcome> {
  const started = performance.now();
  return new Promise((resolve) => {
    const child = spawn(command, words, {
      env: options.env ?? process.env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const said: Buffer[] = [];
    const keep = (stream: NodeJS.WriteStream) => (chunk: Buffer) => {
      said.push(chunk);
      if (options.echo) stream.write(chunk);
    };
    child.stdout.on("data", keep(process.stdout));
    child.stderr.on("data", keep(process.stderr));
    const end = (code: number, more = "") =>
      resolve({
        code,
        output: Buffer.concat(said).toString("utf8") + more,
        seconds: (performance.now() - started) / 1_000,
      });
    child.on("error", (error) => end(127, `${command}: ${error.message}\n`));
    child.on("close", (code, signal) =>
      end(code ?? 1, signal ? `${command} was ended by ${signal}\n` : ""),
    );
  });
}
