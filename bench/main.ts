import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { readWords } from "../scripts/read-words.ts";
import { type BenchRow, isMet, renderTable } from "./figures.ts";

const PARTS: Readonly<Record<string, () => Promise<readonly BenchRow[]>>> = {
  core: async () => (await import("./core-signature.ts")).benchCoreSignature(),
  start: async () => (await import("./start.ts")).benchStart(),
  http: async () => (await import("./http.ts")).benchHttp(),
  statements: async () => (await import("./statements.ts")).benchStatements(),
  webhooks: async () => (await import("./webhooks.ts")).benchWebhooks(),
  bulk: async () => (await import("./bulk.ts")).benchBulk(),
  fairness: async () => (await import("./fairness.ts")).benchFairness(),
  lists: async () => (await import("./lists.ts")).benchLists(),
  scale: async () => (await import("./scale.ts")).benchScale(),
  pages: async () => (await import("./pages.ts")).benchPages(),
  timing: async () => (await import("./timing.ts")).benchTiming(),
};

const { words: asked } = readWords({
  usage: `npm run bench: figures beside their goals, as a table and in bench/results/. -- <part> … runs some:\n  ${Object.keys(PARTS).join("\n  ")}`,
  options: {},
  isWord: (word) => Object.hasOwn(PARTS, word),
});

const rows: BenchRow[] = [];
for (const [name, run] of Object.entries(PARTS)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  console.log(`… ${name}`);
  rows.push(...(await run()));
}

const { stdout: commit } = await promisify(execFile)("git", ["rev-parse", "--short", "HEAD"]);
const machine = {
  cpu: cpus()[0]?.model ?? "",
  cores: cpus().length,
  memoryGb: Math.round(totalmem() / 2 ** 30),
  node: process.version,
};
const report = {
  at: new Date().toISOString(),
  commit: commit.trim(),
  machine,
  rows: rows.map((row) => ({ ...row, met: isMet(row) })),
};
const folder = join(import.meta.dirname, "results");
await mkdir(folder, { recursive: true });
await writeFile(
  join(folder, `${report.at.replace(/[:.]/g, "-")}.json`),
  `${JSON.stringify(report, null, 2)}\n`,
);
await writeFile(join(folder, "latest.json"), `${JSON.stringify(report, null, 2)}\n`);
console.log(
  `\n${machine.cores} cores, ${machine.cpu}, ${machine.memoryGb} GB, Node ${machine.node}, commit ${report.commit}\n`,
);
console.log(renderTable(rows));
