import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

test("the lock file has every platform's packages, and the hash of each one in production (npm run lock:complete)", () => {
  const outcome = spawnSync(
    process.execPath,
    [join(import.meta.dirname, "complete-lock.ts"), "--check"],
    { encoding: "utf8" },
  );
  expect([outcome.status, outcome.stdout]).toEqual([0, ""]);
});
