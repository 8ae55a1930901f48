import { DEADLINE_SOON_DAYS, RECENT_DOCUMENTS } from "@paraphe/contracts";
import { addDays, parisDay } from "@paraphe/kernel/paris-days";
import { startOfParisDay } from "@paraphe/kernel/paris-time";
import type { Platform } from "../../../platform/platform.ts";
import type { SessionUser } from "../../accounts/public.ts";
import { countEnvelopes, listEnvelopes, listPersonOf } from "../list-envelopes.ts";
import { selectCompleted, selectStanding, selectTotals, type Standing } from "./store.ts";

/** `days` sums the time from creation to completion. */
type DayTotals = {
  readonly day: string;
  readonly created: number;
  readonly completed: number;
  readonly completedDays: number;
};
type PeriodFigures = {
  readonly total: number;
  readonly completionRate: number;
  readonly avgSigningTime: number;
};

/** Gives the completion rate in percent and the mean days to complete, to one decimal. */
export function summarise(totals: Omit<DayTotals, "day">): PeriodFigures {
  const { created, completed, completedDays } = totals;
  return {
    total: created,
    completionRate: created === 0 ? 0 : oneDecimal((100 * completed) / created),
    avgSigningTime: completed === 0 ? 0 : oneDecimal(completedDays / completed),
  };
}

function sparkline(
  created: ReadonlyMap<string, number>,
  days: readonly string[],
): { date: string; count: number }[] {
  return days.map((date) => ({ date, count: created.get(date) ?? 0 }));
}

function oneDecimal(value: number): number {
  return Math.round(value * 10) / 10;
}

const SPARK_DAYS = 30;
const SHORT_SPARK_DAYS = 7;

type DashboardPeriod = { readonly from?: string | undefined; readonly to?: string | undefined };

/**
 * Counts own envelopes, from stored counts, by days of Paris. One date alone filters nothing
 * (specification §2).
 */
export async function readDashboard(
  platform: Pick<Platform, "db" | "clock">,
  user: SessionUser,
  period: DashboardPeriod,
) {
  const person = listPersonOf(user);
  const now = platform.clock();
  const today = parisDay(now);
  const days = Array.from({ length: SPARK_DAYS }, (_, index) =>
    addDays(today, index + 1 - SPARK_DAYS),
  );
  const isWhole = period.from !== undefined && period.to !== undefined;
  const window = {
    holders: person.holders,
    from: isWhole ? (period.from ?? null) : null,
    to: isWhole ? (period.to ?? null) : null,
    monthStart: `${today.slice(0, 7)}-01`,
    sparkStart: days[0] ?? today,
  };
  // Days count whole: « dans 7 jours » stays soon until that evening.
  const beyond = startOfParisDay(addDays(today, DEADLINE_SOON_DAYS + 1));
  const [counts, totals, recent, completed, standing] = await Promise.all([
    countEnvelopes(platform, { user }),
    selectTotals(platform.db, window),
    readRecent(platform, user),
    selectCompleted(platform.db, person, RECENT_DOCUMENTS),
    selectStanding(platform.db, person, { now, beyond }),
  ]);
  const figures = summarise(totals);
  const created = new Map(Object.entries(totals.days));
  return {
    counts: {
      draft: counts.draft,
      sent: counts.sent,
      completed: counts.completed,
      actionRequired: counts.action_required,
    },
    totalThisMonth: totals.thisMonth,
    periodTotal: figures.total,
    periodCompleted: totals.completed,
    completionRate: figures.completionRate,
    avgSigningTime: figures.avgSigningTime,
    sparklines: {
      last7: sparkline(created, days.slice(-SHORT_SPARK_DAYS)),
      last30: sparkline(created, days),
    },
    standing: presentStanding(standing),
    recent,
    notifications: completed.map(({ id, title, completedAt }) => ({
      envelope_id: id,
      title,
      completed_at: completedAt.toISOString(),
    })),
  };
}

/** An envelope in several lists is shown once. */
async function readRecent(platform: Pick<Platform, "db" | "clock">, user: SessionUser) {
  const newest = { page: 1, page_size: RECENT_DOCUMENTS, ordering: "-created_at" } as const;
  const lists = await Promise.all(
    ([{}, { status: "action_required" }, { status: "completed" }] as const).map((list) =>
      listEnvelopes(platform, { user }, { ...newest, ...list }),
    ),
  );
  const envelopes = new Map(
    lists.flatMap(({ results }) => results.map((envelope) => [envelope.id, envelope])),
  );
  return [...envelopes.values()]
    .toSorted((a, b) => b.created_at.localeCompare(a.created_at))
    .slice(0, RECENT_DOCUMENTS);
}

function presentStanding({ lastDraftAt, toCorrect, expiringSoon, mostUrgentAt }: Standing) {
  return {
    lastDraftAt: lastDraftAt?.toISOString() ?? null,
    toCorrect,
    expiringSoon,
    mostUrgentAt: mostUrgentAt?.toISOString() ?? null,
  };
}
