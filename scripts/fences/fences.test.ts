import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findImportViolations, importLaw } from "./import-law.ts";
import { findTextViolations, textRules, tableOwners } from "./text-rules.ts";

const root = join(import.meta.dirname, "../..");
const fixtures = join(import.meta.dirname, "fixtures");

describe("the import law", () => {
  test.each(importLaw.map(({ name }) => name ?? ""))("refuses the fixture of %s", async (name) => {
    const { violations, moduleCount } = await findImportViolations(join(fixtures, "imports", name));
    expect(moduleCount).toBeGreaterThan(0);
    expect(violations.map(({ rule }) => rule)).toContain(name);
  });

  test("has no fixture without a rule", async () => {
    const names = importLaw.map(({ name }) => name ?? "");
    expect(
      (await readdir(join(fixtures, "imports"))).filter((name) => !names.includes(name)),
    ).toEqual([]);
  });
});

describe("the text rules", () => {
  test.each(textRules.map(({ name }) => name))("refuse the fixture of %s", async (name) => {
    const base = join(fixtures, "text", name);
    const entries = await readdir(base, { recursive: true, withFileTypes: true });
    const paths = entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(base.length + 1));
    expect((await findTextViolations(base, paths)).map(({ rule }) => rule)).toContain(name);
  });
});

test("every table has an owner", async () => {
  const schema = await readFile(
    join(root, "apps/server/src/platform/database/schema.generated.ts"),
    "utf8",
  );
  const tables =
    /export interface DB \{([^}]*)\}/
      .exec(schema)?.[1]
      ?.match(/^\s*\w+(?=:)/gm)
      ?.map((name) => name.trim()) ?? [];
  expect(tables.length).toBeGreaterThan(20);
  expect(tables.filter((table) => !Object.hasOwn(tableOwners, table))).toEqual([]);
  expect(Object.keys(tableOwners).filter((table) => !tables.includes(table))).toEqual([]);
});

type LintReport = { diagnostics: { code: string; filename: string }[] };

/** Runs the repository's oxlint on a copy of the fixtures, outside its ignored folders. */
async function lint(folder: string): Promise<LintReport> {
  const oxlint = join(root, "node_modules/.bin/oxlint");
  return new Promise((resolve, reject) => {
    execFile(
      oxlint,
      ["--format=json", "src"],
      { cwd: folder, maxBuffer: 64 * 1024 * 1024 },
      (_error, stdout, stderr) => {
        try {
          resolve(JSON.parse(stdout));
        } catch (cause) {
          reject(new Error(`oxlint gave no report: ${stderr}`, { cause }));
        }
      },
    );
  });
}

const lines = (count: number, line: (number: number) => string): string =>
  Array.from({ length: count }, (_, index) => `${line(index + 1)}\n`).join("");
/** `max-lines-per-function` in `.oxlintrc.json`. */
const FUNCTION_LINES = 60;
/** A file and two functions, a line longer than the linter's limits. */
const TOO_LONG = {
  "max-lines.ts": lines(601, (number) => `export const value${number} = ${number};`),
  "max-lines-per-function.ts": `export function long(): number {\n  let total = 0;\n${lines(FUNCTION_LINES - 3, (number) => `  total += ${number};`)}  return total;\n}\n`,
  "max-lines-per-function.tsx": `export function LongList() {\n  return (\n    <ul>\n${lines(FUNCTION_LINES - 5, (number) => `      <li>${number}</li>`)}    </ul>\n  );\n}\n`,
};

describe("the linter", () => {
  const context = { folder: "", report: { diagnostics: [] } as LintReport };

  beforeAll(async () => {
    context.folder = await mkdtemp(join(tmpdir(), "paraphe-fences-"));
    await cp(join(fixtures, "lint"), join(context.folder, "src"), { recursive: true });
    for (const [name, text] of Object.entries(TOO_LONG))
      await writeFile(join(context.folder, "src", name), text);
    await cp(join(root, ".oxlintrc.json"), join(context.folder, ".oxlintrc.json"));
    const options = {
      strict: true,
      noEmit: true,
      target: "esnext",
      module: "nodenext",
      allowImportingTsExtensions: true,
    };
    await writeFile(
      join(context.folder, "tsconfig.json"),
      JSON.stringify({ compilerOptions: options, include: ["src"] }),
    );
    context.report = await lint(context.folder);
  });
  afterAll(() => rm(context.folder, { recursive: true, force: true }));

  test.each([
    "max-lines",
    "max-lines-per-function",
    "max-params",
    "no-console",
    "no-default-export",
    "no-empty",
    "no-explicit-any",
    "no-non-null-assertion",
    "no-floating-promises",
    "only-throw-error",
    "consistent-type-imports",
  ])("refuses the fixture of %s", (rule) => {
    const codes = context.report.diagnostics
      .filter(({ filename }) => basename(filename) === `${rule}.ts`)
      .map(({ code }) => code);
    expect(codes.some((code) => code.includes(`(${rule})`))).toBe(true);
  });

  test("limits the lines of a component as of any function", () => {
    const codes = context.report.diagnostics
      .filter(({ filename }) => filename.endsWith(".tsx"))
      .map(({ code }) => code);
    expect(codes.some((code) => code.includes("(max-lines-per-function)"))).toBe(true);
  });

  test("refuses a file name that is not kebab-case", () => {
    const codes = context.report.diagnostics
      .filter(({ filename }) => filename.endsWith("filenameCase.ts"))
      .map(({ code }) => code);
    expect(codes.some((code) => code.includes("filename-case"))).toBe(true);
  });
});
