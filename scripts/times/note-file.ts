import { appendFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";
import { afterAll, expect } from "vitest";

/** With `--times`, before each test file: its process and time; a thread's own CPU. */
const path = process.env["PARAPHE_TIMES"];
const from = Date.now();
const threadCpu = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1e6;
};
const before = isMainThread ? 0 : threadCpu();

afterAll(() => {
  if (path === undefined) return;
  const cpu = isMainThread ? null : threadCpu() - before;
  appendFileSync(
    path,
    `${JSON.stringify({ file: expect.getState().testPath, pid: process.pid, from, to: Date.now(), cpu })}\n`,
  );
});
