import type { Envelope } from "@paraphe/contracts";
import { useSearchParams } from "react-router";
import { formatDay } from "../../../lib/format-dates.ts";
import { plural } from "../../../lib/format-numbers.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { AvatarStack } from "../../../ui/avatar/avatar-stack.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { LinkButton } from "../../../ui/button/link-button.tsx";
import { DataTable, type Column } from "../../../ui/data-table/data-table.tsx";
import { DocCell } from "../../../ui/doc-cell/doc-cell.tsx";
import { EmptyState } from "../../../ui/empty-state/empty-state.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { SearchField } from "../../../ui/field/search-field.tsx";
import { SelectField } from "../../../ui/field/select-field.tsx";
import { SkeletonRows } from "../../../ui/skeleton/skeleton-rows.tsx";
import { SigningProgress } from "../signing-progress.tsx";
import { StatusBadge } from "../status-badge.tsx";
import { useSearch } from "../../../ui/filter-bar/use-search.ts";
import styles from "./dashboard.module.css";
import { RecentCard } from "./recent-card.tsx";
import { recentLink, recentSubtitle, signerNames } from "./recent-facts.ts";
import { RECENT_STATUSES, recentStatus, type RecentStatus } from "./recent-filter.ts";
import { RecentRowActions } from "./recent-row-actions.tsx";
import { useRecent } from "./use-recent.ts";

/** The five most recent documents, or the five most recent that match the filters. */
export function RecentDocuments({ recent }: { readonly recent: readonly Envelope[] | undefined }) {
  const [status, choose] = useStatusInAddress();
  const { typed, search, setTyped } = useSearch(useSearchParams());
  const { rows, filtered, retry } = useRecent({ recent, status, search });
  const clear = () => {
    choose("all");
    setTyped("");
  };
  return (
    <section className="card" aria-labelledby="recents">
      <div className="card__head">
        <h2 className="h2 grow" id="recents">
          Documents récents
        </h2>
        <RecentFilters typed={typed} status={status} onType={setTyped} onChoose={choose} />
        <span className="sr" role="status">
          {filtered && rows ? plural(rows.length, "document") : ""}
        </span>
      </div>
      {retry && (
        <Alert tone="danger">
          <div>La recherche n’a pas abouti.</div>
          <Button size="sm" onClick={retry}>
            <Icon name="refresh" size="sm" />
            Réessayer
          </Button>
        </Alert>
      )}
      {rows === undefined && !retry && <SkeletonRows rows={5} label="Chargement du tableau de bord" />}
      {rows?.length === 0 && (
        <EmptyState title="Aucun document" action={filtered ? <Button onClick={clear}>Effacer les filtres</Button> : <AskButton />}>
          {filtered ? "Aucun document ne correspond à vos critères." : "Aucun document récent trouvé."}
        </EmptyState>
      )}
      {rows !== undefined && rows.length > 0 && (
        <DataTable
          caption="Documents récents"
          rows={rows}
          rowKey={(envelope) => envelope.id}
          columns={COLUMNS}
          renderCard={(envelope) => <RecentCard envelope={envelope} startsOpen={envelope.id === rows[0]?.id} />}
        />
      )}
    </section>
  );
}

type RecentFiltersProps = {
  readonly typed: string;
  readonly status: RecentStatus;
  readonly onType: (text: string) => void;
  readonly onChoose: (status: RecentStatus) => void;
};

function RecentFilters({ typed, status, onType, onChoose }: RecentFiltersProps) {
  return (
    <search className={styles["toolbar"]}>
      <SearchField
        label="Rechercher un document par titre"
        placeholder="Rechercher..."
        value={typed}
        onChange={(event) => onType(event.target.value)}
      />
      <SelectField
        label="Filtrer par statut"
        hideLabel
        size="sm"
        value={status}
        onChange={(event) => onChoose(recentStatus(event.target.value))}
      >
        {RECENT_STATUSES.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </SelectField>
    </search>
  );
}

/** The status filtered by, kept in the address: a reload, and Back from a document, find it again. */
function useStatusInAddress() {
  const [query, setQuery] = useSearchParams();
  const choose = (chosen: RecentStatus) =>
    setQuery(
      (current) => {
        const changed = new URLSearchParams(current);
        if (chosen === "all") changed.delete("status");
        else changed.set("status", chosen);
        return changed;
      },
      { replace: true },
    );
  return [recentStatus(query.get("status")), choose] as const;
}

function AskButton() {
  return <LinkButton to="/signature/upload">Demander signature</LinkButton>;
}

const COLUMNS: readonly Column<Envelope>[] = [
  {
    key: "title",
    header: "Titre",
    wide: true,
    cell: (envelope) => <DocCell title={envelope.title} to={recentLink(envelope)} subtitle={recentSubtitle(envelope, new Date())} />,
  },
  { key: "status", header: "Statut", cell: (envelope) => <StatusBadge status={envelope.status} /> },
  { key: "progress", header: "Progression", cell: (envelope) => <SigningProgress envelope={envelope} /> },
  { key: "signers", header: "Signataires", className: "nowrap", cell: (envelope) => <AvatarStack names={signerNames(envelope)} /> },
  { key: "created", header: "Créé le", className: "num nowrap", cell: (envelope) => formatDay(envelope.created_at) },
  {
    key: "deadline",
    header: "Échéance",
    className: "num nowrap",
    cell: (envelope) => (envelope.deadline_at === null ? "–" : formatDay(envelope.deadline_at)),
  },
  { key: "actions", header: "Actions", cell: (envelope) => <RecentRowActions envelope={envelope} /> },
];
