import {
  findBadSentences,
  findFrenchViolations,
  findMissingStrings,
} from "./find-french-violations.ts";
import { listFiles } from "./list-files.ts";

/** `npm run check french`: sentences of problems, strings of the specification, typography. */
const paths = await listFiles(process.cwd());
const [violations, missing] = await Promise.all([
  findFrenchViolations(process.cwd(), paths),
  findMissingStrings(process.cwd(), paths),
]);
const sentences = findBadSentences();
for (const { path, line, text, why } of violations)
  console.error(`${path}:${line}: ${why}: ${text}`);
for (const words of missing.product)
  console.error(`the specification's string is nowhere to be found: ${words}`);
for (const words of missing.tests)
  console.error(`no test quotes the specification's string: ${words}`);
for (const code of sentences) console.error(`problem ${code} has no proper sentence`);
const missingCount = missing.product.length + missing.tests.length;
if (violations.length + missingCount + sentences.length > 0) process.exitCode = 1;
console.log(
  `${violations.length} typographic faults, ${missingCount} missing strings, ${sentences.length} bad sentences`,
);
