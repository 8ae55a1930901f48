import { existsSync } from "node:fs";
import { join } from "node:path";
import { cruise, type ICruiseResult } from "dependency-cruiser";
import { cruiseOptions, importLaw, resolveOptions } from "./import-law.ts";

export type ImportViolation = { readonly rule: string; readonly from: string; readonly to: string };

const TREES = ["apps", "packages", "scripts", "bench", "tests"];

/**
 * Gives violations and the number of modules: without its TypeScript parser the tool finds none and
 * succeeds.
 */
export async function findImportViolations(
  baseDir: string,
): Promise<{ violations: ImportViolation[]; moduleCount: number; result: ICruiseResult }> {
  const trees = TREES.filter((tree) => existsSync(join(baseDir, tree)));
  const options = {
    ...cruiseOptions,
    baseDir,
    ruleSet: { forbidden: [...importLaw] },
    validate: true,
  };
  const report = await cruise(trees, options, resolveOptions);
  if (typeof report.output === "string")
    throw new Error("dependency-cruiser gave text where a result was expected");
  const { modules, summary } = report.output;
  return {
    violations: summary.violations.map(({ rule, from, to }) => ({ rule: rule.name, from, to })),
    moduleCount: modules.filter(({ source }) => trees.some((tree) => source.startsWith(`${tree}/`)))
      .length,
    result: report.output,
  };
}
