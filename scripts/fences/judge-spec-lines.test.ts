import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compareSpecification } from "./compare-specification.ts";
import { findUnquoted, judgeSpecLines } from "./judge-spec-lines.ts";
import { listFiles } from "./list-files.ts";
import { readSpecLines } from "./read-spec-lines.ts";
import { digestLines, specDigest } from "./spec-digest.ts";

const root = join(import.meta.dirname, "../..");
const place = { section: "2. Screens", group: "Login" };
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "paraphe-spec-"));
  await writeFile(
    join(folder, "login.test.ts"),
    'test("security line 3: a wrong password is cleared", () => {\n  expect(page).toShow("Mot de passe requis");\n});\n',
  );
  await writeFile(join(folder, "fooled.test.ts"), FOOLED);
  await writeFile(join(folder, "quoting.test.ts"), QUOTING);
});

/** Names and words that nothing shows. */
const FOOLED = `
// test("a commented test is counted", () => {});
/* test("a remarked test is counted", () => {}); expect("Email requis") */
test.skip("a skipped test is counted", () => { expect("Email requis"); });
test.skip.each([1])("a skipped row %i is counted", () => {});
test.todo("a test to come is counted");
test("a test skipped by its options is counted", { skip: true }, () => {});
describe.skip("a skipped group is counted", () => { test("a test in a skipped group is counted", () => { expect("Email requis"); }); });
render("a text of another call is counted");
test.each([1])(\`a row \${1} is counted\`, () => {});
describe("a group is counted", () => { it("inside a group is counted", () => { expect(/Nom d'utilisateur requis\\./); }); });
`;

/** Words in a test's rows, in its body, and outside of any test. */
const QUOTING = `
const SENTENCE = "Email invalide";
describe("a form that is refused", () => {
  test.each(["Prénom requis"])("names what is missing: %s", (words) => { expect(words); });
  test("names what is too short", () => { expect("Minimum 5 caractères"); });
});
`;

afterAll(() => rm(folder, { recursive: true, force: true }));

const judge = async (line: object) => (await judgeSpecLines(folder, ["login.test.ts"], [{ ...place, line: "", ...line }]))[0];
const isShown = async (line: object) => {
  const [judged] = await judgeSpecLines(folder, ["fooled.test.ts"], [{ ...place, line: "", ...line }]);
  return judged?.faults.length === 0;
};

describe("a line of the specification", () => {
  test("is shown by a test it names, whatever stands before the words", async () => {
    expect(await judge({ tests: ["login.test.ts › a wrong password is cleared"] })).toMatchObject({ state: "covered", faults: [] });
  });
  test("is shown by a test that quotes its words", async () => {
    expect(await judge({ line: "password is required: 'Mot de passe requis'." })).toMatchObject({ faults: [] });
  });
  test.each([
    [{ line: "Fields are validated on blur." }, "no test"],
    [{ tests: ["login.test.ts › a right password is cleared"] }, "no such test: login.test.ts › a right password is cleared"],
    [{ tests: ["gone.test.ts › a wrong password is cleared"] }, "no such test: gone.test.ts › a wrong password is cleared"],
    [{ line: "username is required: 'Nom d'utilisateur requis'." }, "no test quotes 'Nom d'utilisateur requis'"],
    [
      { line: "'Nom d'utilisateur requis'", tests: ["login.test.ts › a wrong password is cleared"] },
      "no test quotes 'Nom d'utilisateur requis'",
    ],
  ])("is refused when %j", async (line, fault) => {
    expect((await judge(line))?.faults).toEqual([fault]);
  });
  test.each([
    "a commented test",
    "a remarked test",
    "a skipped test",
    "a skipped row",
    "a test to come",
    "a test skipped by its options",
    "a skipped group",
    "a test in a skipped group",
    "a text of another call",
    "",
    " ",
    "counted",
  ])("is not shown by « %s »", async (name) => {
    expect(await isShown({ tests: [`fooled.test.ts › ${name}`] })).toBe(false);
  });
  test.each(["a row ${} is counted", "a group is counted", "inside a group"])("is shown by « %s »", async (name) => {
    expect(await isShown({ tests: [`fooled.test.ts › ${name}`] })).toBe(true);
  });
  test("is shown by words that a test which runs looks for, in an expression too, not by a comment's nor a skipped test's", async () => {
    expect(await isShown({ line: "'Nom d'utilisateur requis'" })).toBe(true);
    expect(await isShown({ line: "'Email requis'" })).toBe(false);
  });
  test.each([
    ["'Prénom requis'", "names what is missing"],
    ["'Minimum 5 caractères'", "names what is too short"],
    ["'Minimum 5 caractères'", "a form that is refused"],
    ["'Email invalide'", "names what is missing"],
  ])("that quotes %s is shown by « %s », which has the words", async (line, name) => {
    const [judged] = await judgeSpecLines(folder, ["quoting.test.ts"], [{ ...place, line, tests: [`quoting.test.ts › ${name}`] }]);
    expect(judged?.faults).toEqual([]);
  });
  test("that quotes words is not shown by a test that has none of them, though another of its file does", async () => {
    const tests = ["quoting.test.ts › names what is missing"];
    const [judged] = await judgeSpecLines(folder, ["quoting.test.ts"], [{ ...place, line: "'Minimum 5 caractères'", tests }]);
    expect(judged?.faults).toEqual(["none of its tests quotes 'Minimum 5 caractères'; so do quoting.test.ts"]);
  });
  test("that is planned, or left open, needs no test", async () => {
    expect(await judge({ planned: "auto-signature" })).toMatchObject({ state: "planned", faults: [] });
    expect(await judge({ open: true })).toMatchObject({ state: "open", faults: [] });
  });
  test("whose words are shown but quoted nowhere is told", async () => {
    const judged = await judgeSpecLines(
      folder,
      ["login.test.ts"],
      [{ ...place, line: "'Email requis' and 'Mot de passe requis'", open: true }],
    );
    expect(findUnquoted(judged)).toEqual(["Email requis"]);
  });
});

test("every line of a built screen has its tests", async () => {
  const judged = await judgeSpecLines(root, await listFiles(root), await readSpecLines(root));
  expect(digestLines(judged.map(({ line }) => line))).toEqual(specDigest);
  expect(judged.filter(({ faults }) => faults.length > 0).map(({ line, faults }) => [line, faults])).toEqual([]);
});

test("a line that leaves the list, changes or moves is noticed", async () => {
  const lines = (await readSpecLines(root)).map(({ line }) => line);
  expect(digestLines(lines)).toEqual(specDigest);
  expect(digestLines(lines.slice(1))).not.toEqual(specDigest);
  expect(digestLines(lines.with(3, `${lines[3]}.`))).not.toEqual(specDigest);
  expect(digestLines(lines.toReversed())).not.toEqual(specDigest);
});

test("the list is held against the specification's own text", () => {
  const lines = [
    { ...place, line: "/login" },
    { ...place, line: "/gone" },
  ];
  expect(compareSpecification("## 1. What\n- x\n## 2. Screens\n### Public\n- /login\n- /new\n", lines)).toEqual({
    missing: ["/new"],
    stale: ["/gone"],
  });
});
