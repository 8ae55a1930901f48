import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findDeadLinks, partsWithoutRow } from "./find-dead-links.ts";

test("finds links to missing files and headings", async () => {
  const root = await mkdtemp(join(tmpdir(), "paraphe-links-"));
  onTestFinished(() => rm(root, { recursive: true }));
  await writeFile(
    join(root, "other.md"),
    "# `npm test`, et l’été\n\n## Twice\n\n## Twice\n\n```\n# no heading\n```\n",
  );
  const targets = [
    "other.md#npm-test-et-lété",
    "other.md#twice-1",
    "#here",
    "https://exemple.fr/#x",
    "other.md#no-heading",
    "other.md#twice-2",
    "gone.md",
    "#there",
  ];
  await writeFile(
    join(root, "page.md"),
    `# Here\n\n${targets.map((target) => `[x](${target})`).join("\n")}`,
  );
  const { links, dead } = await findDeadLinks(root, ["page.md", "other.md"]);
  expect(links).toBe(7);
  expect(dead).toEqual([
    "page.md: other.md#no-heading",
    "page.md: other.md#twice-2",
    "page.md: gone.md",
    "page.md: #there",
  ]);
});

test("names a part of the specification without row", () => {
  const specification =
    "# Service\n\n## 2. Screens\n\n### Login\n\n### Drafts list\n\n## 5. Rules\n\n### Login\n";
  expect(
    partsWithoutRow(
      specification,
      "## 2. Screens\n\n| part | shown by |\n| Login | x |\n\n## 5. Rules\n",
    ),
  ).toEqual(["Drafts list", "Login"]);
});
