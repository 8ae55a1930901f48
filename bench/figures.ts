import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";

export type BenchRow = {
  readonly part: string;
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  /** In the row's unit; null for none. */
  readonly goal: { readonly atMost: number } | { readonly atLeast: number } | null;
};

export function isMet(row: BenchRow): boolean | null {
  if (row.goal === null) return null;
  return "atMost" in row.goal ? row.value <= row.goal.atMost : row.value >= row.goal.atLeast;
}

function goalText({ goal }: BenchRow): string {
  if (goal === null) return "–";
  return "atMost" in goal ? `≤ ${goal.atMost}` : `≥ ${goal.atLeast}`;
}

function valueText(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

export function renderTable(rows: readonly BenchRow[]): string {
  const cells = rows.map((row) => {
    const met = isMet(row);
    return [
      row.part,
      row.what,
      valueText(row.value),
      row.unit,
      goalText(row),
      met === null ? "" : met ? "yes" : "no",
    ];
  });
  const all = [["part", "what", "value", "unit", "goal", "met"], ...cells];
  const widths =
    all[0]?.map((_, column) => Math.max(...all.map((line) => line[column]?.length ?? 0))) ?? [];
  const line = (texts: readonly string[]) =>
    `| ${texts.map((text, column) => text.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const [head = [], ...body] = all;
  return [
    line(head),
    `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`,
    ...body.map(line),
  ].join("\n");
}

/** `fraction` from 0 to 1. */
export function percentile(values: readonly number[], fraction: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))] ?? Number.NaN;
}

/** sysconf(_SC_CLK_TCK) on Linux. */
const TICKS_PER_SECOND = 100;

/** `endedS`: of ended children. */
type ProcessStat = {
  readonly pid: number;
  readonly name: string;
  readonly parent: number;
  readonly cpuS: number;
  readonly endedS: number;
};

/** Server, its children (the PDF sandbox), or the embedded PostgreSQL. */
export type Share = "server" | "sandbox" | "database";

async function readStat(pid: number): Promise<ProcessStat | null> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null);
  if (text === null) return null;
  // proc(5): the name may have spaces; fields follow its parenthesis.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const name = text.slice(text.indexOf("(") + 1, text.lastIndexOf(")"));
  const secondsOf = (...indices: readonly number[]) =>
    indices.reduce((sum, index) => sum + Number(fields[index]), 0) / TICKS_PER_SECOND;
  return {
    pid,
    name,
    parent: Number(fields[1]),
    cpuS: secondsOf(11, 12),
    endedS: secondsOf(13, 14),
  };
}

/** The embedded PostgreSQL is a daemon, no child. */
async function findProcesses(
  pid: number,
  dataDir: string,
): Promise<(ProcessStat & { readonly share: Share })[]> {
  const postmaster = Number(
    (await readFile(join(dataDir, "db/postmaster.pid"), "utf8").catch(() => "")).split("\n")[0],
  );
  const names = await readdir("/proc");
  const all = (
    await Promise.all(
      names.filter((name) => /^\d+$/.test(name)).map((name) => readStat(Number(name))),
    )
  ).filter((stat) => stat !== null);
  const parents = new Map(all.map((stat) => [stat.pid, stat.parent]));
  const isUnder = (one: number, root: number): boolean =>
    one > 1 && (one === root || isUnder(parents.get(one) ?? 0, root));
  const shareOf = ({ pid: one, name }: ProcessStat): Share | null => {
    if (postmaster > 1 && isUnder(one, postmaster)) return "database";
    if (!isUnder(one, pid)) return null;
    return name === "paraphe" ? "server" : "sandbox";
  };
  return all.flatMap((stat) => {
    const share = shareOf(stat);
    return share === null ? [] : [{ ...stat, share }];
  });
}

export async function readCpuSeconds(pid: number, dataDir: string): Promise<number> {
  return (await findProcesses(pid, dataDir)).reduce(
    (sum, { cpuS, endedS }) => sum + cpuS + endedS,
    0,
  );
}

export async function readCpuShares(
  pid: number,
  dataDir: string,
): Promise<Readonly<Record<Share, number>>> {
  const shares: Record<Share, number> = { server: 0, sandbox: 0, database: 0 };
  for (const { share, cpuS, endedS } of await findProcesses(pid, dataDir)) {
    shares[share] += cpuS;
    // Ended children were the sandbox's.
    shares[share === "server" ? "sandbox" : share] += endedS;
  }
  return shares;
}

/** Proportional set size in MB: shared pages count once. */
export async function readMemoryMb(pid: number, dataDir: string): Promise<number> {
  const processes = await findProcesses(pid, dataDir);
  const sizes = await Promise.all(
    processes.map(async (one) => {
      const text = await readFile(`/proc/${one.pid}/smaps_rollup`, "utf8").catch(() => "");
      return Number(/^Pss:\s+(\d+) kB$/m.exec(text)?.[1] ?? 0);
    }),
  );
  return sizes.reduce((sum, size) => sum + size, 0) / 1_024;
}

const ROUNDS = 2_000;

/** One hash of 50 KB, one raw P-256 signature and one write, without the service. */
export function measureCpuFloorMs(): number {
  const bytes = new Uint8Array(50 * 1_024).fill(7);
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const path = join(tmpdir(), `paraphe-bench-floor-${process.pid}`);
  const before = process.cpuUsage();
  for (let round = 0; round < ROUNDS; round += 1) {
    sign("sha256", createHash("sha256").update(bytes).digest(), privateKey);
    writeFileSync(path, bytes);
  }
  const { user, system } = process.cpuUsage(before);
  unlinkSync(path);
  return (user + system) / 1_000 / ROUNDS;
}
