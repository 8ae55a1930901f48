import { parisDay } from "../../lib/format-dates.ts";

export type PeriodKind = "month" | "90days" | "custom";
export type Period = { readonly kind: PeriodKind; readonly start: string; readonly end: string };
export type Range = { readonly from?: string; readonly to?: string };

const ISO_DAY = /^\d{4}-\d{2}-\d{2}$/u;
const DAY_MS = 86_400_000;

/**
 * Gives the days a period covers, in Paris: the month since its first day, the last 90 days, or the two chosen days.
 * A custom period without both its days filters nothing (specification §2).
 */
export function periodRange(period: Period, now: Date): Range {
  const today = parisDay(now);
  if (period.kind === "month") return { from: `${today.slice(0, 8)}01`, to: today };
  if (period.kind === "90days") return { from: parisDay(new Date(now.getTime() - 89 * DAY_MS)), to: today };
  if (!ISO_DAY.test(period.start) || !ISO_DAY.test(period.end) || period.start > period.end) return {};
  return { from: period.start, to: period.end };
}

/** Says what a custom period lacks; nothing when it is whole. */
export function periodHint(period: Period): string | undefined {
  if (period.kind !== "custom") return undefined;
  if (!ISO_DAY.test(period.start) || !ISO_DAY.test(period.end)) return "Choisissez une date de début et une date de fin.";
  return period.start > period.end ? "La date de fin doit suivre la date de début." : undefined;
}
