import { readdirSync, readFileSync } from "node:fs";

/** Costly programs; others count in their parent's CPU. */
export type Program =
  | "service"
  | "browser"
  | "jvm"
  | "database"
  | "sandbox"
  | "python"
  | "story worker";
export type Start = {
  readonly pid: number;
  readonly program: Program;
  readonly at: number;
  readonly ancestors: readonly number[];
};
export type Watch = {
  /** Oldest first. */
  readonly starts: readonly Start[];
  /** CPU seconds of a process tree between two epoch milliseconds. */
  cpuBetween(pid: number, from: number, to: number): number;
  stop(): void;
};

/** By command line, its words joined by spaces. */
const PROGRAMS: readonly (readonly [Program, RegExp])[] = [
  ["service", /(?:apps\/server\/src\/main|scripts\/start)\.ts(?: |$)/],
  ["sandbox", /\/sandbox-child\.ts(?: |$)/],
  ["story worker", /\/playwright\/lib\/worker\/workerProcessEntry\.js(?: |$)/],
  ["browser", /^(?:\S*\/)?chrom(?:e|ium)(?: (?!--type=)\S+)*$/],
  ["jvm", /^(?:\S*\/)?java(?: |$)/],
  ["database", /^(?:\S*\/)?postgres .*(?<= )-D(?: |$)/],
  ["python", /^(?:\S*\/)?python3?[\d.]*(?: |$)/],
];
const EVERY_MS = 250;
/** proc(5), `stat`: a hundred ticks a second on Linux. */
const TICKS_PER_S = 100;

type Seen = { readonly pid: number; readonly parent: number; readonly ticks: number };

/** Watches this process tree through `/proc`, on Linux alone. */
export function watchProcesses(): Watch {
  const starts: Start[] = [];
  const known = new Set<number>();
  const series = new Map<number, { at: number; cpu: number }[]>();
  const timer = setInterval(look, EVERY_MS);
  timer.unref();

  function look(): void {
    const at = Date.now();
    const all = new Map(readProcesses().map((seen) => [seen.pid, seen]));
    const ancestorsOf = (pid: number): number[] => {
      const found: number[] = [];
      for (
        let parent = all.get(pid)?.parent;
        parent !== undefined && all.has(parent);
        parent = all.get(parent)?.parent
      )
        found.push(parent);
      return found;
    };
    const sums = new Map<number, number>();
    for (const { pid, ticks } of all.values()) {
      const ancestors = ancestorsOf(pid);
      if (pid !== process.pid && !ancestors.includes(process.pid)) continue;
      for (const each of [pid, ...ancestors])
        sums.set(each, (sums.get(each) ?? 0) + ticks / TICKS_PER_S);
      if (known.has(pid)) continue;
      const program = programOf(pid);
      // A forked process shows its parent's words until it executes.
      if (
        program !== null &&
        !ancestors.some((parent) =>
          starts.some((start) => start.pid === parent && start.program === program),
        )
      )
        starts.push({ pid, program, at, ancestors });
      known.add(pid);
    }
    for (const [pid, cpu] of sums) {
      const points = series.get(pid);
      if (points) points.push({ at, cpu });
      else series.set(pid, [{ at, cpu }]);
    }
  }
  const cpuAt = (pid: number, moment: number): number => {
    const points = series.get(pid) ?? [];
    return points.findLast(({ at }) => at <= moment)?.cpu ?? 0;
  };
  return {
    starts,
    cpuBetween: (pid, from, to) => Math.max(0, cpuAt(pid, to) - cpuAt(pid, from)),
    stop: () => clearInterval(timer),
  };
}

/** CPU with that of awaited children: summed over a tree, ended ones are included. */
function readProcesses(): Seen[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.flatMap((name) => {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "latin1");
      // proc(5): the name in parentheses may contain anything.
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      const [, parent, ...rest] = fields;
      const ticks = rest.slice(9, 13).reduce((sum, field) => sum + Number(field), 0);
      return [{ pid: Number(name), parent: Number(parent), ticks }];
    } catch {
      return [];
    }
  });
}

function programOf(pid: number): Program | null {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, "utf8")
      .split("\0")
      .filter(Boolean)
      .join(" ");
    return PROGRAMS.find(([, pattern]) => pattern.test(words))?.[0] ?? null;
  } catch {
    return null;
  }
}
