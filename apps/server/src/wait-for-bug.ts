import { createLog } from "./platform/logs/create-log.ts";

/**
 * Gives the exit code of a process in which an error escaped everybody. What it left behind is unknown, so the process stops;
 * but as on a signal: running answers end, connections and the embedded database are given back, within the deadline. Rejections that nobody handles come here too.
 */
export function waitForBug(deadlineMs: number): Promise<number> {
  const log = createLog();
  return new Promise((resolve) => {
    process.on("uncaughtException", (error) => {
      log.error({ error }, "an error escaped everybody: the process stops");
      setTimeout(() => process.exit(1), deadlineMs).unref();
      resolve(1);
    });
  });
}
