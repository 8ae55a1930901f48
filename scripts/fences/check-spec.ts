import { readFile } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import { compareSpecification, linesOf } from "./compare-specification.ts";
import { findUnquoted, judgeSpecLines } from "./judge-spec-lines.ts";
import { listFiles } from "./list-files.ts";
import { readSpecLines } from "./read-spec-lines.ts";
import { digestLines, specDigest } from "./spec-digest.ts";

/**
 * `npm run check` step: every line of the specification that is built is shown by a test; the matrix says which.
 * The list has every line of it, to the letter (spec-digest.ts). With the specification's own file as argument, both are also held against it.
 */
const root = process.cwd();
const lines = await readSpecLines(root);
const [specification] = process.argv.slice(2);
if (!isDeepStrictEqual(digestLines(lines.map(({ line }) => line)), specDigest)) {
  console.error("spec-lines.json has no longer the specification's lines, each to the letter and in their order");
  process.exitCode = 1;
}
if (specification !== undefined) {
  const text = await readFile(specification, "utf8");
  const { missing, stale } = compareSpecification(text, lines);
  if (!isDeepStrictEqual(digestLines(linesOf(text)), specDigest)) {
    console.error("the specification is not the one of spec-digest.ts");
    process.exitCode = 1;
  }
  for (const line of missing) console.error(`not in the list: ${line}`);
  for (const line of stale) console.error(`not in the specification: ${line}`);
  if (missing.length + stale.length > 0) process.exitCode = 1;
}
const judged = await judgeSpecLines(root, await listFiles(root), lines);
const faulty = judged.filter(({ faults }) => faults.length > 0);
for (const { section, group, line, faults } of faulty) console.error(`§${section} ${group}: ${line}\n  ${faults.join("\n  ")}`);
const unquoted = findUnquoted(judged);
for (const words of unquoted) console.error(`shown, and quoted by no test: ${words}`);
if (faulty.length + unquoted.length > 0) process.exitCode = 1;
const count = (state: string) => judged.filter((line) => line.state === state).length;
console.log(
  `${count("covered") - faulty.length} lines shown, ${count("planned")} planned, ${count("open")} left open, ${faulty.length} without a test`,
);
