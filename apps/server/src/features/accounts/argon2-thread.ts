import { getPriority, setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { hashSync, verifySync } from "@node-rs/argon2";
import type { Argon2Answer, Argon2Task } from "./argon2.ts";

/** At nice 10: about a tenth of the processor beside one at 0 (sched(7)). */
const BEHIND_OTHERS = 10;
const LOWEST = 19;

// Only Linux has a priority for each thread (setpriority(2)).
if (process.platform === "linux") setPriority(Math.min(LOWEST, getPriority() + BEHIND_OTHERS));

parentPort?.on("message", (task: Argon2Task) => {
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
