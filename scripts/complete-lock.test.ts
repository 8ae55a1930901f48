import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

test("the lock file names every platform's packages, so that npm ci accepts it on any machine, and knows the bytes of each of production again (npm run lock:complete)", () => {
  const outcome = spawnSync(
    process.execPath,
    [join(import.meta.dirname, "complete-lock.ts"), "--check"],
    { encoding: "utf8" },
  );
  expect([outcome.status, outcome.stdout]).toEqual([0, ""]);
});
