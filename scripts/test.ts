import { mkdir, rm } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { installInteropTools } from "./install-interop-tools.ts";
import { installTestTools } from "./install-test-tools.ts";
import { joinReports, type NamedTest, readPlaywrightReport, readVitestReport, type TestReport } from "./read-test-reports.ts";
import { runCommand } from "./run-command.ts";
import { type LayerRun, readNotes, readStories, renderTimes } from "./times/render-times.ts";
import { watchProcesses } from "./times/watch-processes.ts";

/**
 * `npm test`: every layer, one after the other, then one line of counts. `npm test -- checks`, `-- tests`, `-- coverage` or `-- journeys` runs some of them;
 * `-- --times` ends with what each layer and file took.
 * What failed in one run and passes in a second, alone, is named at the end as unsteady: it is passed, and a fault of ours to mend. More than three fail the run.
 * A layer that gives no counts counts as one failure; so does, with CI set, a tool that could not be installed.
 */
type Counts = { readonly passed: number; readonly failed: number; readonly skipped: number };
type Layer = { readonly id: string; readonly name: string; run(): Promise<Counts> };

/**
 * One more than the two cores of the smallest machine: the tests of the queue, the database's life and kill -9 mostly wait.
 * Said on the command line, for every workspace alike: Vitest runs together only those that agree on it, and the others after them in one process.
 */
const TEST_PROCESSES = "--maxWorkers=3";

/** More files than that fail for a reason: running them again would only take time. */
const RUN_AGAIN_AT_MOST = 8;

const UNSTEADY_AT_MOST = 3;

const results = join(process.cwd(), "test-results");
const notes = join(results, "files.jsonl");
const watch = process.argv.includes("--times") ? watchProcesses() : null;
const env = {
  ...process.env,
  ...(watch === null ? {} : { PARAPHE_TIMES: notes }),
  PATH: [join(process.cwd(), "node_modules/.bin"), process.env.PATH].join(delimiter),
};

const failed: NamedTest[] = [];
const unsteady: NamedTest[] = [];

function countOf(report: TestReport): Counts {
  failed.push(...report.failed);
  unsteady.push(...report.unsteady);
  return { passed: report.passed.length + report.unsteady.length, failed: report.failed.length, skipped: report.skipped.length };
}

/** A run that ended badly without a test to name, such as one whose configuration is refused: the exit code speaks for it, by the layer's name. */
function honest(layer: string, counts: Counts, code: number): Counts {
  if (code === 0 || counts.failed > 0) return counts;
  failed.push({ file: layer, name: `ended with code ${code}, and named no test`, why: "" });
  return { ...counts, failed: 1 };
}

const tools: Layer = {
  id: "tools",
  name: "tools",
  async run() {
    const missing = [...installTestTools(), ...installInteropTools(process.cwd())];
    for (const { program, why } of missing) console.log(`${program} is missing, the tests that need it are skipped: ${why}`);
    return { passed: 0, failed: process.env.CI ? missing.length : 0, skipped: 0 };
  },
};

const checks: Layer = {
  id: "checks",
  name: "checks",
  async run() {
    const { code, output } = await runCommand("node", ["scripts/check.ts"], { env, echo: true });
    const passed = output.match(/^ok {4}/gm)?.length ?? 0;
    const failed = output.match(/^FAILED /gm)?.length ?? 0;
    return honest("checks", { passed, failed, skipped: 0 }, code);
  },
};

/** What judges signatures, each workspace's path of its own: its tests run once, with the coverage asked of it. */
const JUDGES = ["src/validate/**", "src/inspect/**", "src/sign/long-term.test.ts"];

const tests: Layer = {
  id: "tests",
  name: "unit, store, route, interop, faults and API journey",
  async run() {
    const elsewhere = isAsked("coverage") ? JUDGES.map((path) => `--exclude=${path}`) : [];
    const first = await runVitest("vitest.json", [TEST_PROCESSES, ...elsewhere]);
    const files = [...new Set(first.report.failed.map(({ file }) => file))];
    if (files.length === 0 || files.length > RUN_AGAIN_AT_MOST) return honest("tests", countOf(first.report), first.code);
    console.log(`\n== again, alone: ${files.join(", ")}`);
    const again = await runVitest("vitest-again.json", ["--maxWorkers=1", ...files]);
    return honest("tests", countOf(joinReports(first.report, again.report)), again.code);
  },
};

/** What judges signatures is tested to its last line: a branch that nobody tried is where an attack passes. */
const coverage: Layer = {
  id: "coverage",
  name: "what judges signatures, and every line of the validation",
  async run() {
    const options = ["enabled", "provider=v8", "include=**/src/validate/*.ts", "reporter=text-summary", "thresholds.lines=100"];
    const asked = [...options, `reportsDirectory=${results}/coverage`].map((option) => `--coverage.${option}`);
    const files = JUDGES.map((path) => `packages/pades/${path.replace("/**", "/")}`);
    const first = await runVitest("coverage.json", [TEST_PROCESSES, ...asked, ...files]);
    if (first.report.failed.length === 0) return honest("coverage", countOf(first.report), first.code);
    console.log("\n== again, in one process; whole, for the coverage is of them all");
    const again = await runVitest("coverage-again.json", ["--maxWorkers=1", ...asked, ...files]);
    return honest("coverage", countOf(joinReports(first.report, again.report)), again.code);
  },
};

async function runVitest(name: string, words: readonly string[]): Promise<{ readonly report: TestReport; readonly code: number }> {
  const path = join(results, name);
  const noted = watch === null ? [] : ["--reporter=./scripts/times/note-files-reporter.ts"];
  const asked = ["run", "--reporter=default", "--reporter=json", ...noted, `--outputFile.json=${path}`, ...words];
  const { code } = await runCommand("vitest", asked, { env, echo: true });
  return { report: await readVitestReport(path), code };
}

const journeys: Layer = {
  id: "journeys",
  name: "browser journeys",
  async run() {
    const path = join(results, "journeys.json");
    const { code } = await runCommand("playwright", ["test"], { env: { ...env, PLAYWRIGHT_JSON_OUTPUT_FILE: path }, echo: true });
    return honest("journeys", countOf(await readPlaywrightReport(path)), code);
  },
};

function listTests(title: string, tests: readonly NamedTest[]): void {
  if (tests.length > 0) console.log(`\n${title}`);
  for (const { file, name, why } of tests) console.log(`  ${file} › ${name}${why ? `\n      ${why}` : ""}`);
}

async function runLayer(layer: Layer): Promise<void> {
  console.log(`\n== ${layer.name}`);
  const from = Date.now();
  const counts = await layer.run();
  runs.push({ name: layer.name, from, to: Date.now() });
  total.passed += counts.passed;
  total.failed += counts.failed;
  total.skipped += counts.skipped;
}

const asked = process.argv.slice(2).filter((word) => !word.startsWith("--"));
function isAsked(id: string): boolean {
  return asked.length === 0 || asked.includes(id);
}

const total = { passed: 0, failed: 0, skipped: 0 };
await rm(results, { recursive: true, force: true });
await mkdir(results, { recursive: true });
const runs: LayerRun[] = [];
/** The checks need no tool: they run while the tools are fetched. */
const stages: readonly (readonly Layer[])[] = [[checks, tools], [tests], [coverage], [journeys]];
for (const stage of stages) await Promise.all(stage.filter(({ id }) => isAsked(id)).map(runLayer));
if (watch !== null) {
  watch.stop();
  const files = [...readNotes(notes), ...readStories(join(results, "journeys.json"), watch)];
  console.log(`\n${renderTimes(runs, files, watch)}`);
}
listTests("Failed", failed);
listTests(`Unsteady: failed, then passed when run again alone (${UNSTEADY_AT_MOST} at most)`, unsteady);
if (unsteady.length > UNSTEADY_AT_MOST) total.failed += unsteady.length - UNSTEADY_AT_MOST;
console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exitCode = total.failed > 0 ? 1 : 0;
