import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from "@paraphe/contracts";
import { useSyncExternalStore } from "react";

let minimum = MIN_PASSWORD_LENGTH;
const listeners = new Set<() => void>();

/** Stores the minimum of a `verify-token/` answer; ignores any other value. */
export function rememberPasswordMinimum(answer: unknown): void {
  const told =
    typeof answer === "object" && answer !== null && "password_min_length" in answer
      ? answer.password_min_length
      : undefined;
  if (!isMinimum(told) || told === minimum) return;
  minimum = told;
  for (const tell of listeners) tell();
}

/** The specification's 5, unless the service raises it. */
export function usePasswordMinimum(): number {
  return useSyncExternalStore(follow, () => minimum);
}

function follow(tell: () => void): () => void {
  listeners.add(tell);
  return () => listeners.delete(tell);
}

function isMinimum(value: unknown): value is number {
  return (
    typeof value === "number" &&
    Number.isInteger(value) &&
    value >= MIN_PASSWORD_LENGTH &&
    value <= MAX_PASSWORD_LENGTH
  );
}
