import { type Envelope, PURGE_AFTER_DAYS, PURGE_WARNING_DAYS } from "@paraphe/contracts";
import { useState } from "react";
import { classNames } from "../../../lib/class-names.ts";
import { formatDay } from "../../../lib/format/format-dates.ts";
import { Badge } from "../../../ui/badge/badge.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { LinkButton } from "../../../ui/button/link-button.tsx";
import { type Column, RowActions, actionsColumn } from "../../../ui/data-table/data-table.tsx";
import { DocCell } from "../../../ui/doc-cell/doc-cell.tsx";
import { EmptyState } from "../../../ui/empty-state/empty-state.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { Tooltip } from "../../../ui/tooltip/tooltip.tsx";
import { ListPage, recipientsSummary } from "./list-page.tsx";
import styles from "../lists.module.css";
import { PurgeDialog, RestoreDialog, useRestore } from "../ending-dialogs.tsx";
import { useEnvelopeList } from "./use-envelope-list.ts";
import { hasLeft, useOverdueDialog } from "../use-row-action.ts";

const FAILURE = "Échec du chargement des enveloppes supprimées";
const detail = (envelope: Envelope) => `/signature/detail/${envelope.id}`;
const imminent = (envelope: Envelope) => isPurgeImminent(daysRemaining(envelope, new Date()));

type Actions = {
  readonly onRestore: (envelope: Envelope) => void;
  readonly onPurge: (envelope: Envelope) => void;
};

/** Deleted envelopes are purged after ten days. */
export function DeletedPage() {
  const source = useEnvelopeList({ status: "cancelled", failure: FAILURE });
  const [purging, setPurging] = useState<Envelope>();
  useOverdueDialog(hasLeft(purging, source.list.data), () => setPurging(undefined));
  const restoration = useRestore();
  useOverdueDialog(hasLeft(restoration.asked, source.list.data), restoration.close);
  const actions: Actions = { onRestore: restoration.restore, onPurge: setPurging };
  return (
    <>
      <ListPage
        title="Supprimé"
        lede="Les enveloppes annulées sont purgées 10 jours après leur annulation."
        failure={FAILURE}
        source={source}
        columns={columns(actions)}
        rowTone={(envelope) => (imminent(envelope) ? "danger" : undefined)}
        renderCard={(envelope) => <DeletedCard envelope={envelope} {...actions} />}
        empty={
          <EmptyState title="Corbeille vide">
            Une enveloppe annulée ou supprimée reste ici 10 jours, puis disparaît définitivement.
          </EmptyState>
        }
      />
      <RestoreDialog {...restoration} />
      {purging && <PurgeDialog envelope={purging} onClose={() => setPurging(undefined)} />}
    </>
  );
}

function columns({ onRestore, onPurge }: Actions): readonly Column<Envelope>[] {
  return [
    {
      key: "document",
      header: "Document",
      wide: true,
      cell: (envelope) => (
        <DocCell
          title={envelope.title}
          to={detail(envelope)}
          subtitle={recipientsSummary(envelope)}
        />
      ),
    },
    {
      key: "created",
      header: "Date de création",
      className: "num nowrap",
      cell: (envelope) => formatDay(envelope.created_at),
    },
    { key: "days", header: "Jours restants", cell: (envelope) => <DaysLeft envelope={envelope} /> },
    { key: "status", header: "Statut", cell: (envelope) => <DeletedBadge envelope={envelope} /> },
    actionsColumn((envelope) => (
      <RowActions>
        <LinkButton
          size="sm"
          variant="ghost"
          square
          to={detail(envelope)}
          aria-label={`Prévisualiser ${envelope.title}`}
          title="Prévisualiser"
        >
          <Icon name="eye" />
        </LinkButton>
        {!envelope.read_only && <EndButtons {...{ envelope, onRestore, onPurge }} />}
      </RowActions>
    )),
  ];
}

function EndButtons({ envelope, onRestore, onPurge }: Actions & { readonly envelope: Envelope }) {
  return (
    <>
      <Button
        size="sm"
        variant="ghost"
        square
        aria-label={`Restaurer ${envelope.title}`}
        title="Restaurer"
        onClick={() => onRestore(envelope)}
      >
        <Icon name="restore" />
      </Button>
      <Button
        size="sm"
        variant="ghost"
        square
        aria-label={`Purger ${envelope.title}`}
        title="Purger"
        onClick={() => onPurge(envelope)}
      >
        <Icon name="trash" />
      </Button>
    </>
  );
}

function DeletedCard({ envelope, onRestore, onPurge }: Actions & { readonly envelope: Envelope }) {
  return (
    <>
      <DocCell
        title={envelope.title}
        to={detail(envelope)}
        subtitle={recipientsSummary(envelope)}
      />
      <div className="row row--between">
        <div>
          <DaysLeft envelope={envelope} />
        </div>
        <DeletedBadge envelope={envelope} />
      </div>
      {!envelope.read_only && (
        <div className="row">
          <Button
            className="grow"
            aria-label={`Restaurer ${envelope.title}`}
            onClick={() => onRestore(envelope)}
          >
            <Icon name="restore" size="sm" />
            Restaurer
          </Button>
          <Button
            variant="dangerGhost"
            className="grow"
            aria-label={`Purger ${envelope.title}`}
            onClick={() => onPurge(envelope)}
          >
            Purger
          </Button>
        </div>
      )}
    </>
  );
}

function DeletedBadge({ envelope }: { readonly envelope: Envelope }) {
  return <Badge tone={imminent(envelope) ? "action" : "cancelled"}>Supprimé</Badge>;
}

const DAY_MS = 86_400_000;

/** 10 minus the whole days since the cancellation, 0 at least (specification §4). */
export function daysRemaining(
  envelope: Pick<Envelope, "days_remaining" | "cancelled_at">,
  now: Date,
): number {
  if (envelope.days_remaining !== null) return envelope.days_remaining;
  if (envelope.cancelled_at === null) return PURGE_AFTER_DAYS;
  const elapsed = Math.floor((now.getTime() - Date.parse(envelope.cancelled_at)) / DAY_MS);
  return Math.max(0, PURGE_AFTER_DAYS - elapsed);
}

export function isPurgeImminent(days: number): boolean {
  return days <= PURGE_WARNING_DAYS;
}

export function daysLabel(days: number): string {
  if (days <= 0) return "Moins d’un jour";
  return days === 1 ? "1 jour" : `${days} jours`;
}

/** Red and in clear text when the purge is near. */
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
