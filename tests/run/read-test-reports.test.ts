import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  joinReports,
  readPlaywrightReport,
  readVitestReport,
  type TestReport,
} from "./read-test-reports.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "reports-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function written(report: unknown): Promise<string> {
  const path = join(folder, `${Math.random()}.json`);
  await writeFile(path, JSON.stringify(report));
  return path;
}

describe("the reports of the test runners", () => {
  it("names what failed in Vitest, with the first line of why, and a file that could not be loaded", async () => {
    const test = (fullName: string, status: string, failureMessages: string[] = []) => ({
      fullName,
      status,
      failureMessages,
    });
    const path = await written({
      testResults: [
        {
          name: join(process.cwd(), "a.test.ts"),
          status: "failed",
          message: "",
          assertionResults: [
            test("one", "passed"),
            test("two", "failed", ["\u001b[31mexpected 1\u001b[39m\n at line 3"]),
            test("three", "todo"),
          ],
        },
        {
          name: join(process.cwd(), "b.test.ts"),
          status: "failed",
          message: "no such module",
          assertionResults: [],
        },
      ],
    });
    const { passed, failed, skipped, unsteady } = await readVitestReport(path);
    expect(failed).toEqual([
      { file: "a.test.ts", name: "two", why: "expected 1" },
      { file: "b.test.ts", name: "(the whole file)", why: "no such module" },
    ]);
    expect([passed.length, skipped.length, unsteady.length]).toEqual([1, 1, 0]);
  });

  it("distinguishes a Playwright story that passed the second time from one that passed", async () => {
    const story = (projectName: string, status: string, message?: string) => ({
      projectName,
      status,
      results: [message ? { error: { message } } : {}, {}],
    });
    const specs = [
      {
        file: "a.spec.ts",
        title: "signs",
        tests: [story("390", "expected"), story("1440", "flaky", "late"), story("820", "skipped")],
      },
    ];
    const report = await readPlaywrightReport(
      await written({
        suites: [
          { suites: [{ specs }] },
          { specs: [{ ...specs[0], tests: [story("390", "unexpected", "lost")] }] },
        ],
      }),
    );
    expect(report.unsteady).toEqual([
      { file: "tests/journeys/a.spec.ts", name: "[1440] signs", why: "late" },
    ]);
    expect(report.failed).toEqual([
      { file: "tests/journeys/a.spec.ts", name: "[390] signs", why: "lost" },
    ]);
    expect([report.passed.length, report.skipped.length]).toEqual([1, 1]);
  });

  it("counts a report that was never written as a failure", async () => {
    expect((await readVitestReport(join(folder, "absent.json"))).failed).toHaveLength(1);
    expect((await readPlaywrightReport(join(folder, "absent.json"))).failed).toHaveLength(1);
  });

  it("takes the second run of a file: mended, still failing, or failing anew", () => {
    const named = (file: string, name: string) => ({ file, name, why: "" });
    const report = (parts: Partial<TestReport>): TestReport => ({
      passed: [],
      failed: [],
      skipped: [],
      unsteady: [],
      ...parts,
    });
    const first = report({
      passed: [named("a", "1"), named("b", "1"), named("c", "1")],
      failed: [named("a", "2"), named("a", "3"), named("d", "(the whole file)"), named("e", "1")],
    });
    const again = report({
      passed: [named("a", "2"), named("d", "1")],
      failed: [named("a", "1"), named("a", "3")],
    });
    expect(joinReports(first, again)).toEqual(
      report({
        passed: [named("b", "1"), named("c", "1")],
        failed: [named("e", "1"), named("a", "1"), named("a", "3")],
        unsteady: [named("a", "2"), named("d", "1")],
      }),
    );
  });
});
