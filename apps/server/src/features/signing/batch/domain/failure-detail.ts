import { type Problem, problemSentence } from "@paraphe/contracts";

/** Gives why one file failed: what is wrong with a field says more than that one is wrong. */
export function failureDetail(problem: Problem): string {
  const [message] = problem.code === "validation" ? Object.values(problem.errors ?? {}).flat() : [];
  return message ?? problemSentence(problem);
}
