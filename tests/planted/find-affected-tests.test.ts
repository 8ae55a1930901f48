import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findAffectedTests } from "./find-affected-tests.ts";
import { readImports } from "./read-imports.ts";

/** A package with an index, two features joined by a service, a sandbox started by its path. */
const FILES: Readonly<Record<string, string>> = {
  "packages/contracts/package.json": `{ "name": "@paraphe/contracts", "exports": { ".": "./src/index.ts", "./*": "./src/*.ts" } }`,
  "packages/contracts/src/index.ts": `export { title as heading } from "./title.ts";\nexport { problem } from "./problem.ts";`,
  "packages/contracts/src/title.ts": "export const title = 1;",
  "packages/contracts/src/problem.ts": "export const problem = 1;",
  "apps/server/src/compose.ts": `import { send } from "./features/send/send.ts";\nimport { look } from "./features/look/look.ts";`,
  "apps/server/src/features/send/send.ts": `import { heading, type Other } from "@paraphe/contracts";`,
  "apps/server/src/features/send/routes.test.ts": `import "../../compose.ts";`,
  "apps/server/src/features/look/look.ts": `import type { send } from "../send/send.ts";\nconst tasks = new URL("./tasks.ts", import.meta.url);`,
  "apps/server/src/features/look/tasks.ts": `import { problem } from "@paraphe/contracts/problem";`,
  "apps/server/src/features/look/look.test.ts": `import { look } from "./look.ts";`,
  "apps/server/src/features/look/routes.test.ts": `import "../../compose.ts";`,
  "packages/pades/examples/sign.ts": "console.log(1);",
  "packages/pades/examples/examples.test.ts":
    "const run = (name: string) => start(here(`${name}.ts`));",
  "apps/web/vite.config.ts": `import { worker } from "./build/worker.ts";`,
  "apps/web/build/worker.ts": `const SOURCE = "src/worker/service-worker.ts";`,
  "apps/web/src/worker/service-worker.ts": "self.onpush = () => {};",
  "apps/web/index.html": `<script type="module" src="/src/entries/member.tsx"></script>`,
  "apps/web/src/entries/member.tsx": `import "../ui/styles/themes.css";`,
  "apps/web/src/ui/styles/themes.css": "body { color: black }",
  "tests/journeys/life.spec.ts": `const program = "apps/server/src/compose.ts";`,
};
const project = { root: "" };

beforeEach(async () => {
  project.root = await mkdtemp(join(tmpdir(), "paraphe-affected-"));
  for (const [path, text] of Object.entries(FILES)) {
    await mkdir(dirname(join(project.root, path)), { recursive: true });
    await writeFile(join(project.root, path), text);
  }
});
afterEach(() => rm(project.root, { recursive: true, force: true }));

const affectedBy = (path: string) =>
  findAffectedTests(readImports(project.root, Object.keys(FILES)), [path]);

test("an import through an index leads only to the defining file", () => {
  expect(affectedBy("packages/contracts/src/title.ts").far).toContain(
    "apps/server/src/features/send/routes.test.ts",
  );
  expect(affectedBy("packages/contracts/src/title.ts").near).toEqual([]);
});

test("programs started by path and modules of packages are followed", () => {
  expect(affectedBy("packages/contracts/src/problem.ts").near).toEqual([
    "apps/server/src/features/look/look.test.ts",
  ]);
});

test("the feature's own tests are near, tests through the composed service and stories are far", () => {
  const { near, far } = affectedBy("apps/server/src/features/send/send.ts");
  expect(near).toEqual(["apps/server/src/features/send/routes.test.ts"]);
  expect(far).toEqual([
    "apps/server/src/features/look/routes.test.ts",
    "tests/journeys/life.spec.ts",
  ]);
});

test("any change of a page, colours too, affects every story", () => {
  expect(affectedBy("apps/web/src/ui/styles/themes.css")).toEqual({
    near: ["tests/journeys/life.spec.ts"],
    far: [],
  });
});

test("a file that the build adds to the client affects stories", () => {
  expect(affectedBy("apps/web/src/worker/service-worker.ts").near).toEqual([
    "tests/journeys/life.spec.ts",
  ]);
});

test("a test that starts the programs beside it covers each of them", () => {
  expect(affectedBy("packages/pades/examples/sign.ts").near).toEqual([
    "packages/pades/examples/examples.test.ts",
  ]);
});

test("a type import affects no test", () => {
  expect(affectedBy("apps/server/src/features/send/send.ts").near).not.toContain(
    "apps/server/src/features/look/look.test.ts",
  );
});

test("a changed test comes first", () => {
  expect(affectedBy("tests/journeys/life.spec.ts").near).toEqual(["tests/journeys/life.spec.ts"]);
});
