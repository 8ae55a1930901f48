import { expect, test } from "vitest";
import { chooseTests, quotedBy } from "./choose-tests.ts";

const route = (index: number) => `apps/server/src/features/f${index}/routes.test.ts`;
const ROUTES = Array.from({ length: 100 }, (_, index) => route(index));
const none = new Set<string>();

test("the nearest tests are run as far as a minute goes, and the others are named", () => {
  const { chosen, left } = chooseTests({ near: ROUTES, far: [] }, [], none);
  expect(chosen).toEqual(ROUTES.slice(0, chosen.length));
  expect(chosen.length).toBeGreaterThan(5);
  expect(left.get("tests beyond the minute")).toEqual(ROUTES.slice(chosen.length));
});

test("stories, tests that take long and far ones are left out, whatever time is left", () => {
  const near = [
    "tests/journeys/life.spec.ts",
    "tests/faults/kills.test.ts",
    "apps/server/src/main.test.ts",
    route(1),
  ];
  const { chosen, left } = chooseTests({ near, far: [route(2)] }, [], none);
  expect(chosen).toEqual([route(1)]);
  expect([...left.values()]).toEqual([
    ["tests/journeys/life.spec.ts"],
    ["tests/faults/kills.test.ts", "apps/server/src/main.test.ts"],
    [route(2)],
  ]);
});

test("tests of what one deploys are left to their command, changed or not", () => {
  const path = "tests/deployments/image.test.ts";
  expect(chooseTests({ near: [path], far: [] }, [path], none).chosen).toEqual([]);
});

test("what is changed itself is run, a story too; then what quotes the lines taken away, be it far", () => {
  const affected = {
    near: ROUTES,
    far: ["apps/web/src/features/a/a.test.tsx", "tests/journeys/life.spec.ts"],
  };
  const { chosen } = chooseTests(
    affected,
    ["tests/journeys/life.spec.ts"],
    new Set(["apps/web/src/features/a/a.test.tsx"]),
  );
  expect(chosen.slice(0, 3)).toEqual([
    "tests/journeys/life.spec.ts",
    "apps/web/src/features/a/a.test.tsx",
    route(0),
  ]);
});

test("a test may quote strings, text between tags and names of the lines taken away", () => {
  const diff = `--- a/sample.ts\n+++ b/sample.ts\n-  link_expired: { sentence: "Le lien a expiré." },\n+  link_gone: "Le lien n’est plus."\n-import "./other.ts";\n-<p>Bonjour à tous</p>`;
  expect(quotedBy(diff)).toEqual(["link_expired", "Le lien a expiré.", "Bonjour à tous"]);
});
