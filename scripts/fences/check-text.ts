import { findTextViolations } from "./find-text-violations.ts";
import { listFiles } from "./list-files.ts";

/** `npm run check text`. The fences' own files quote what they forbid. */
const paths = (await listFiles(process.cwd())).filter(
  (path) => !path.startsWith("scripts/fences/"),
);
const violations = await findTextViolations(process.cwd(), paths);
for (const { rule, why, path, line } of violations)
  console.error(`${rule}: ${path}:${line}: ${why}`);
if (violations.length > 0) process.exitCode = 1;
console.log(`${paths.length} files, ${violations.length} forbidden texts`);
