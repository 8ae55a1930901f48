import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readWords } from "../../scripts/read-words.ts";
import { FAULTS } from "./faults.ts";
import { FaultFinder, type Finding } from "./find-fault.ts";
import { makeScratchTree } from "./scratch-tree.ts";

/**
 * `npm run planted`: plants each fault of `faults.ts` in a scratch tree of HEAD and names the test
 * that finds it. Results: `test-results/planted-<revision>.json`. Exit code 1 when a fault is not
 * found, 2 when one cannot be planted.
 */
type Result = Finding & { readonly name: string; readonly layer: string };

const project = join(import.meta.dirname, "../..");
const { values, words } = readWords({
  usage: `npm run planted: plants each fault, one after the other, and names the test that finds it. All of them take about an hour.
  -- <name> …   these faults alone
  -- --at REV   the tests of another revision
  -- --list     the names of the faults, and nothing more\n
The faults: ${FAULTS.map(({ name }) => name).join(", ")}`,
  options: { at: { type: "string", default: "HEAD" }, list: { type: "boolean" } },
  isWord: (word) => FAULTS.some(({ name }) => name === word),
});
if (values.list) {
  console.log(FAULTS.map(({ name, file }) => `${name.padEnd(36)} ${file}`).join("\n"));
  process.exit(0);
}
const faults = FAULTS.filter(({ name }) => words.length === 0 || words.includes(name));

const tree = await makeScratchTree(project, values.at);
const finder = await FaultFinder.open(tree);
const refused: string[] = [];
for (const fault of faults) {
  const why = await finder.whyNot(fault);
  if (why !== null) refused.push(`${fault.name}: ${why}`);
}
if (refused.length > 0) {
  console.error(refused.join("\n"));
  process.exit(2);
}

const path = join(project, `test-results/planted-${tree.revision}.json`);
const results = new Map((await earlierResults()).map((result) => [result.name, result]));
console.log(
  `${faults.length} fault${faults.length === 1 ? "" : "s"}, planted one at a time in ${tree.revision}`,
);
for (const { name, layer, ...fault } of faults) {
  const result = { name, layer, ...(await finder.find({ name, layer, ...fault })) };
  console.log(describe(result));
  results.set(name, result);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `${JSON.stringify([...results.values()], null, 2)}\n`);
}

const asked = faults.flatMap(({ name }) => results.get(name) ?? []);
const missed = asked.filter(({ test }) => test === null);
console.log(`\n| fault | layer | found by | s |\n| --- | --- | --- | --- |`);
for (const { name, layer, test, seconds } of asked) {
  const found = test === null ? "NOT FOUND" : `${test.file} › ${test.name}`;
  console.log(`| ${name} | ${layer} | ${found} | ${seconds} |`);
}
console.log(`\n${asked.length - missed.length} of ${asked.length} found`);
process.exitCode = missed.length > 0 ? 1 : 0;

/** Results of an interrupted run, for faults still in the table. */
async function earlierResults(): Promise<readonly Result[]> {
  const text = await readFile(path, "utf8").catch(() => "[]");
  return (JSON.parse(text) as readonly Result[]).filter(({ name }) =>
    FAULTS.some((fault) => fault.name === name),
  );
}

function describe({ name, test, seconds, unsteady }: Result): string {
  const aside = unsteady.length > 0 ? ` [does not count: ${unsteady.join(", ")}]` : "";
  return `${name}: ${test === null ? "NOT FOUND" : `found by ${test.file} › ${test.name}`} (${seconds} s)${aside}`;
}
