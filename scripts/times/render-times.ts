import { existsSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import type { Program, Watch } from "./watch-processes.ts";

/** `cpu`: seconds of a thread whose process ran others too. */
export type FileRun = {
  readonly file: string;
  readonly pid: number;
  readonly from: number;
  readonly to: number;
  readonly cpu: number | null;
};
/** `pids`: the layer's processes; without one, this process. */
export type LayerRun = {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly pids: readonly number[];
};

type Row = {
  readonly name: string;
  readonly wall: number;
  readonly cpu: number;
  readonly starts: ReadonlyMap<Program, number>;
};

const COLUMNS: readonly Program[] = ["service", "browser", "jvm", "database", "sandbox", "python"];
/** Shorter files share one row. */
const SMALL_S = 2;

export function readNotes(path: string): FileRun[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as FileRun);
}

type PlaywrightResult = {
  readonly workerIndex: number;
  readonly startTime: string;
  readonly duration: number;
};
type Suite = {
  readonly suites?: readonly Suite[];
  readonly specs?: readonly {
    readonly file: string;
    readonly tests: readonly {
      readonly projectName: string;
      readonly results: readonly PlaywrightResult[];
    }[];
  }[];
};

/** Numbers workers by their first start. */
export function readStories(path: string, watch: Watch): FileRun[] {
  if (!existsSync(path)) return [];
  const workers = watch.starts.filter(({ program }) => program === "story worker");
  const found: FileRun[] = [];
  const visit = ({ suites = [], specs = [] }: Suite): void => {
    for (const { file, tests } of specs)
      for (const { projectName, results } of tests)
        for (const { workerIndex, startTime, duration } of results) {
          const from = Date.parse(startTime);
          found.push({
            file: `tests/journeys/${file} [${projectName}]`,
            pid: workers[workerIndex]?.pid ?? 0,
            from,
            to: from + duration,
            cpu: null,
          });
        }
    suites.forEach(visit);
  };
  visit(JSON.parse(readFileSync(path, "utf8")) as Suite);
  return found;
}

/** By layer and file: wall and CPU seconds, starts of costly programs. */
export function renderTimes(
  layers: readonly LayerRun[],
  files: readonly FileRun[],
  watch: Watch,
): string {
  const head = ["", "wall s", "CPU s", ...COLUMNS].join(" | ");
  const cpuOf = (pids: readonly number[], from: number, to: number) =>
    sum(pids.map((pid) => watch.cpuBetween(pid, from, to)));
  const layerRows = layers.map(({ name, from, to, pids }): Row => {
    const cpu =
      pids.length > 0
        ? cpuOf(pids, from, to)
        : watch.cpuBetween(process.pid, from, to) -
          cpuOf(
            layers.flatMap((layer) => layer.pids),
            from,
            to,
          );
    const starts = watch.starts.filter(({ ancestors }) =>
      ancestors.some((pid) => pids.includes(pid)),
    );
    return {
      name,
      wall: (to - from) / 1_000,
      cpu,
      starts: count(starts.map(({ program }) => program)),
    };
  });
  const rows = [...Map.groupBy(files, ({ file }) => file)].map(([file, runs]) =>
    rowOf(file, runs, watch),
  );
  const [large, small] = [
    rows.filter(({ wall }) => wall >= SMALL_S),
    rows.filter(({ wall }) => wall < SMALL_S),
  ];
  const sorted = [...large, addUp(small)].sort((one, other) => other.cpu - one.cpu);
  return [
    `| layer ${head} |`,
    line(),
    ...layerRows.map(write),
    "",
    `| file ${head} |`,
    line(),
    ...sorted.map(write),
  ].join("\n");
}

function rowOf(file: string, runs: readonly FileRun[], watch: Watch): Row {
  // Parallel threads share their process: starts cannot be attributed.
  const inRun = runs.flatMap(({ pid, from, to, cpu }) =>
    watch.starts
      .filter(
        ({ at, ancestors }) => cpu === null && at >= from && at <= to && ancestors.includes(pid),
      )
      .map(({ program }) => program),
  );
  return {
    name: file.startsWith("/") ? relative(process.cwd(), file) : file,
    wall: sum(runs.map(({ from, to }) => (to - from) / 1_000)),
    cpu: sum(runs.map(({ pid, from, to, cpu }) => cpu ?? watch.cpuBetween(pid, from, to))),
    starts: count(inRun),
  };
}

function addUp(rows: readonly Row[]): Row {
  const starts = rows.flatMap((row) =>
    [...row.starts].flatMap(([program, times]) => Array.from({ length: times }, () => program)),
  );
  return {
    name: `${rows.length} files under ${SMALL_S} s`,
    wall: sum(rows.map(({ wall }) => wall)),
    cpu: sum(rows.map(({ cpu }) => cpu)),
    starts: count(starts),
  };
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const count = (programs: readonly Program[]) =>
  new Map([...Map.groupBy(programs, (each) => each)].map(([each, all]) => [each, all.length]));
const line = () => `| --- ${"| ---: ".repeat(COLUMNS.length + 2)}|`;
const write = ({ name, wall, cpu, starts }: Row) =>
  `| ${[name, wall.toFixed(1), cpu.toFixed(1), ...COLUMNS.map((program) => starts.get(program) ?? "")].join(" | ")} |`;
