import { existsSync, readFileSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { installInteropTools } from "./install-interop-tools.ts";
import { installTestTools } from "./install-test-tools.ts";
import { joinReports, type NamedTest, type TestReport } from "./read-test-reports.ts";
import { memoryFolder, removeFolder } from "./memory-folder.ts";
import { readWords } from "../../scripts/read-words.ts";
import { runCommand } from "../../scripts/run-command.ts";
import {
  buildClient,
  type Command,
  listTests,
  RESULTS as results,
  runStories,
  runVitest,
  TEST_ENV,
  TEST_PROCESSES,
} from "./run-tests.ts";

/**
 * `npm test`: every layer, one line of counts.
 * A test that passes when run again is unsteady: it passes, and more than three fail the run.
 * A layer without counts is one failure; with CI set, so is a missing tool.
 */
type Counts = { readonly passed: number; readonly failed: number; readonly skipped: number };
type Layer = { readonly id: string; readonly name: string; run(command: Command): Promise<Counts> };

const { words: asked } = readWords({
  usage: `npm test: every layer, then one line of counts. \`npm run test:changed\` runs what a change touches.
  -- checks, -- tests, -- journeys   some layers alone`,
  options: {},
  isWord: (word) => ["checks", "tools", "tests", "journeys"].includes(word),
});

/** More failures have a common cause. */
const RUN_AGAIN_AT_MOST = 8;

const UNSTEADY_AT_MOST = 3;

const inMemory = await memoryFolder(process.cwd());
const env = {
  ...TEST_ENV,
  ...(inMemory === null ? {} : { TMPDIR: inMemory, TEST_POSTGRES_DIR: join(inMemory, "postgres") }),
};

const failed: NamedTest[] = [];
const unsteady: NamedTest[] = [];

function countOf(report: TestReport): Counts {
  failed.push(...report.failed);
  unsteady.push(...report.unsteady);
  return {
    passed: report.passed.length + report.unsteady.length,
    failed: report.failed.length,
    skipped: report.skipped.length,
  };
}

/** A failed run without failed tests (a refused configuration) counts as one. */
function withExitCode(layer: string, counts: Counts, code: number): Counts {
  if (code === 0 || counts.failed > 0) return counts;
  failed.push({ file: layer, name: `ended with code ${code}, and named no test`, why: "" });
  return { ...counts, failed: 1 };
}

const tools: Layer = {
  id: "tools",
  name: "tools",
  async run() {
    // In order: the second uses what the first installs.
    const missing = [...(await installTestTools()), ...(await installInteropTools(process.cwd()))];
    for (const { program, why } of missing)
      console.log(`${program} is missing, the tests that need it are skipped: ${why}`);
    return { passed: 0, failed: process.env.CI ? missing.length : 0, skipped: 0 };
  },
};

const checks: Layer = {
  id: "checks",
  name: "checks",
  async run(command) {
    const { code, output } = await command("node", ["scripts/check.ts"]);
    const passed = output.match(/^ok {4}/gm)?.length ?? 0;
    const failed = output.match(/^FAILED /gm)?.length ?? 0;
    return withExitCode("checks", { passed, failed, skipped: 0 }, code);
  },
};

/** Untested lines of the validation are where attacks pass. */
const COVERED = "**/packages/pades/src/validate/*.ts";
const coverage = [
  "enabled",
  "provider=custom",
  "customProviderModule=packages/pades/testing/coverage.ts",
  `include=${COVERED}`,
  "reporter=json-summary",
  "reportOnFailure",
  `reportsDirectory=${results}/coverage`,
].map((option) => `--coverage.${option}`);

const tests: Layer = {
  id: "tests",
  name: "unit, store, route, interop, faults and API journey",
  async run(command) {
    const first = await runVitest(command, "vitest.json", [TEST_PROCESSES, ...coverage]);
    const files = [...new Set(first.report.failed.map(({ file }) => file))];
    const isRunAgain = files.length > 0 && files.length <= RUN_AGAIN_AT_MOST;
    if (isRunAgain) console.log(`\n== again, alone: ${files.join(", ")}`);
    const again = isRunAgain
      ? await runVitest(command, "vitest-again.json", ["--maxWorkers=1", ...files])
      : null;
    const report = again === null ? first.report : joinReports(first.report, again.report);
    // Errors outside tests are in no report, and a second run does not fix them.
    const isBroken = /Unhandled (?:Error|Rejection)|Error during global (?:setup|teardown)/.test(
      first.output,
    );
    return withExitCode(
      "tests",
      withCoverage(countOf(report)),
      isBroken ? first.code : (again ?? first).code,
    );
  },
};

/** Coverage of the full run counts as one test. */
function withCoverage(counts: Counts): Counts {
  const path = join(results, "coverage/coverage-summary.json");
  const summary = existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Summary) : null;
  const percent = summary?.total.lines.pct ?? 0;
  if (percent === 100) return { ...counts, passed: counts.passed + 1 };
  failed.push({
    file: COVERED,
    name: `has ${percent} % of its lines tested in the first run, and must have all`,
    why: "",
  });
  return { ...counts, failed: counts.failed + 1 };
}
type Summary = { readonly total: { readonly lines: { readonly pct: number } } };

const journeys: Layer = {
  id: "journeys",
  name: "browser journeys",
  async run(command) {
    const { report, code } = await runStories(command);
    return withExitCode("journeys", countOf(report), code);
  },
};

async function runLayer(layer: Layer): Promise<void> {
  console.log(`\n== ${layer.name}`);
  const from = Date.now();
  const counts = await layer.run((program, words, more) =>
    runCommand(program, words, {
      env: { ...env, ...more },
      echo: true,
    }),
  );
  console.log(`\n== ${layer.name}: ${((Date.now() - from) / 1_000).toFixed(0)} s`);
  total.passed += counts.passed;
  total.failed += counts.failed;
  total.skipped += counts.skipped;
}

function isAsked(id: string): boolean {
  return asked.length === 0 || asked.includes(id);
}

const total = { passed: 0, failed: 0, skipped: 0 };
await rm(results, { recursive: true, force: true });
await mkdir(results, { recursive: true });
const runAsked = (...some: readonly Layer[]) =>
  Promise.all(some.filter(({ id }) => isAsked(id)).map(runLayer));
const prepare = () =>
  Promise.all([
    isAsked("tests") || isAsked("journeys") ? buildClient() : undefined,
    runAsked(tools),
  ]);
/**
 * Checks need neither tools nor the client, and fill the cores meanwhile; stories run beside the
 * tests, which wait a third of their time.
 */
await Promise.all([runAsked(checks), prepare().then(() => runAsked(tests, journeys))]);
if (inMemory !== null) await removeFolder(inMemory);
if (unsteady.length > UNSTEADY_AT_MOST) {
  failed.push({
    file: "unsteady",
    name: `${unsteady.length} tests failed, then passed: ${UNSTEADY_AT_MOST} may`,
    why: "",
  });
  total.failed += 1;
}
listTests("Failed", failed);
listTests(
  `Unsteady: failed, then passed when run again alone (${UNSTEADY_AT_MOST} at most)`,
  unsteady,
);
console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exitCode = total.failed > 0 ? 1 : 0;
