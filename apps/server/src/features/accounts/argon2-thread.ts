import { getPriority, setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { hashSync, verifySync } from "@node-rs/argon2";
import type { Argon2Answer, Argon2Task } from "./argon2.ts";

/** Of two that want one processor, a thread at 10 gets one part of ten beside one at 0 (sched(7)). */
const BEHIND_OTHERS = 10;
const LOWEST = 19;

// On Linux alone is a priority a thread's: elsewhere this would lower the whole service (setpriority(2), "C library/kernel differences").
if (process.platform === "linux") setPriority(Math.min(LOWEST, getPriority() + BEHIND_OTHERS));

parentPort?.on("message", (task: Argon2Task) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(answer(task));
});

function answer(task: Argon2Task): Argon2Answer {
  try {
    return {
      id: task.id,
      value:
        "cost" in task
          ? hashSync(task.password, task.cost)
          : verifySync(task.hashed, task.password),
    };
  } catch (error) {
    return { id: task.id, error };
  }
}
