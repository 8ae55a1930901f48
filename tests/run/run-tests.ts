import { rm } from "node:fs/promises";
import { delimiter, join } from "node:path";
import {
  type NamedTest,
  readPlaywrightReport,
  readVitestReport,
  type TestReport,
} from "./read-test-reports.ts";
import { runCommand } from "../../scripts/run-command.ts";

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
 * Three processes for two cores, because several tests mostly wait. Set on the command line,
 * because Vitest runs only projects of one setting together.
 */
export const TEST_PROCESSES = "--maxWorkers=3";

/** Uses the compile cache of `npm start`, which saves a third of a start's CPU. */
export const TEST_ENV: NodeJS.ProcessEnv = {
  ...process.env,
  NODE_COMPILE_CACHE: join(process.cwd(), ".cache/node"),
  PATH: [join(process.cwd(), "node_modules/.bin"), process.env.PATH].join(delimiter),
};

/** Builds if stale; a failure ends the program. */
export async function buildClient(): Promise<void> {
  const { code } = await runCommand("node", ["scripts/setup.mjs", "tools", "client"], {
    env: TEST_ENV,
    echo: true,
  });
  if (code !== 0) process.exit(code);
}

/** Reads the report `name` in `test-results`. */
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

export async function runStories(command: Command): Promise<TestRun> {
  const path = join(RESULTS, "journeys.json");
  await rm(path, { force: true });
  const { code, output } = await command("playwright", ["test"], {
    PLAYWRIGHT_JSON_OUTPUT_FILE: path,
  });
  return { report: await readPlaywrightReport(path), code, output };
}

export function listTests(title: string, tests: readonly NamedTest[]): void {
  if (tests.length > 0) console.log(`\n${title}`);
  for (const { file, name, why } of tests)
    console.log(`  ${file} › ${name}${why ? `\n      ${why}` : ""}`);
}
