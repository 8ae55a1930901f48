import { expect, test } from "vitest";
import { renderSecurityLines } from "./render-security-lines.ts";
import { DUE_LINES } from "./security-lines.ts";

const shown = (numbers: readonly number[]) => ({
  path: "apps/server/src/x.test.ts",
  text: numbers.map((number) => `test("security line ${number}: holds", () => {});`).join("\n"),
});

test("lists each line with the tests that bear its number, and the later ones as not numbered yet", () => {
  const table = renderSecurityLines([shown(DUE_LINES), { path: "y.test.ts", text: `it('security line 1: again | so', () => {})` }]).split(
    "\n",
  );
  expect(table).toHaveLength(2 + 62);
  expect(table[2]).toContain("holds (`x.test.ts`)<br>again \\| so (`y.test.ts`)");
  expect(table.at(-1)).toContain("| not numbered yet |");
});

test("refuses a line that is due and has no test, and a test of a line that is not there", () => {
  expect(() => renderSecurityLines([shown(DUE_LINES.filter((number) => number !== 7 && number !== 9))])).toThrow("own: 7, 9");
  expect(() => renderSecurityLines([shown([...DUE_LINES, 99])])).toThrow("security line 99");
  expect(() => renderSecurityLines([{ path: "x.test.ts", text: "// security line 1: said, not tested" }])).toThrow("own: 1,");
});
