import type { ProofReport } from "@paraphe/proof";
import type { CheckAnswer, CheckQuestion } from "./check-question.ts";
import VerifyWorker from "./verify-worker.ts?worker&inline";

/** Checks in a thread of its own; one for each question, so that none waits for another's file. */
export function checkInWorker(question: CheckQuestion): Promise<ProofReport> {
  const worker = new VerifyWorker();
  return new Promise<ProofReport>((resolve, reject) => {
    worker.addEventListener("message", ({ data }: MessageEvent<CheckAnswer>) => {
      if ("report" in data) resolve(data.report);
      else reject(new Error("The check failed", { cause: data.error }));
    });
    worker.addEventListener("error", ({ message }) => reject(new Error("The check could not start", { cause: message })));
    // Copied, not handed over: the page keeps the files for the next question.
    worker.postMessage(question, []);
  }).finally(() => worker.terminate());
}
