import type { Envelope } from "@paraphe/contracts";
import { andList } from "@paraphe/kernel/french-words";
import { useState } from "react";
import { formatDay } from "../../../lib/format/format-dates.ts";
import { plural } from "../../../lib/format/format-numbers.ts";
import { buttonLook } from "../../../ui/button/button.tsx";
import { type Column, actionsColumn } from "../../../ui/data-table/data-table.tsx";
import { DocCell } from "../../../ui/doc-cell/doc-cell.tsx";
import { EmptyState } from "../../../ui/empty-state/empty-state.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { Menu } from "../../../ui/menu/menu.tsx";
import { withTeam } from "../../accounts/team-field.tsx";
import { DeleteDialog } from "../ending-dialogs.tsx";
import { ListPage } from "./list-page.tsx";
import styles from "../lists.module.css";
import { StatusBadge } from "../status-badge.tsx";
import { useDownload } from "../use-download.ts";
import { useEnvelopeList } from "./use-envelope-list.ts";
import { usePrint } from "../use-print.ts";
import { hasLeft, useOverdueDialog } from "../use-row-action.ts";

type Props = { readonly envelope: Envelope; readonly onDelete: () => void };

/** Only its owner may delete a completed envelope. */
export function CompletedMenu({ envelope, onDelete }: Props) {
  const download = useDownload({ failure: "Échec du téléchargement" });
  const print = usePrint();
  const label = `Actions pour ${envelope.title}`;
  return (
    <Menu
      label={label}
      triggerLabel={label}
      triggerClassName={buttonLook({ variant: "ghost", size: "sm", square: true })}
      trigger={<Icon name="dots" />}
      entries={[
        {
          id: "preview",
          label: "Prévisualiser",
          icon: "eye",
          href: `/signature/detail/${envelope.id}`,
        },
        {
          id: "download",
          label: "Télécharger le PDF",
          icon: "download",
          onAction: () => download.mutate(envelope),
        },
        {
          id: "print",
          label: "Imprimer",
          icon: "print",
          onAction: () => print.mutate(envelope.id),
        },
        ...(envelope.is_owner
          ? [
              {
                id: "delete",
                label: "Supprimer",
                icon: "trash",
                danger: true,
                separated: true,
                onAction: onDelete,
              } as const,
            ]
          : []),
      ]}
    />
  );
}

const FAILURE = "Échec du chargement des enveloppes";
const detail = (envelope: Envelope) => `/signature/detail/${envelope.id}`;
const completedOn = (envelope: Envelope) => formatDay(envelope.completed_at ?? envelope.updated_at);
const signers = (envelope: Envelope) => plural(envelope.progress.total, "signataire");

function signedFor({ signed_for: names }: Envelope, words: string): string {
  return names === undefined ? words : `${words} · signé pour ${andList(names)}`;
}

export function CompletedPage() {
  const source = useEnvelopeList({ status: "completed", failure: FAILURE, noun: "document" });
  const [deleting, setDeleting] = useState<Envelope>();
  useOverdueDialog(hasLeft(deleting, source.list.data), () => setDeleting(undefined));
  return (
    <>
      <ListPage
        title="Complété(s)"
        lede={(count) => `${plural(count, "document")} au total`}
        failure={FAILURE}
        source={source}
        columns={columns(setDeleting)}
        renderCard={(envelope) => (
          <>
            <div className="row row--nw row--between" style={{ alignItems: "flex-start" }}>
              <DocCell
                title={envelope.title}
                to={detail(envelope)}
                subtitle={withTeam(envelope.team, signedFor(envelope, envelope.created_by_name))}
              />
              <CompletedMenu envelope={envelope} onDelete={() => setDeleting(envelope)} />
            </div>
            <div className="row row--between">
              <StatusBadge status={envelope.status} />
              <span className="muted num">{completedOn(envelope)}</span>
            </div>
          </>
        )}
        empty={
          <EmptyState title="Aucun document complété">
            Un document signé par tous se retrouve ici, avec sa preuve.
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
        <DocCell
          title={envelope.title}
          to={detail(envelope)}
          subtitle={withTeam(envelope.team, signedFor(envelope, signers(envelope)))}
        />
      ),
    },
    {
      key: "creator",
      header: "Créé par",
      cell: (envelope) => <div className={styles["name"]}>{envelope.created_by_name}</div>,
    },
    { key: "date", header: "Complété le", className: "num nowrap", cell: completedOn },
    {
      key: "status",
      header: "Statut",
      cell: (envelope) => <StatusBadge status={envelope.status} />,
    },
    actionsColumn((envelope) => (
      <CompletedMenu envelope={envelope} onDelete={() => onDelete(envelope)} />
    )),
  ];
}
