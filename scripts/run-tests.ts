import { rm } from "node:fs/promises";
import { delimiter, join } from "node:path";
import {
  type NamedTest,
  readPlaywrightReport,
  readVitestReport,
  type TestReport,
} from "./read-test-reports.ts";
import { runCommand } from "./run-command.ts";

/** Runs a command, with what it says shown. */
export type Command = (
  program: string,
  words: readonly string[],
  more?: NodeJS.ProcessEnv,
) => Promise<{ readonly code: number; readonly output: string }>;
export type TestRun = {
  readonly report: TestReport;
  readonly code: number;
  readonly output: string;
};

export const RESULTS = join(process.cwd(), "test-results");

/**
 * One more than the two cores of the smallest machine: the tests of the queue, the database's life and kill -9 mostly wait.
 * Said on the command line, for every workspace alike: Vitest runs together only those that agree on it, and the others after them in one process.
 */
export const TEST_PROCESSES = "--maxWorkers=3";

/** What the tests run with. Services of the tests start from what was compiled once, as `npm start` keeps it: a third of a start's CPU. */
export const TEST_ENV: NodeJS.ProcessEnv = {
  ...process.env,
  NODE_COMPILE_CACHE: join(process.cwd(), ".cache/node"),
  PATH: [join(process.cwd(), "node_modules/.bin"), process.env.PATH].join(delimiter),
};

/** Builds the client where its sources are newer, or ends with the program. */
export async function buildClient(): Promise<void> {
  const { code } = await runCommand("node", ["scripts/setup.mjs", "tools", "client"], {
    env: TEST_ENV,
    echo: true,
  });
  if (code !== 0) process.exit(code);
}

/** Runs tests of Vitest, and reads the report `name` that they leave in `test-results`. */
export async function runVitest(
  command: Command,
  name: string,
  words: readonly string[],
): Promise<TestRun> {
  const path = join(RESULTS, name);
  await rm(path, { force: true });
  const { code, output } = await command("vitest", [
    "run",
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${path}`,
    ...words,
  ]);
  return { report: await readVitestReport(path), code, output };
}

/** Runs stories of Playwright, and reads their report. */
export async function runStories(command: Command, words: readonly string[]): Promise<TestRun> {
  const path = join(RESULTS, "journeys.json");
  await rm(path, { force: true });
  const { code, output } = await command("playwright", ["test", ...words], {
    PLAYWRIGHT_JSON_OUTPUT_FILE: path,
  });
  return { report: await readPlaywrightReport(path), code, output };
}

export function listTests(title: string, tests: readonly NamedTest[]): void {
  if (tests.length > 0) console.log(`\n${title}`);
  for (const { file, name, why } of tests)
    console.log(`  ${file} › ${name}${why ? `\n      ${why}` : ""}`);
}
