import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { findAffectedTests } from "./affected/find-affected-tests.ts";
import { readImports } from "./affected/read-imports.ts";
import { listFiles } from "./fences/list-files.ts";
import { runCommand } from "./run-command.ts";

/**
 * `npm run test:changed`: the tests that the uncommitted change can break, by what each file imports. `-- --base REV` takes all that came since REV,
 * `-- --all` runs what is left out as well. What is left out is named: tests that reach the change only through the composed service, and browser stories.
 */
const words = process.argv.slice(2);
const base = words.includes("--base") ? (words[words.indexOf("--base") + 1] ?? "HEAD") : "HEAD";
const root = process.cwd();
const env = { ...process.env, PATH: [join(root, "node_modules/.bin"), process.env.PATH].join(delimiter) };
const git = (...args: string[]) => execFileSync("git", args, { encoding: "utf8", maxBuffer: 64 << 20 });

const paths = await listFiles(root);
const named = [git("diff", "--name-only", base), git("ls-files", "--others", "--exclude-standard")].join("\n").split("\n");
const changed = [...new Set(named)].filter((path) => path !== "");
/** What no import leads to, and every test depends on. */
const EVERYTHING = new RegExp(
  [
    "package(-lock)?\\.json$",
    "(\\w+/\\w+/)?(vite|vitest|playwright)[\\w.]*\\.ts$",
    "apps/server/migrations/",
    "apps/web/build/",
    "(apps/server/testing|tests/journeys)/global-setup\\.ts$",
    "packages/pades/(interop/share-judges|testing/coverage)\\.ts$",
    "scripts/(spread-long-tests|times/note-)",
  ]
    .map((start) => `^${start}`)
    .join("|"),
);
const { near, far } = findAffectedTests(readImports(root, paths), changed);

const isStory = (path: string) => path.endsWith(".spec.ts");
const wanted = words.includes("--all") ? [...near, ...far] : near.filter((path) => !isStory(path) || changed.includes(path));
const left = [...near, ...far].filter((path) => !wanted.includes(path));
const tests = wanted.filter((path) => !isStory(path));
const stories = wanted.filter(isStory);

console.log(`${changed.length} files changed; ${tests.length} test files and ${stories.length} browser stories can break by it`);
const codes = [
  ...(tests.length > 0 ? [await runCommand("vitest", ["run", ...tests], { env, echo: true })] : []),
  ...(stories.length > 0 ? [await runCommand("playwright", ["test", ...stories], { env, echo: true })] : []),
];
if (left.length > 0) {
  const folders = Map.groupBy(left, (path) =>
    path
      .split("/")
      .slice(0, path.startsWith("apps") ? 4 : 2)
      .join("/"),
  );
  console.log(
    `\nLeft out (npm run test:changed -- --all): ${left.length} files that reach the change through the composed service or a browser`,
  );
  for (const [folder, files] of folders) console.log(`  ${folder}: ${files.length}`);
}
/** A path that is gone is imported by nobody: what it took with it is not seen. */
const whole = changed.filter((path) => EVERYTHING.test(path) || !existsSync(join(root, path)));
if (whole.length > 0) console.log(`\nEvery test depends on ${whole.join(", ")}: only npm test tells`);
process.exitCode = codes.some(({ code }) => code !== 0) || (codes.length === 0 && whole.length > 0) ? 1 : 0;
