import { expect, test } from "vitest";
import { problem, problemSentence } from "./problems.ts";
import { waitInWords } from "./french-words.ts";

test.each([
  [0, "1\u00a0seconde"],
  [44.2, "45\u00a0secondes"],
  [60, "1\u00a0minute"],
  [61, "2\u00a0minutes"],
  [3_540, "59\u00a0minutes"],
  [3_541, "1\u00a0heure"],
  [3_601, "1\u00a0h\u00a001\u00a0min"],
  [7_200, "2\u00a0heures"],
  [10_083, "2\u00a0h\u00a049\u00a0min"],
])("a wait of %d s is said: %s", (seconds, words) => {
  expect(waitInWords(seconds)).toBe(words);
});

test("too many requests say how long one waits", () => {
  expect(problemSentence(problem("too_many_requests", { retryAfterS: 10_083 }))).toBe(
    "Trop de demandes. Réessayez dans 2\u00a0h\u00a049\u00a0min.",
  );
  expect(problemSentence(problem("too_many_requests"))).toBe(
    "Trop de demandes. Réessayez dans un instant.",
  );
});
