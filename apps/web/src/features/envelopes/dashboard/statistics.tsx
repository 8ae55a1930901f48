import type { Dashboard } from "@paraphe/contracts";
import type { DayRange } from "../../../lib/format/day-range.ts";
import { formatDay, formatDayMonth } from "../../../lib/format/format-dates.ts";
import { formatCount, formatPercent } from "../../../lib/format/format-numbers.ts";
import { DateField } from "../../../ui/date-field/date-field.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { Segmented } from "../../../ui/segmented/segmented.tsx";
import { Sparkline } from "../../../ui/sparkline/sparkline.tsx";
import { StatTile } from "../../../ui/stat-tile/stat-tile.tsx";
import { periodHint, type Period, type PeriodKind } from "./dashboard-dates.ts";
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
