import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const styleOf = (path: string) => readFileSync(join(import.meta.dirname, "..", path), "utf8");

test("larger text wraps inside a button, and choices wrap onto another line", () => {
  expect(styleOf("button/button.module.css")).toMatch(
    /:global\(html\[data-text="larger"\]\) \.button \{[^}]*white-space: normal;/,
  );
  expect(styleOf("segmented/segmented.module.css")).toMatch(
    /^\.segmented \{[^}]*flex-wrap: wrap;/m,
  );
});
