import { readFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * A line of the specification, word for word, and what shows that the product obeys it.
 * The list is `spec-lines.json`: one object a line, in the specification's order.
 */
export type SpecLine = {
  /** « 5. Validation rules » */
  readonly section: string;
  /** The sub-heading, empty where there is none. */
  readonly group: string;
  readonly line: string;
  /** « path › words of the test's name »: enough of them to know it again. */
  readonly tests?: readonly string[];
  /** The screen or call to come that the line belongs to, in French. */
  readonly planned?: string;
  /** The line only says that something is not shown: the contract settles it, there is nothing of its own to test. */
  readonly open?: true;
};

/** Gives the lines of the specification's sections 2 to 9. */
export async function readSpecLines(root: string): Promise<readonly SpecLine[]> {
  return JSON.parse(await readFile(join(root, "scripts/fences/spec-lines.json"), "utf8")) as SpecLine[];
}
