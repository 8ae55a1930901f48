import type { Envelope } from "@paraphe/contracts";
import { useState } from "react";
import { formatDay } from "../../../lib/format/format-dates.ts";
import { plural } from "../../../lib/format/format-numbers.ts";
import { Button } from "../../../ui/button/button.tsx";
import { LinkButton } from "../../../ui/button/link-button.tsx";
import { type Column, RowActions, actionsColumn } from "../../../ui/data-table/data-table.tsx";
import { DocCell } from "../../../ui/doc-cell/doc-cell.tsx";
import { EmptyState } from "../../../ui/empty-state/empty-state.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { WorkLink } from "../../accounts/work.tsx";
import { DeleteDialog } from "../ending-dialogs.tsx";
import { ListPage, draftSummary } from "./list-page.tsx";
import { StatusBadge } from "../status-badge.tsx";
import { useEnvelopeList } from "./use-envelope-list.ts";
import { hasLeft, useOverdueDialog } from "../use-row-action.ts";

const FAILURE = "Échec du chargement des brouillons";
const edit = ({ id, read_only: isReadOnly }: Envelope) =>
  isReadOnly ? `/signature/detail/${id}` : `/signature/workflow/${id}`;

export function DraftsPage() {
  const source = useEnvelopeList({ status: "draft", failure: FAILURE });
  const [deleting, setDeleting] = useState<Envelope>();
  useOverdueDialog(hasLeft(deleting, source.list.data), () => setDeleting(undefined));
  return (
    <>
      <ListPage
        title="Brouillons"
        lede={(count) => `${plural(count, "enveloppe")} en préparation`}
        failure={FAILURE}
        source={source}
        columns={columns(setDeleting)}
        renderCard={(envelope) => (
          <>
            <DocCell title={envelope.title} to={edit(envelope)} subtitle={draftSummary(envelope)} />
            <div className="row row--between">
              <StatusBadge status={envelope.status} returned={envelope.returned} />
              <span className="muted num">{formatDay(envelope.created_at)}</span>
            </div>
            {!envelope.read_only && (
              <div className="row">
                <LinkButton
                  className="grow"
                  to={edit(envelope)}
                  aria-label={`Modifier ${envelope.title}`}
                >
                  Modifier
                </LinkButton>
                <Button
                  variant="dangerGhost"
                  className="grow"
                  aria-label={`Supprimer ${envelope.title}`}
                  onClick={() => setDeleting(envelope)}
                >
                  Supprimer
                </Button>
              </div>
            )}
          </>
        )}
        empty={
          <EmptyState
            title="Aucun brouillon"
            action={
              <WorkLink variant="primary" to="/signature/upload">
                Créer une enveloppe
              </WorkLink>
            }
          >
            Une enveloppe commencée mais pas encore envoyée se retrouve ici.
          </EmptyState>
        }
      />
      {deleting && <DeleteDialog envelope={deleting} onClose={() => setDeleting(undefined)} />}
    </>
  );
}

function columns(onDelete: (envelope: Envelope) => void): readonly Column<Envelope>[] {
  return [
    {
      key: "document",
      header: "Document",
      wide: true,
      cell: (envelope) => (
        <DocCell title={envelope.title} to={edit(envelope)} subtitle={draftSummary(envelope)} />
      ),
    },
    {
      key: "date",
      header: "Créé le",
      className: "num nowrap",
      cell: (envelope) => formatDay(envelope.created_at),
    },
    {
      key: "status",
      header: "Statut",
      cell: (envelope) => <StatusBadge status={envelope.status} returned={envelope.returned} />,
    },
    actionsColumn(
      (envelope) =>
        !envelope.read_only && (
          <RowActions>
            <LinkButton size="sm" to={edit(envelope)} aria-label={`Modifier ${envelope.title}`}>
              Modifier
            </LinkButton>
            <Button
              size="sm"
              variant="ghost"
              square
              aria-label={`Supprimer le brouillon ${envelope.title}`}
              title="Supprimer le brouillon"
              onClick={() => onDelete(envelope)}
            >
              <Icon name="trash" />
            </Button>
          </RowActions>
        ),
    ),
  ];
}
