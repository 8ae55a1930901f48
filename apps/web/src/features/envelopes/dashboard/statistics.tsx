import type { Dashboard } from "@paraphe/contracts";
import type { DayRange } from "../../../lib/format/day-range.ts";
import { formatDay, formatDayMonth } from "../../../lib/format/format-dates.ts";
import { formatCount, formatPercent, plural } from "../../../lib/format/format-numbers.ts";
import { DateField } from "../../../ui/date-field/date-field.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { Segmented } from "../../../ui/segmented/segmented.tsx";
import { StatTile } from "./counters.tsx";
import { type Period, type PeriodKind, periodHint } from "./dashboard-dates.ts";
import styles from "./statistics.module.css";

type Props = {
  readonly id: string;
  readonly dashboard: Dashboard | undefined;
  readonly period: Period;
  readonly range: DayRange;
  readonly onPeriod: (period: Period) => void;
};

const KINDS: readonly { readonly value: PeriodKind; readonly label: string }[] = [
  { value: "month", label: "Ce mois" },
  { value: "90days", label: "90 jours" },
  { value: "custom", label: "Personnalisé" },
];

export function Statistics({ id, dashboard, period, range, onPeriod }: Props) {
  const hint = periodHint(period);
  return (
    <section id={id} className="stack" aria-label="Statistiques détaillées">
      <div className={styles["filters"]}>
        <Segmented
          label="Période"
          value={period.kind}
          options={KINDS}
          onChange={(kind) => onPeriod({ ...period, kind })}
        />
        {period.kind === "custom" && <CustomDates period={period} onPeriod={onPeriod} />}
        <span className="muted small" role="status">
          {hint}
        </span>
      </div>
      <div className={styles["stats"]}>
        <StatTile
          label="Période"
          sign={<Icon name="calendar" size="sm" />}
          value={dashboard && formatCount(dashboard.periodTotal)}
          hint={rangeLabel(range)}
          to="/signature/envelopes"
        />
        <StatTile
          label="Taux compl."
          sign={<Icon name="check-circle" size="sm" />}
          value={dashboard && formatPercent(dashboard.completionRate)}
          hint={
            dashboard &&
            `${formatCount(dashboard.periodCompleted)} sur ${formatCount(dashboard.periodTotal)}`
          }
        />
        <Sparkline label="7 derniers jours" days={dashboard?.sparklines.last7 ?? []} />
        <Sparkline label="30 derniers jours" days={dashboard?.sparklines.last30 ?? []} />
      </div>
    </section>
  );
}

function CustomDates({ period, onPeriod }: Pick<Props, "period" | "onPeriod">) {
  return (
    <div className={styles["dates"]}>
      <div>
        <DateField
          label="Date de début"
          hideLabel
          size="sm"
          value={period.start}
          onChange={(start) => onPeriod({ ...period, start })}
        />
      </div>
      <span className="muted">au</span>
      <div>
        <DateField
          label="Date de fin"
          hideLabel
          size="sm"
          value={period.end}
          onChange={(end) => onPeriod({ ...period, end })}
        />
      </div>
    </div>
  );
}

function rangeLabel({ from, to }: DayRange): string {
  if (from === undefined || to === undefined) return "Depuis le début";
  const start = from.slice(0, 4) === to.slice(0, 4) ? formatDayMonth(from) : formatDay(from);
  return `${start} – ${formatDay(to)}`;
}

const WIDTH = 300;
const TOP = 8;
const BOTTOM = 48;

/** Points in a 300 × 52 frame: the maximum at the top, zero at the baseline. */
function sparklinePoints(counts: readonly number[]): readonly (readonly [x: number, y: number])[] {
  const maximum = Math.max(1, ...counts);
  const step = counts.length > 1 ? WIDTH / (counts.length - 1) : 0;
  return counts.map(
    (count, index) => [index * step, BOTTOM - (count / maximum) * (BOTTOM - TOP)] as const,
  );
}

type SparklineProps = {
  readonly label: string;
  readonly days: readonly { readonly date: string; readonly count: number }[];
};

const line = {
  fill: "none",
  stroke: "var(--accent)",
  vectorEffect: "non-scaling-stroke",
  strokeLinecap: "round",
  strokeLinejoin: "round",
} as const;

function Sparkline({ label, days }: SparklineProps) {
  const total = days.reduce((sum, day) => sum + day.count, 0);
  const points = sparklinePoints(days.map((day) => day.count));
  const path = points
    .map(([x, y], index) => `${index === 0 ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`)
    .join("");
  const last = points.at(-1);
  const maximum = Math.max(0, ...days.map((day) => day.count));
  return (
    <div className={styles["spark"]}>
      <div className={styles["head"]}>
        <span>{label}</span>
        <b className="num">{plural(total, "document")}</b>
      </div>
      <svg
        viewBox="0 0 300 52"
        preserveAspectRatio="none"
        role="img"
        aria-label={`${label} : ${plural(total, "document")}, maximum ${maximum} par jour`}
      >
        <path d="M0 51.5H300" stroke="var(--line-2)" vectorEffect="non-scaling-stroke" />
        {total > 0 && last && (
          <>
            <path d={`${path}L300 52L0 52Z`} fill="var(--accent-soft)" />
            <path d={path} {...line} strokeWidth="1.8" />
            <path d={`M${last[0]} ${last[1].toFixed(1)}h.01`} {...line} strokeWidth="7" />
          </>
        )}
      </svg>
      <div className={`${styles["axis"] ?? ""} num`} aria-hidden="true">
        <span>{days[0] && formatDayMonth(days[0].date)}</span>
        <span>{days.at(-1) && formatDayMonth(days.at(-1)?.date ?? "")}</span>
      </div>
      <table className="sr">
        <caption>{label}</caption>
        <tbody>
          {days.map((day) => (
            <tr key={day.date}>
              <th scope="row">{formatDayMonth(day.date)}</th>
              <td>{day.count}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
