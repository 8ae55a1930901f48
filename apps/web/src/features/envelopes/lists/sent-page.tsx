import type { Envelope } from "@paraphe/contracts";
import { type ReactNode, useState } from "react";
import { Link } from "react-router";
import { formatDay } from "../../../lib/format/format-dates.ts";
import { plural } from "../../../lib/format/format-numbers.ts";
import { Button } from "../../../ui/button/button.tsx";
import { LinkButton } from "../../../ui/button/link-button.tsx";
import { type Column, RowActions, actionsColumn } from "../../../ui/data-table/data-table.tsx";
import { DocCell } from "../../../ui/doc-cell/doc-cell.tsx";
import { EmptyState } from "../../../ui/empty-state/empty-state.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { useMayWork } from "../../accounts/use-session.ts";
import { WorkLink } from "../../accounts/work.tsx";
import { CancelDialog, DeleteDialog } from "../ending-dialogs.tsx";
import { CLOSED, useCounts } from "../envelope-calls.ts";
import { ListPage, recipientsSummary } from "./list-page.tsx";
import styles from "../lists.module.css";
import { SigningProgress, StatusBadge } from "../status-badge.tsx";
import { useEnvelopeList } from "./use-envelope-list.ts";
import { hasLeft, useOverdueDialog } from "../use-row-action.ts";

const FAILURE = "Impossible de charger les enveloppes envoyées";
const detail = (envelope: Envelope) => `/signature/detail/${envelope.id}`;

export function SentPage() {
  const source = useEnvelopeList({ status: "sent", failure: FAILURE });
  const [cancelling, setCancelling] = useState<Envelope>();
  useOverdueDialog(hasLeft(cancelling, source.list.data), () => setCancelling(undefined));
  const create = (
    <WorkLink variant="primary" to="/signature/upload">
      <Icon name="plus" size="sm" />
      Créer une enveloppe
    </WorkLink>
  );
  return (
    <>
      <ListPage
        title="Envoyé"
        lede={(count) => `${plural(count, "enveloppe")} en attente de signature`}
        failure={FAILURE}
        source={source}
        action={create}
        columns={columns(setCancelling)}
        renderCard={(envelope) => (
          <SentCard envelope={envelope} onCancel={() => setCancelling(envelope)} />
        )}
        empty={<NothingAwaited action={create} />}
      />
      {cancelling && <EndDialog envelope={cancelling} onClose={() => setCancelling(undefined)} />}
    </>
  );
}

function endWords({ status }: Envelope): string {
  return CLOSED.has(status) ? "Supprimer" : "Annuler l’enveloppe";
}

function EndDialog(props: { readonly envelope: Envelope; readonly onClose: () => void }) {
  return CLOSED.has(props.envelope.status) ? (
    <DeleteDialog {...props} />
  ) : (
    <CancelDialog {...props} />
  );
}

function NothingAwaited({ action }: { readonly action: ReactNode }) {
  const mayWork = useMayWork();
  const hasCompleted = (useCounts().data?.completed ?? 0) > 0;
  return (
    <EmptyState title="Aucune enveloppe en attente de signature" action={action}>
      {hasCompleted ? (
        <>
          Ce que tous ont signé est dans{" "}
          <Link to="/signature/envelopes/completed">Complété(s)</Link>.
        </>
      ) : mayWork ? (
        "Déposez un PDF, ajoutez vos signataires : ils reçoivent un lien et signent depuis leur téléphone."
      ) : (
        "Les enveloppes que vos équipes envoient s’affichent ici."
      )}
    </EmptyState>
  );
}

function columns(onCancel: (envelope: Envelope) => void): readonly Column<Envelope>[] {
  return [
    {
      key: "document",
      header: "Document",
      wide: true,
      cell: (envelope) => (
        <div className={styles["titleAndProgress"]}>
          <DocCell
            title={envelope.title}
            to={detail(envelope)}
            subtitle={recipientsSummary(envelope)}
          />
          <SigningProgress envelope={envelope} />
        </div>
      ),
    },
    {
      key: "date",
      header: "Date d’envoi",
      className: "num nowrap",
      cell: (envelope) => formatDay(envelope.sent_at ?? envelope.created_at),
    },
    {
      key: "status",
      header: "Statut",
      cell: (envelope) => <StatusBadge status={envelope.status} />,
    },
    actionsColumn((envelope) => (
      <RowActions>
        <LinkButton size="sm" to={detail(envelope)} aria-label={`Détails de ${envelope.title}`}>
          Détails
        </LinkButton>
        {!envelope.read_only && (
          <Button
            size="sm"
            variant="ghost"
            square
            aria-label={`${endWords(envelope)} ${envelope.title}`}
            title={endWords(envelope)}
            onClick={() => onCancel(envelope)}
          >
            <Icon name={CLOSED.has(envelope.status) ? "trash" : "cancel"} />
          </Button>
        )}
      </RowActions>
    )),
  ];
}

function SentCard({
  envelope,
  onCancel,
}: {
  readonly envelope: Envelope;
  readonly onCancel: () => void;
}) {
  return (
    <>
      <DocCell
        title={envelope.title}
        to={detail(envelope)}
        subtitle={recipientsSummary(envelope)}
      />
      <SigningProgress envelope={envelope} />
      <div className="row row--between">
        <StatusBadge status={envelope.status} />
        <span className="muted num">{formatDay(envelope.sent_at ?? envelope.created_at)}</span>
      </div>
      <div className="row">
        <LinkButton className="grow" to={detail(envelope)}>
          Détails
        </LinkButton>
        {!envelope.read_only && (
          <Button
            variant="dangerGhost"
            className="grow"
            aria-label={`${endWords(envelope)} ${envelope.title}`}
            onClick={onCancel}
          >
            {CLOSED.has(envelope.status) ? "Supprimer" : "Annuler"}
          </Button>
        )}
      </div>
    </>
  );
}
