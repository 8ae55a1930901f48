import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findRefusedLicences, findThirdParties } from "./render-third-party.ts";

test("lists what production installs, with its licence and the place of its text", async () => {
  const root = await mkdtemp(join(tmpdir(), "paraphe-licences-"));
  onTestFinished(() => rm(root, { recursive: true }));
  for (const name of ["with-text", "without-text"])
    await mkdir(join(root, "node_modules", name), { recursive: true });
  await writeFile(join(root, "node_modules/with-text/LICENSE.txt"), "MIT");
  const packages = {
    "": { version: "1.0.0" },
    "apps/server": { version: "1.0.0" },
    "node_modules/@paraphe/server": { link: true },
    "node_modules/dev": { version: "1.0.0", license: "GPL-3.0-only", dev: true },
    "node_modules/with-text": {
      version: "2.0.0",
      license: "MIT",
      optionalDependencies: { "built-for-linux": "2.0.0" },
    },
    "node_modules/without-text": { version: "3.0.0", license: "ISC" },
    "node_modules/built-for-linux": { version: "2.0.0", optional: true },
  };
  expect(findThirdParties(packages, root)).toEqual([
    {
      name: "built-for-linux",
      version: "2.0.0",
      licence: "MIT",
      text: "node_modules/built-for-linux",
    },
    {
      name: "with-text",
      version: "2.0.0",
      licence: "MIT",
      text: "node_modules/with-text/LICENSE.txt",
    },
    { name: "without-text", version: "3.0.0", licence: "ISC", text: null },
  ]);
  expect(() => findThirdParties({ "node_modules/x": { version: "1.0.0" } }, root)).toThrow(
    "node_modules/x names no licence",
  );
});

test.each([
  ["MIT", "x", true],
  ["(MIT OR GPL-3.0-only)", "x", true],
  ["(MIT AND Zlib)", "x", true],
  ["MIT AND GPL-3.0-only", "x", false],
  ["AGPL-3.0-only", "x", false],
  ["LGPL-3.0-or-later", "x", false],
  ["SEE LICENSE IN LICENSE", "x", false],
  ["OFL-1.1", "@fontsource/spectral", true],
  ["OFL-1.1", "x", false],
])("allows the licence %s of %s: %s", (licence, name, allowed) => {
  const party = { name, version: "1.0.0", licence, text: null };
  expect(findRefusedLicences([party])).toEqual(allowed ? [] : [party]);
});
