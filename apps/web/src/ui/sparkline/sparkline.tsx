import { formatDayMonth } from "../../lib/format/format-dates.ts";
import { plural } from "../../lib/format/format-numbers.ts";
import styles from "./sparkline.module.css";

const WIDTH = 300;
const TOP = 8;
const BOTTOM = 48;

/** In a 300 × 52 frame: the maximum at the top, zero at the baseline. */
function sparklinePoints(counts: readonly number[]): readonly (readonly [x: number, y: number])[] {
  const maximum = Math.max(1, ...counts);
  const step = counts.length > 1 ? WIDTH / (counts.length - 1) : 0;
  return counts.map(
    (count, index) => [index * step, BOTTOM - (count / maximum) * (BOTTOM - TOP)] as const,
  );
}

type Props = {
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

/** A daily count, with a table for screen readers. */
export function Sparkline({ label, days }: Props) {
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
