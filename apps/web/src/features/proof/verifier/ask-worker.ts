import type { Answers, WorkerAnswer, WorkerQuestion } from "./check-question.ts";
import VerifyWorker from "./verify-worker.ts?worker&inline";

/** Checks in a thread of its own; one for each question, so that none waits for another's file. */
export async function askWorker<Q extends WorkerQuestion>(question: Q): Promise<Answers[Q["ask"]]> {
  const worker = new VerifyWorker();
  return new Promise<Answers[Q["ask"]]>((resolve, reject) => {
    worker.addEventListener("message", ({ data }: MessageEvent<WorkerAnswer>) => {
      // The worker answers what it was asked.
      if ("answer" in data) resolve(data.answer as Answers[Q["ask"]]);
      else reject(new Error("The check failed", { cause: data.error }));
    });
    worker.addEventListener("error", ({ message }) => reject(new Error("The check could not start", { cause: message })));
    // Copied, not handed over: the page keeps the files for the next question.
    worker.postMessage(question, []);
  }).finally(() => worker.terminate());
}
