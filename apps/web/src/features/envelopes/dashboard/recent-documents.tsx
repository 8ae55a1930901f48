import { type Envelope, type EnvelopeList, RECENT_DOCUMENTS } from "@paraphe/contracts";
import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { ofName } from "@paraphe/kernel/french-words";
import { useState } from "react";
import { useSearchParams } from "react-router";
import { api } from "../../../lib/api/api.ts";
import { serverSentence } from "../../../lib/api/api-error.ts";
import { formatDay } from "../../../lib/format/format-dates.ts";
import { plural } from "../../../lib/format/format-numbers.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { AvatarStack } from "../../../ui/avatar/avatar.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { LinkButton } from "../../../ui/button/link-button.tsx";
import {
  actionsColumn,
  type Column,
  DataTable,
  RowActions,
} from "../../../ui/data-table/data-table.tsx";
import { DocCell } from "../../../ui/doc-cell/doc-cell.tsx";
import { EmptyState } from "../../../ui/empty-state/empty-state.tsx";
import { SelectField } from "../../../ui/field/field.tsx";
import { SearchField } from "../../../ui/field/search-field.tsx";
import { useSearch } from "../../../ui/filter-bar/filters.ts";
import { Icon } from "../../../ui/icon/icon.tsx";
import { SkeletonRows } from "../../../ui/skeleton/skeleton.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { Tooltip } from "../../../ui/tooltip/tooltip.tsx";
import { answersOf, SigningProgress, StatusBadge } from "../status-badge.tsx";
import { WorkLink } from "../../accounts/work.tsx";
import { useDownload } from "../use-download.ts";
import { openFileTab } from "../use-print.ts";
import { formatAge } from "./dashboard-dates.ts";
import styles from "./dashboard.module.css";

function recentLink(envelope: Envelope): string {
  return envelope.status === "draft" && !envelope.read_only
    ? `/signature/workflow/${envelope.id}`
    : `/signature/detail/${envelope.id}`;
}

function recentSubtitle(envelope: Envelope, now: Date): string {
  return envelope.is_owner
    ? `Modifié ${formatAge(envelope.updated_at, now)}`
    : `Reçu ${ofName(envelope.created_by_name)}`;
}

function signerNames(envelope: Envelope): readonly string[] {
  return envelope.recipients
    .filter((recipient) => recipient.role !== "viewer")
    .map((recipient) => recipient.full_name);
}

type RecentStatus = "all" | "draft" | "sent" | "completed" | "action_required";

const RECENT_STATUSES: readonly { readonly value: RecentStatus; readonly label: string }[] = [
  { value: "all", label: "Tous" },
  { value: "draft", label: "Brouillons" },
  { value: "sent", label: "Envoyées" },
  { value: "completed", label: "Complétées" },
  { value: "action_required", label: "Action requise" },
];

function recentStatus(text: string | null): RecentStatus {
  return RECENT_STATUSES.find(({ value }) => value === text)?.value ?? "all";
}

function isFiltered(status: RecentStatus, search: string): boolean {
  return status !== "all" || search.trim() !== "";
}

/** 'Tous' asks three lists: one's own, received and awaiting, received and completed. */
function recentQueries(status: RecentStatus, search: string) {
  const lists =
    status === "all"
      ? [{}, { status: "action_required" as const }, { status: "completed" as const }]
      : [{ status }];
  const wanted = search.trim() === "" ? {} : { search: search.trim(), search_in: "title" as const };
  return lists.map((list) => ({
    ...list,
    ...wanted,
    page_size: RECENT_DOCUMENTS,
    ordering: "-created_at" as const,
  }));
}

function newestOf(lists: readonly (readonly Envelope[])[]): readonly Envelope[] {
  const envelopes = new Map(lists.flat().map((envelope) => [envelope.id, envelope]));
  return [...envelopes.values()]
    .toSorted((a, b) => b.created_at.localeCompare(a.created_at))
    .slice(0, RECENT_DOCUMENTS);
}

function usePreview() {
  return useMutation({
    mutationFn: openFileTab,
    onError: (error) => {
      showToast("err", "Impossible de prévisualiser le PDF", { detail: serverSentence(error) });
    },
  });
}

type Options = {
  readonly recent: readonly Envelope[] | undefined;
  readonly status: RecentStatus;
  readonly search: string;
};

function useRecent({ recent, status, search }: Options) {
  const filtered = isFiltered(status, search);
  const queries = recentQueries(status, search);
  const found = useQuery({
    queryKey: ["dashboard", "recent", queries],
    queryFn: async ({ signal }) => {
      const lists = await Promise.all(
        queries.map((query) =>
          api.get<EnvelopeList>("/api/signature/envelopes/", { query, signal }),
        ),
      );
      return newestOf(lists.map(({ results }) => results));
    },
    enabled: filtered,
    placeholderData: keepPreviousData,
  });
  if (!filtered) return { filtered, rows: recent, retry: undefined };
  return {
    filtered,
    rows: found.data,
    /** Present only when the load failed and nothing is shown. */
    retry: found.isError && found.data === undefined ? () => void found.refetch() : undefined,
  };
}

/** Only a draft can be edited; the other rows say why not. */
function RecentRowActions({ envelope }: { readonly envelope: Envelope }) {
  const download = useDownload({ failure: "Échec du téléchargement du document" });
  const preview = usePreview();
  const { title } = envelope;
  return (
    <RowActions>
      <Button
        size="sm"
        variant="ghost"
        square
        aria-label={`Prévisualiser ${title}`}
        title="Prévisualiser"
        onClick={() => preview.mutate(envelope.id)}
      >
        <Icon name="eye" />
      </Button>
      <Button
        size="sm"
        variant="ghost"
        square
        aria-label={`Télécharger ${title}`}
        title="Télécharger"
        loading={download.isPending}
        onClick={() => download.mutate(envelope)}
      >
        <Icon name="download" />
      </Button>
      {envelope.status === "draft" && !envelope.read_only ? (
        <LinkButton
          size="sm"
          variant="ghost"
          square
          to={`/signature/workflow/${envelope.id}`}
          aria-label={`Modifier ${title}`}
          title="Modifier"
        >
          <Icon name="edit" />
        </LinkButton>
      ) : (
        <Tooltip text="Seul un brouillon peut être modifié">
          <Button
            size="sm"
            variant="ghost"
            square
            blocked
            aria-label={`Modifier ${title}`}
            title=""
          >
            <Icon name="edit" />
          </Button>
        </Tooltip>
      )}
    </RowActions>
  );
}

function RecentCard({
  envelope,
  startsOpen,
}: {
  readonly envelope: Envelope;
  readonly startsOpen: boolean;
}) {
  const [open, setOpen] = useState(startsOpen);
  const download = useDownload({ failure: "Échec du téléchargement du document" });
  const preview = usePreview();
  const { signed, total, word } = answersOf(envelope);
  const done = word === "signature" ? "signé" : word;
  return (
    <>
      <div className="row row--nw row--between" style={{ alignItems: "flex-start" }}>
        <DocCell
          title={envelope.title}
          to={recentLink(envelope)}
          subtitle={recentSubtitle(envelope, new Date())}
        />
        <Button
          variant="ghost"
          square
          aria-expanded={open}
          aria-label={`${open ? "Réduire" : "Développer"} ${envelope.title}`}
          onClick={() => setOpen(!open)}
        >
          <Icon name={open ? "chevron-up" : "chevron-down"} />
        </Button>
      </div>
      <div className="row row--between">
        <StatusBadge status={envelope.status} returned={envelope.returned} />
        <span className="num ink2">
          {total === 0 ? "Aucun signataire" : `${signed}/${total} ${done}${signed > 1 ? "s" : ""}`}
        </span>
      </div>
      {open && <RecentDetails {...{ envelope, download, preview }} />}
    </>
  );
}

type DetailsProps = {
  readonly envelope: Envelope;
  readonly download: ReturnType<typeof useDownload>;
  readonly preview: ReturnType<typeof usePreview>;
};

function RecentDetails({ envelope, download, preview }: DetailsProps) {
  return (
    <>
      <SigningProgress envelope={envelope} />
      <dl>
        <dt>Signataires</dt>
        <dd>
          <AvatarStack names={signerNames(envelope)} />
        </dd>
        <dt>Créé le</dt>
        <dd className="num">{formatDay(envelope.created_at)}</dd>
        <dt>Échéance</dt>
        <dd className="num">
          {envelope.deadline_at === null ? "–" : formatDay(envelope.deadline_at)}
        </dd>
      </dl>
      <div className="row">
        <Button className="grow" onClick={() => preview.mutate(envelope.id)}>
          <Icon name="eye" size="sm" />
          Prévisualiser
        </Button>
        <Button
          className="grow"
          loading={download.isPending}
          onClick={() => download.mutate(envelope)}
        >
          <Icon name="download" size="sm" />
          Télécharger
        </Button>
      </div>
    </>
  );
}

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
      {rows === undefined && !retry && (
        <SkeletonRows rows={5} label="Chargement du tableau de bord" />
      )}
      {rows?.length === 0 && (
        <EmptyState
          title="Aucun document"
          action={filtered ? <Button onClick={clear}>Effacer les filtres</Button> : <AskButton />}
        >
          {filtered
            ? "Aucun document ne correspond à vos critères."
            : "Aucun document récent trouvé."}
        </EmptyState>
      )}
      {rows !== undefined && rows.length > 0 && (
        <DataTable
          caption="Documents récents"
          rows={rows}
          rowKey={(envelope) => envelope.id}
          columns={COLUMNS}
          renderCard={(envelope) => (
            <RecentCard envelope={envelope} startsOpen={envelope.id === rows[0]?.id} />
          )}
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
    <search className={`off-paper ${styles["toolbar"] ?? ""}`}>
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

/** Stored in the address, so that a reload and Back find it. */
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
  return <WorkLink to="/signature/upload">Demander signature</WorkLink>;
}

const COLUMNS: readonly Column<Envelope>[] = [
  {
    key: "title",
    header: "Titre",
    wide: true,
    cell: (envelope) => (
      <DocCell
        title={envelope.title}
        to={recentLink(envelope)}
        subtitle={recentSubtitle(envelope, new Date())}
      />
    ),
  },
  {
    key: "status",
    header: "Statut",
    cell: (envelope) => <StatusBadge status={envelope.status} returned={envelope.returned} />,
  },
  {
    key: "progress",
    header: "Progression",
    cell: (envelope) => <SigningProgress envelope={envelope} />,
  },
  {
    key: "signers",
    header: "Signataires",
    className: "nowrap",
    cell: (envelope) => <AvatarStack names={signerNames(envelope)} />,
  },
  {
    key: "created",
    header: "Créé le",
    className: "num nowrap",
    cell: (envelope) => formatDay(envelope.created_at),
  },
  {
    key: "deadline",
    header: "Échéance",
    className: "num nowrap",
    cell: (envelope) => (envelope.deadline_at === null ? "–" : formatDay(envelope.deadline_at)),
  },
  actionsColumn((envelope) => <RecentRowActions envelope={envelope} />),
];
