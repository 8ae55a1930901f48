import { appendFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";
import { afterAll, expect } from "vitest";

/** Runs before each test file of a run with `--times`: notes in which process the file ran, and when. In a thread, its CPU is the thread's own. */
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
