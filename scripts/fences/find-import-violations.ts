import { existsSync } from "node:fs";
import { join } from "node:path";
import { cruise, type ICruiseResult } from "dependency-cruiser";
import { cruiseOptions, importLaw, resolveOptions } from "./import-law.ts";

export type ImportViolation = { readonly rule: string; readonly from: string; readonly to: string };

/** Every tree the import law speaks of, as far as it exists under `baseDir`. */
const TREES = ["apps", "packages", "scripts", "bench", "tests"];

/**
 * Gives every import under `baseDir` that breaks the import law, and the number of modules seen.
 * The number matters: without its TypeScript parser the tool sees no module, reports nothing and succeeds.
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
