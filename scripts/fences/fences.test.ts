import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { findFrenchViolations } from "./find-french-violations.ts";
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

test("the French check names each fault of a component's words, and leaves the specification's", async () => {
  const folder = await mkdtemp(join(tmpdir(), "paraphe-french-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = "apps/web/src/sample.tsx";
  await mkdir(join(folder, "apps/web/src"), { recursive: true });
  const faulty = [
    `const a = "Quelqu'un d\u2019autre";`,
    `const b = "Vraiment ?";`,
    `const c = "Signature en cours...";`,
    `const d = "Un fichier de 5MB";`,
    `const e = "Champ optionnel";`,
    `const f = "La 3e lettre";`,
    `const g = 'Le lot "Baux" est prêt';`,
    `const h = "Rien\\u202f: réessayez";`,
  ];
  const right = [
    `const i = "Connexion...";`,
    `const j = "PNG, JPG jusqu'à 5MB (optionnel)";`,
    `const k = 'Redirection vers "Mes documents signés" dans 10 secondes';`,
    `const l = "La 3\u1d49 lettre, 5\\u00a0Mo, rien\\u00a0: réessayez…";`,
    `const m = node.querySelector('input[type="checkbox"]');`,
  ];
  await writeFile(join(folder, path), [...faulty, ...right].join("\n"));
  const found = await findFrenchViolations(folder, [path]);
  expect(found.map(({ line }) => line).toSorted((a, b) => a - b)).toEqual(
    faulty.map((_, index) => index + 1),
  );
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
