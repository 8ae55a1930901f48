import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { delimiter, join } from "node:path";
import { readWords } from "./read-words.ts";
import { type CommandOutcome, runCommand } from "./run-command.ts";

type Check = { readonly name: string; readonly command: readonly [string, ...string[]] };

const trees = ["apps", "packages", "scripts", "tests", "bench"].filter((tree) => existsSync(tree));
/** `tsconfig.tools.json` contains server and command line, checked with their importers. */
const projects = [
  "packages/kernel",
  "packages/contracts",
  "packages/pades",
  "packages/proof",
  "packages/sdk",
  "apps/web",
  "tsconfig.tools.json",
];

const checks: readonly Check[] = [
  ...projects.map(
    (project): Check => ({
      name: `types ${project}`,
      // Two checks run at a time: threads of one would each infer the same types.
      command: ["tsc", "--singleThreaded", "--pretty", "false", "-p", project],
    }),
  ),
  { name: "lint", command: ["oxlint", "--deny-warnings", "--format=unix", ...trees] },
  { name: "format", command: ["biome", "format", "--reporter=summary", "--colors=off", "."] },
  { name: "imports generated", command: ["node", "scripts/fences/run-fence.ts", "imports"] },
  { name: "unused", command: ["knip", "--no-progress"] },
  {
    name: "unused product",
    command: ["knip", "--production", "--include=files,exports", "--no-progress"],
  },
  { name: "text", command: ["node", "scripts/fences/run-fence.ts", "text"] },
  { name: "french", command: ["node", "scripts/fences/run-fence.ts", "french"] },
  { name: "links", command: ["node", "scripts/fences/run-fence.ts", "links"] },
];

const kinds = [...new Set(checks.flatMap(({ name }) => name.split(" ")))];
const { words: wanted } = readWords({
  usage: `npm run check: all checks, side by side. -- <name> … runs some of them:\n  ${kinds.join("\n  ")}`,
  options: {},
  isWord: (word) => kinds.includes(word),
});
const chosen = checks.filter(
  ({ name }) => wanted.length === 0 || wanted.some((word) => name.split(" ").includes(word)),
);
const env = {
  ...process.env,
  PATH: [join(process.cwd(), "node_modules/.bin"), process.env.PATH].join(delimiter),
  FORCE_COLOR: "0",
  // Programs in Go: collecting garbage is a third of their CPU. They end before the limit.
  GOGC: "off",
  GOMEMLIMIT: "2GiB",
};
const waiting = [...chosen];
const failed: string[] = [];

function report({ name }: Check, { code, output, seconds }: CommandOutcome): void {
  console.log(`${code === 0 ? "ok    " : "FAILED"} ${name.padEnd(28)} ${seconds.toFixed(1)} s`);
  if (code === 0) return;
  failed.push(name);
  console.log(output.trimEnd().replace(/^/gm, "       "));
}

async function work(): Promise<void> {
  for (let check = waiting.shift(); check; check = waiting.shift()) {
    const [command, ...words] = check.command;
    report(check, await runCommand(command, words, { env }));
  }
}

await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, work));
console.log(
  failed.length === 0
    ? `${chosen.length} checks passed`
    : `${failed.length} of ${chosen.length} checks failed: ${failed.join(", ")}`,
);
if (failed.length > 0) process.exitCode = 1;
