/** What one day of creation holds: how many envelopes, how many of them are completed, and the days those took, summed. */
export type DayTotals = { readonly day: string; readonly created: number; readonly completed: number; readonly completedDays: number };
export type PeriodFigures = { readonly total: number; readonly completionRate: number; readonly avgSigningTime: number };

/** Gives the figures of a period: completed divided by total in percent, and the mean days from creation to completion, each with one decimal; 0 of nothing is 0. */
export function summarise(totals: Omit<DayTotals, "day">): PeriodFigures {
  const { created, completed, completedDays } = totals;
  return {
    total: created,
    completionRate: created === 0 ? 0 : oneDecimal((100 * completed) / created),
    avgSigningTime: completed === 0 ? 0 : oneDecimal(completedDays / completed),
  };
}

/** Gives one point per day, oldest first, days without an envelope included. */
export function sparkline(created: ReadonlyMap<string, number>, days: readonly string[]): { date: string; count: number }[] {
  return days.map((date) => ({ date, count: created.get(date) ?? 0 }));
}

function oneDecimal(value: number): number {
  return Math.round(value * 10) / 10;
}
