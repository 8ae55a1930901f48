import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";

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

/** Counts ended children too. */
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
