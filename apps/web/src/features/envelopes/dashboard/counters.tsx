import type { Dashboard } from "@paraphe/contracts";
import { formatNearDay } from "@paraphe/kernel/french-dates";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { classNames } from "../../../lib/class-names.ts";
import {
  daysBetween,
  formatDay,
  formatDayMonth,
  parisDay,
} from "../../../lib/format/format-dates.ts";
import { formatCount, formatDecimal, plural } from "../../../lib/format/format-numbers.ts";
import { StatusGlyph } from "../../../ui/badge/badge.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { Skeleton } from "../../../ui/skeleton/skeleton.tsx";
import styles from "../../../ui/stat-tile/stat-tile.module.css";
import { useIsUnconfirmed } from "../../accounts/use-session.ts";

/** « demain », « mardi 24 » within a week, « le 5 déc. ». */
export function deadlineDay(deadline: string, now: Date): string {
  const days = daysBetween(now, deadline);
  if (days <= 0) return "aujourd’hui";
  if (days === 1) return "demain";
  if (days < 7) return formatNearDay(deadline);
  return `le ${parisDay(deadline).slice(0, 4) === parisDay(now).slice(0, 4) ? formatDayMonth(deadline) : formatDay(deadline)}`;
}

/** The red margin marks only what awaits the user. */
export function Counters({ dashboard }: { readonly dashboard: Dashboard | undefined }) {
  const counts = dashboard?.counts;
  const standing = dashboard?.standing;
  const isUnconfirmed = useIsUnconfirmed() && !counts?.actionRequired;
  const show = (value: number | undefined) =>
    value === undefined ? undefined : formatCount(value);
  return (
    <StatTiles busy={counts === undefined}>
      <StatTile
        label="Brouillons"
        sign={<StatusGlyph tone="draft" />}
        value={show(counts?.draft)}
        hint={counts && (counts.draft > 0 ? lastChange(standing?.lastDraftAt) : "Aucun")}
        to="/signature/envelopes/drafts"
      />
      <StatTile
        label="Envoyées"
        sign={<StatusGlyph tone="sent" />}
        value={show(counts?.sent)}
        hint={
          counts && (counts.sent > 0 ? nearing(standing?.expiringSoon ?? 0) : "Aucune en attente")
        }
        to="/signature/envelopes/sent"
      />
      <StatTile
        label="Complétées"
        sign={<StatusGlyph tone="completed" />}
        value={show(counts?.completed)}
        hint={
          counts &&
          (counts.completed > 0 && dashboard ? meanDelay(dashboard.avgSigningTime) : "Aucune")
        }
        to="/signature/envelopes/completed"
      />
      <StatTile
        label="Action requise"
        sign={<StatusGlyph tone="action" />}
        value={isUnconfirmed ? "–" : show(counts?.actionRequired)}
        hint={
          isUnconfirmed
            ? "Adresse à confirmer"
            : counts &&
              (counts.actionRequired > 0 ? mostUrgent(standing?.mostUrgentAt) : "Rien à signer")
        }
        alert={(counts?.actionRequired ?? 0) > 0}
        to={isUnconfirmed ? "/profile" : "/signature/envelopes/action-required"}
      />
    </StatTiles>
  );
}

function lastChange(at: string | null | undefined): string {
  if (!at) return "À terminer";
  const isThisYear = parisDay(at).slice(0, 4) === parisDay(new Date()).slice(0, 4);
  return `Dernier modifié le ${isThisYear ? formatDayMonth(at) : formatDay(at)}`;
}

function nearing(count: number): string {
  if (count === 0) return "Aucune échéance proche";
  return plural(count, "arrive à échéance", "arrivent à échéance");
}

function mostUrgent(deadline: string | null | undefined): string {
  return deadline ? `La plus urgente\u00a0: ${deadlineDay(deadline, new Date())}` : "Sans échéance";
}

function meanDelay(days: number): string {
  if (days < 1) return "Délai moyen : moins d’un jour";
  return `Délai moyen : ${formatDecimal(days)} ${days >= 2 ? "jours" : "jour"}`;
}

type Props = {
  readonly label: string;
  readonly sign: ReactNode;
  readonly value: string | undefined;
  readonly hint?: string | undefined;
  readonly to?: string;
  readonly alert?: boolean;
};

export function StatTile({ label, sign, value, hint, to, alert = false }: Props) {
  const className = classNames(styles["tile"], alert && styles["alert"]);
  const content = (
    <>
      <span className={styles["label"]}>
        {sign}
        {label}
      </span>
      {value === undefined ? (
        <Skeleton width={40} height={41} />
      ) : (
        <span className={styles["number"]}>{value}</span>
      )}
      {hint !== undefined && <span className={styles["hint"]}>{hint}</span>}
    </>
  );
  if (to === undefined) return <div className={className}>{content}</div>;
  return (
    <Link className={className} to={to}>
      {content}
      <Icon name="arrow-right" className={styles["arrow"]} />
    </Link>
  );
}

function StatTiles({
  children,
  busy = false,
}: {
  readonly children: ReactNode;
  readonly busy?: boolean;
}) {
  return (
    <div className={styles["tiles"]} aria-busy={busy || undefined}>
      {children}
    </div>
  );
}
