import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { relative } from "node:path";

/** File from the root, whole name, first line of the error or nothing. */
export type NamedTest = { readonly file: string; readonly name: string; readonly why: string };
/** `unsteady`: passed on the second run. An unloadable file counts as failed. */
export type TestReport = { readonly [outcome in Outcome]: readonly NamedTest[] };
type Outcome = "passed" | "failed" | "skipped" | "unsteady";

type VitestFile = {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly assertionResults: readonly {
    readonly fullName: string;
    readonly status: string;
    readonly failureMessages: readonly string[];
  }[];
};
const OUTCOMES = {
  expected: "passed",
  unexpected: "failed",
  skipped: "skipped",
  flaky: "unsteady",
} as const;
type PlaywrightTest = {
  readonly projectName: string;
  readonly status: keyof typeof OUTCOMES;
  readonly results: readonly { readonly error?: { readonly message?: string } }[];
};
type PlaywrightSuite = {
  readonly suites?: readonly PlaywrightSuite[];
  readonly specs?: readonly {
    readonly file: string;
    readonly title: string;
    readonly tests: readonly PlaywrightTest[];
  }[];
};

const WHOLE_FILE = "(the whole file)";
const NOTHING: TestReport = { passed: [], failed: [], skipped: [], unsteady: [] };
const NO_REPORT: TestReport = {
  ...NOTHING,
  failed: [{ file: "-", name: "no report was written", why: "" }],
};

/** A missing or cut report is one failure. */
export async function readVitestReport(path: string): Promise<TestReport> {
  const report = (await readJson(path)) as { readonly testResults: readonly VitestFile[] } | null;
  if (report === null) return NO_REPORT;
  const ended = {
    passed: [] as NamedTest[],
    failed: [] as NamedTest[],
    skipped: [] as NamedTest[],
    unsteady: [],
  };
  for (const { name, status, message, assertionResults } of report.testResults) {
    const file = relative(process.cwd(), name);
    for (const test of assertionResults) {
      const outcome =
        test.status === "passed" || test.status === "failed" ? test.status : "skipped";
      ended[outcome].push({ file, name: test.fullName, why: firstLine(test.failureMessages[0]) });
    }
    const unsaid = status === "failed" && !ended.failed.some((test) => test.file === file);
    if (unsaid) ended.failed.push({ file, name: WHOLE_FILE, why: firstLine(message) });
  }
  return ended;
}

/** `flaky` is unsteady; a missing report is one failure. */
export async function readPlaywrightReport(path: string): Promise<TestReport> {
  const report = (await readJson(path)) as PlaywrightSuite | null;
  if (report === null) return NO_REPORT;
  const ended = {
    passed: [] as NamedTest[],
    failed: [] as NamedTest[],
    skipped: [] as NamedTest[],
    unsteady: [] as NamedTest[],
  };
  const visit = ({ suites = [], specs = [] }: PlaywrightSuite): void => {
    for (const { file, title, tests } of specs)
      for (const { projectName, status, results } of tests) {
        const why = firstLine(results.find(({ error }) => error !== undefined)?.error?.message);
        ended[OUTCOMES[status]].push({
          file: `tests/journeys/${file}`,
          name: `[${projectName}] ${title}`,
          why,
        });
      }
    suites.forEach(visit);
  };
  visit(report);
  return ended;
}

/** The second run's counts replace those of its files; what failed before passes unsteadily. */
export function joinReports(first: TestReport, again: TestReport): TestReport {
  const filesOf = (tests: readonly NamedTest[]) => new Set(tests.map(({ file }) => file));
  const rerun = filesOf([...again.passed, ...again.failed]);
  const kept = (tests: readonly NamedTest[]) => tests.filter(({ file }) => !rerun.has(file));
  const failedBefore = ({ file, name }: NamedTest) =>
    first.failed.some(
      (test) => test.file === file && (test.name === name || test.name === WHOLE_FILE),
    );
  return {
    passed: [...kept(first.passed), ...again.passed.filter((test) => !failedBefore(test))],
    failed: [...kept(first.failed), ...again.failed],
    skipped: [...kept(first.skipped), ...again.skipped],
    unsteady: again.passed.filter(failedBefore),
  };
}

/** Null for a cut report too. */
async function readJson(path: string): Promise<unknown> {
  if (!existsSync(path)) return null;
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch {
    return null;
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal's colours are made of them.
const COLOURS = /\u001b\[[0-9;]*m/g;
const firstLine = (message = "") =>
  message.replace(COLOURS, "").trim().split("\n")[0]?.slice(0, 300) ?? "";
