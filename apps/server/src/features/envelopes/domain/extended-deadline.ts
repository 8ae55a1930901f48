import { addDays, EXTENSION_DAYS } from "@paraphe/contracts";
import { parisDay, startOfParisDay } from "./paris-days.ts";

/**
 * Gives what a deadline is put off to when no date is given: the end of the seventh day, in Paris, after it, or after today once it has passed.
 * Units: to the second, as a date that somebody chooses is.
 */
export function extendedDeadline(deadlineAt: Date, now: Date): Date {
  const from = deadlineAt > now ? deadlineAt : now;
  return new Date(startOfParisDay(addDays(parisDay(from), EXTENSION_DAYS + 1)).getTime() - 1_000);
}
