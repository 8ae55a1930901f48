import { parisDay } from "../../lib/format-dates.ts";

/**
 * Gives the day, `YYYY-MM-DD` in Paris, that many days after the deadline, or after today once it has passed.
 */
export function extendedDay(deadline: string | null, { days, now }: { readonly days: number; readonly now: Date }): string {
  const from = deadline !== null && Date.parse(deadline) > now.getTime() ? deadline : now;
  const day = new Date(`${parisDay(from)}T00:00:00Z`);
  day.setUTCDate(day.getUTCDate() + days);
  return day.toISOString().slice(0, 10);
}
