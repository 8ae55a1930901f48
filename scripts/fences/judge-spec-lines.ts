import type { SpecLine } from "./read-spec-lines.ts";
import { type NamedTest, readTestFile, type TestFile } from "./read-test-file.ts";
import { plannedStrings, shownStrings } from "./spec-strings.ts";

export type JudgedLine = SpecLine & {
  readonly state: "covered" | "planned" | "open";
  /** The specification's own words in the line, and the test files that quote each. */
  readonly quotes: readonly { readonly words: string; readonly quotedBy: readonly string[] }[];
  /** Why a line of a built screen is not shown to hold; empty when it is. */
  readonly faults: readonly string[];
};

const TEST_FILE = /\.(test|spec)\.tsx?$/;
const NOT_A_WITNESS = /^scripts\/fences\//;
/** Fewer letters than this would be found in any test's name. */
const SHORTEST_NAME = 8;

/**
 * Says of each line how it is shown to hold: by the tests it names, which must exist, and by tests that quote its words to the character.
 * A line of a built screen needs every one of its words quoted, and at least one test; where it names tests, one of them has to quote the words,
 * in its rows, in its body, or outside of any test of its file: a row that leads elsewhere shows nothing.
 */
export async function judgeSpecLines(root: string, paths: readonly string[], lines: readonly SpecLine[]): Promise<readonly JudgedLine[]> {
  const witnesses = paths.filter((path) => TEST_FILE.test(path) && !NOT_A_WITNESS.test(path));
  const files = await Promise.all(witnesses.map((path) => readTestFile(root, path)));
  return lines.map((line) => judge(line, files));
}

/** Gives the words that the product shows and no test quotes, wherever they stand in the specification. */
export function findUnquoted(judged: readonly JudgedLine[]): readonly string[] {
  const quoted = new Set(judged.flatMap(({ quotes }) => quotes.filter(({ quotedBy }) => quotedBy.length > 0).map(({ words }) => words)));
  const named = new Set(judged.flatMap(({ quotes }) => quotes.map(({ words }) => words)));
  return shownStrings.filter((words) => named.has(words) && !quoted.has(words));
}

function judge(line: SpecLine, files: readonly TestFile[]): JudgedLine {
  const quotes = wordsOf(line.line).map((words) => ({
    words,
    quotedBy: files.filter(({ texts }) => texts.some((text) => text.includes(words))).map(({ path }) => path),
  }));
  if (line.planned !== undefined) return { ...line, state: "planned", quotes, faults: [] };
  if (line.open) return { ...line, state: "open", quotes, faults: [] };
  const cited = line.tests ?? [];
  const faults = [
    ...cited.filter((test) => !exists(test, files)).map((test) => `no such test: ${test}`),
    ...quotes.filter(({ quotedBy }) => quotedBy.length === 0).map(({ words }) => `no test quotes '${words}'`),
    ...quotes.filter((quote) => quote.quotedBy.length > 0 && isElsewhere(quote.words, cited, files)).map(misplaced),
    ...(cited.length === 0 && quotes.length === 0 ? ["no test"] : []),
  ];
  return { ...line, state: "covered", quotes, faults };
}

/** The strings of `spec-strings.ts` that the line has between quotes. */
function wordsOf(line: string): readonly string[] {
  return [...shownStrings, ...plannedStrings].filter((words) => line.includes(`'${words}'`));
}

/** Tells whether the line names tests, and none of them has the words. */
function isElsewhere(words: string, cited: readonly string[], files: readonly TestFile[]): boolean {
  const named = cited.map((test) => find(test, files)).filter((found) => found !== null);
  return named.length > 0 && !named.some((found) => found.some((text) => text.includes(words)));
}

function misplaced({ words, quotedBy }: { readonly words: string; readonly quotedBy: readonly string[] }): string {
  return `none of its tests quotes '${words}'; so do ${quotedBy.join(", ")}`;
}

function exists(test: string, files: readonly TestFile[]): boolean {
  return find(test, files) !== null;
}

/** Gives what a named test may refer to: its own texts, and those outside of any test of its file; null when there is no such test. */
function find(test: string, files: readonly TestFile[]): readonly string[] | null {
  const [path, words = ""] = test.split(" › ", 2);
  const file = files.find((candidate) => candidate.path === path);
  if (file === undefined || words.trim().length < SHORTEST_NAME) return null;
  const matching: readonly NamedTest[] = file.tests.filter(({ name }) => name.includes(words));
  return matching.length === 0 ? null : [...matching.flatMap(({ texts }) => texts), ...file.shared];
}
