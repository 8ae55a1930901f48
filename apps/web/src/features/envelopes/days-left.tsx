import type { Envelope } from "@paraphe/contracts";
import { classNames } from "../../lib/class-names.ts";
import { Icon } from "../../ui/icon/icon.tsx";
import { Tooltip } from "../../ui/tooltip/tooltip.tsx";
import { daysLabel, daysRemaining, isPurgeImminent } from "./days-remaining.ts";
import styles from "./lists.module.css";

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
