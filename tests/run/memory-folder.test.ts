import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { memoryFolder, removeFolder } from "./memory-folder.ts";

const ROOT = "/a/checkout/of/this/test";
/** Null where memory files are missing or `noexec`. */
const folder = await memoryFolder(ROOT, 0);
afterAll(async () => {
  if (folder !== null) await removeFolder(folder);
});

test.skipIf(folder === null)(
  "the folder in memory runs programs, is emptied for each run, and is not taken where memory is scarce",
  async () => {
    const program = join(folder ?? "", "program");
    await writeFile(program, "#!/bin/sh\necho runs\n", { mode: 0o700 });
    expect(execFileSync(program, { encoding: "utf8" })).toBe("runs\n");
    expect(await memoryFolder(ROOT, 0)).toBe(folder);
    expect(await readdir(folder ?? "")).toEqual([]);
    expect(await memoryFolder(ROOT, Number.POSITIVE_INFINITY)).toBeNull();
    expect(existsSync(folder ?? "")).toBe(false);
  },
);
