import { createLog } from "./platform/logs/create-log.ts";

/**
 * Gives the exit code after an uncaught error or rejection. The state is unknown, so the process
 * stops, but in order: running answers end, connections and the embedded database are released,
 * within the deadline.
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
