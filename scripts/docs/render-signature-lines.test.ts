import { expect, test } from "vitest";
import { renderSignatureLines } from "./render-signature-lines.ts";

const files = [{ path: "packages/pades/src/sign/x.test.ts", text: 'test("begins: with what | was there", () => {});' }];

test("lists each line with its tests, by the file they are in", () => {
  const lines = [{ what: "prefix", shownBy: ["sign/x.test.ts: begins: with what | was there"] }];
  expect(renderSignatureLines(files, lines)).toBe(
    "| what | shown by |\n| --- | --- |\n| prefix | begins: with what \\| was there (`sign/x.test.ts`) |",
  );
});

test("refuses a test that is not there", () => {
  expect(() => renderSignatureLines(files, [{ what: "prefix", shownBy: ["sign/x.test.ts: ends"] }])).toThrow('no test named "ends"');
});
