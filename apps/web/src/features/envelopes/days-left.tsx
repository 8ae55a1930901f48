import { type Envelope, PURGE_AFTER_DAYS, PURGE_WARNING_DAYS } from "@paraphe/contracts";
import { classNames } from "../../lib/class-names.ts";
import { Icon } from "../../ui/icon/icon.tsx";
import { Tooltip } from "../../ui/tooltip/tooltip.tsx";
import styles from "./lists.module.css";

const DAY_MS = 86_400_000;

/** Gives the days left before the automatic purge: 10 minus the whole days elapsed since the cancellation, floored at 0 (specification §4). */
export function daysRemaining(
  envelope: Pick<Envelope, "days_remaining" | "cancelled_at">,
  now: Date,
): number {
  if (envelope.days_remaining !== null) return envelope.days_remaining;
  if (envelope.cancelled_at === null) return PURGE_AFTER_DAYS;
  const elapsed = Math.floor((now.getTime() - Date.parse(envelope.cancelled_at)) / DAY_MS);
  return Math.max(0, PURGE_AFTER_DAYS - elapsed);
}

/** True when the purge is so near that it must be seen. */
export function isPurgeImminent(days: number): boolean {
  return days <= PURGE_WARNING_DAYS;
}

/** « 4 jours », « 1 jour », « Moins d’un jour ». */
export function daysLabel(days: number): string {
  if (days <= 0) return "Moins d’un jour";
  return days === 1 ? "1 jour" : `${days} jours`;
}

/** How long a deleted envelope remains; red and in clear text when its purge is near. */
export function DaysLeft({ envelope }: { readonly envelope: Envelope }) {
  const days = daysRemaining(envelope, new Date());
  if (isPurgeImminent(days)) {
    return (
      <>
        <span className={classNames(styles["days"], styles["imminent"])}>
          <Icon name="warning" size="sm" />
          {daysLabel(days)}
        </span>
        <div className={styles["imminentNote"]}>Purge automatique imminente</div>
      </>
    );
  }
  return (
    <Tooltip text={`Purge automatique dans ${days} jour(s)`} align="start">
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard reaches the explanation here (WCAG 1.4.13) */}
      <span className={styles["days"]} tabIndex={0}>
        <Icon name="clock" size="sm" />
        {daysLabel(days)}
      </span>
    </Tooltip>
  );
}
