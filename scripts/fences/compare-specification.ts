import type { SpecLine } from "./read-spec-lines.ts";

const FIRST_SECTION = /^## 2\./m;
const TABLE_RULE = /^\|[-|]+\|$/;
const TABLE_HEAD = /^\| (Status|Access|Method|Constant) /;

/** Gives the lines of the specification's text (sections 2 to 9), in their order. */
export function linesOf(text: string): readonly string[] {
  const start = text.search(FIRST_SECTION);
  if (start < 0) throw new Error("the text has no section 2");
  return text
    .slice(start)
    .split("\n")
    .map((line) => line.trim().replace(/^- /, ""))
    .filter((line) => line !== "" && !line.startsWith("#") && !TABLE_RULE.test(line) && !TABLE_HEAD.test(line));
}

/** Gives the lines of the specification's text that the list lacks, and those of the list that the text has no more. */
export function compareSpecification(text: string, lines: readonly SpecLine[]): { missing: readonly string[]; stale: readonly string[] } {
  const written = linesOf(text);
  const listed = new Set(lines.map(({ line }) => line));
  const there = new Set(written);
  return { missing: written.filter((line) => !listed.has(line)), stale: [...listed].filter((line) => !there.has(line)) };
}
