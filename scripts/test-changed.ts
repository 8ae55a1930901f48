import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import {
  chooseTests,
  isOfDeployments,
  isStory,
  NEAREST_FIRST,
  quotedBy,
} from "./affected/choose-tests.ts";
import { findAffectedTests } from "./affected/find-affected-tests.ts";
import { readImports } from "./affected/read-imports.ts";
import { listFiles } from "./fences/list-files.ts";
import { readWords, refuseWords } from "./read-words.ts";
import { runCommand } from "./run-command.ts";
import {
  buildClient,
  type Command,
  listTests,
  RESULTS,
  runStories,
  runVitest,
  TEST_ENV,
  TEST_PROCESSES,
  type TestRun,
} from "./run-tests.ts";

const USAGE = `npm run test:changed: in about a minute, the nearest tests that the uncommitted change can break, by what each file imports.
What is left out is named: what is far, takes long, or needs a browser.
  -- --base REV   all that came since REV
  -- --all        everything that the change can break, however long it takes`;

/** What no import leads to, and every test depends on. */
const EVERYTHING = new RegExp(
  [
    "package(-lock)?\\.json$",
    "(\\w+/\\w+/)?(vite|vitest|playwright)[\\w.]*\\.ts$",
    "apps/server/migrations/",
    "apps/web/build/",
    "(apps/server/testing|tests/journeys)/global-setup\\.ts$",
    "packages/pades/(interop/share-validators|testing/coverage)\\.ts$",
    "scripts/((spread-)?long-tests|run-tests|affected/nearest-first|times/note-)",
  ]
    .map((start) => `^${start}`)
    .join("|"),
);

/** What more files quote says nothing about any of them. */
const QUOTED_AT_MOST = 10;

const { values } = readWords({
  usage: USAGE,
  options: { base: { type: "string", default: "HEAD" }, all: { type: "boolean" } },
  isWord: () => false,
});
const { base } = values;
if (spawnSync("git", ["rev-parse", "--verify", "--quiet", `${base}^{commit}`]).status !== 0)
  refuseWords(`${base} is no revision of this repository`, USAGE);
const root = process.cwd();
const git = (...args: string[]) =>
  execFileSync("git", args, { encoding: "utf8", maxBuffer: 64 << 20 });

const paths = await listFiles(root);
const named = [git("diff", "--name-only", base), git("ls-files", "--others", "--exclude-standard")]
  .join("\n")
  .split("\n");
const changed = [...new Set(named)].filter((path) => path !== "");
const imports = readImports(root, paths);
const affected = findAffectedTests(imports, changed);
const all = [...affected.near, ...affected.far];
const texts = new Map(all.map((path) => [path, readFileSync(join(root, path), "utf8")]));
const quoting = quotedBy(git("diff", "--unified=0", base)).map((string) =>
  all.filter((path) => texts.get(path)?.includes(string)),
);
const choice = chooseTests(
  affected,
  changed,
  new Set(quoting.filter((files) => files.length <= QUOTED_AT_MOST).flat()),
);
const chosen = values.all ? all.filter((path) => !isOfDeployments(path)) : choice.chosen;
const tests = chosen.filter((path) => !isStory(path));
const stories = chosen.filter(isStory);

console.log(
  `Changed: ${count(changed, "file")}. Within reach: ${count(all, "test file")}. Run: ${chosen.length}`,
);
await mkdir(RESULTS, { recursive: true });
const command: Command = (program, words, more) =>
  runCommand(program, words, {
    env: { ...TEST_ENV, [NEAREST_FIRST]: tests.join("\n"), ...more },
    echo: true,
  });
const runs: TestRun[] = [];
/** What runs the service as it is served needs the client; no other test does. */
if (chosen.some((path) => path.startsWith("tests/"))) await buildClient();
if (tests.length > 0)
  runs.push(await runVitest(command, "changed.json", [TEST_PROCESSES, ...tests]));
if (stories.length > 0) runs.push(await runStories(command, stories));

if (!values.all)
  for (const [why, files] of choice.left) {
    console.log(`\nLeft out (-- --all), ${why}: ${count(files, "file")}`);
    for (const [folder, those] of Map.groupBy(files, dirname))
      console.log(
        `  ${folder}: ${those.map((path) => basename(path).replace(/\.(test|spec)\.tsx?$/, "")).join(", ")}`,
      );
  }
/** A path that is gone is imported by nobody: what it took with it is not seen. */
const whole = changed.filter((path) => EVERYTHING.test(path) || !existsSync(join(root, path)));
if (whole.length > 0)
  console.log(`\nEvery test depends on ${whole.join(", ")}: only npm test tells`);
const unreached = changed.filter(
  (path) => !whole.includes(path) && !path.endsWith(".md") && isUnreached(path),
);
if (unreached.length > 0)
  console.log(`\nNo test reaches ${unreached.join(", ")}: only npm test tells`);
listTests(
  "Failed",
  runs.flatMap(({ report }) => report.failed),
);
process.exitCode =
  runs.some(({ code }) => code !== 0) || (runs.length === 0 && whole.length > 0) ? 1 : 0;

function isUnreached(path: string): boolean {
  const { near, far } = findAffectedTests(imports, [path]);
  return near.length + far.length === 0;
}

function count(files: readonly string[], what: string): string {
  return `${files.length} ${what}${files.length === 1 ? "" : "s"}`;
}
