import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export type Program = {
  readonly name: string;
  readonly command: readonly string[];
  /** Folder of `<name>.log`. */
  readonly folder: string;
  readonly env?: NodeJS.ProcessEnv;
};

export type RunningProgram = {
  readonly pid: number;
  said(): string;
  signal(signal: NodeJS.Signals): void;
  kill(): Promise<void>;
};

const LAST_WORDS = 2_000;

const ends = new Set<() => void>();
process.once("exit", () => {
  for (const end of ends) end();
});

/** Runs `end` when this process ends, for whatever reason. */
export function endWithThis(end: () => void): void {
  ends.add(end);
}

/** Starts another maker's program; it ends with this process. */
export function startProgram({ name, command, folder, env }: Program): RunningProgram {
  const [program = "", ...words] = command;
  const path = join(folder, `${name}.log`);
  const log = openSync(path, "a");
  const child = spawn(program, words, {
    cwd: "/",
    env: { PATH: process.env["PATH"], LC_ALL: "C.UTF-8", ...env },
    stdio: ["ignore", log, log],
  });
  closeSync(log);
  endWithThis(() => child.kill("SIGKILL"));
  return {
    pid: child.pid ?? 0,
    said: () => readFileSync(path, "utf8").slice(-LAST_WORDS),
    signal: (signal) => void child.kill(signal),
    kill: () => endOf(child),
  };
}

async function endOf(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

/** Signals a process and its descendants; those that have ended are passed over. */
export function signalTree(pid: number, signal: NodeJS.Signals): void {
  for (const one of [pid, ...descendantsOf(pid)]) {
    try {
      process.kill(one, signal);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
    }
  }
}

/** Source: proc_pid_stat(5): the parent is the second field behind the name. */
function descendantsOf(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const entry of readdirSync("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, "utf8");
      parents.set(Number(entry), Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]));
    } catch {
      // It has ended.
    }
  }
  const below = (parent: number): number[] =>
    [...parents]
      .filter(([, found]) => found === parent)
      .flatMap(([child]) => [child, ...below(child)]);
  return below(pid);
}

/** Polls until true. Errors: throws what was awaited, with the last output of `said`. */
export async function waitUntil(
  what: string,
  isSo: () => Promise<boolean>,
  { ms = 60_000, said }: { readonly ms?: number; said?(): string } = {},
): Promise<void> {
  for (const deadline = Date.now() + ms; !(await isSo().catch(() => false)); await sleep(200))
    if (Date.now() > deadline)
      throw new Error(
        `${what}: not within ${ms / 1_000} s; it said:\n${(said?.() ?? "").slice(-LAST_WORDS)}`,
      );
}
