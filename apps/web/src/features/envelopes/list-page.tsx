import type { Envelope } from "@paraphe/contracts";
import { type ReactNode, useRef } from "react";
import { useOutletContext } from "react-router";
import { useDelayed } from "../../lib/use-delayed.ts";
import { Alert } from "../../ui/alert/alert.tsx";
import { Button } from "../../ui/button/button.tsx";
import { SelectField } from "../../ui/field/select-field.tsx";
import { type Column, DataTable } from "../../ui/data-table/data-table.tsx";
import { EmptyState } from "../../ui/empty-state/empty-state.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import { PageHeading } from "../../ui/page-heading/page-heading.tsx";
import { Pager } from "../../ui/pager/pager.tsx";
import { SkeletonRows } from "../../ui/skeleton/skeleton-rows.tsx";
import type { ListedStatus } from "./envelope-calls.ts";
import { LIST_ORDERS, listOrderOf } from "./list-order.ts";
import { ListSearch } from "./list-search.tsx";
import styles from "./lists.module.css";
import { useCounts } from "./use-counts.ts";
import type { useEnvelopeList } from "./use-envelope-list.ts";

type Source = ReturnType<typeof useEnvelopeList>;

type Props = {
  readonly title: string;
  /** What the list holds in all; what was found of it stands beside the search. */
  readonly lede: (count: number) => ReactNode;
  /** The sentence of a failed load, in the place of the list. */
  readonly failure: string;
  readonly source: Source;
  readonly columns: readonly Column<Envelope>[];
  readonly renderCard: (envelope: Envelope) => ReactNode;
  readonly rowTone?: (envelope: Envelope) => "danger" | undefined;
  readonly empty: ReactNode;
  readonly action?: ReactNode;
  readonly toolbar?: ReactNode;
};

/** What a list holds without a search, while one searches in it; undefined where nothing counts it. */
function useTotal({ list: { data }, search, status }: Source): number | undefined {
  const counts: Readonly<Partial<Record<ListedStatus, number>>> = useCounts({ isAsked: search !== "" }).data ?? {};
  return search === "" ? data?.count : counts[status];
}

/** The frame of the five lists: head, table or cards, pager, and the states around them. What is shown stays when it cannot be read again. */
export function ListPage({ title, lede, failure, source, columns, renderCard, rowTone, empty, action, toolbar }: Props) {
  const area = useOutletContext<{ readonly openEnvironment: () => void } | null>();
  const { list, goTo, search, typed } = source;
  const { data } = list;
  const total = useTotal(source);
  const box = useRef<HTMLInputElement>(null);
  const clear = () => {
    source.setTyped("");
    box.current?.focus();
  };
  const hasRows = search !== "" || typed !== "" || (data?.count ?? 0) > 0;
  const slow = useDelayed(list.isPending, 200);
  return (
    <main className="main" id="contenu">
      <div className="page-head">
        <div>
          <button type="button" className="crumb lt-rail" aria-haspopup="dialog" onClick={() => area?.openEnvironment()}>
            <Icon name="menu" size="sm" />
            Environnement
          </button>
          <PageHeading title={title}>{title}</PageHeading>
          {total !== undefined && <p className="lede">{lede(total)}</p>}
        </div>
        {action}
      </div>
      {list.isError && data === undefined ? (
        <NotLoaded failure={failure} onRetry={() => void list.refetch()} />
      ) : (
        <div className="card" aria-busy={list.isPlaceholderData}>
          {(toolbar !== undefined || hasRows) && (
            <div className={styles["toolbar"]}>
              {hasRows && <ListSearch ref={box} source={source} onClear={clear} />}
              {toolbar}
              <OrderField source={source} />
            </div>
          )}
          {list.isPending && slow && <SkeletonRows rows={6} label="Chargement des enveloppes" />}
          {data?.results.length === 0 && (search === "" ? empty : <NothingFound search={search} onClear={clear} />)}
          {data !== undefined && data.results.length > 0 && (
            <>
              <DataTable
                caption={title}
                rows={data.results}
                rowKey={(envelope) => envelope.id}
                columns={columns}
                renderCard={renderCard}
                {...(rowTone ? { rowTone } : {})}
              />
              <Pager page={data.page} pageSize={data.page_size} count={data.count} capped={data.count_capped} onPage={goTo} />
            </>
          )}
        </div>
      )}
    </main>
  );
}

function NotLoaded({ failure, onRetry }: { readonly failure: string; readonly onRetry: () => void }) {
  return (
    <Alert tone="danger">
      <div>{failure}</div>
      <Button size="sm" onClick={onRetry}>
        <Icon name="refresh" size="sm" />
        Réessayer
      </Button>
    </Alert>
  );
}

function NothingFound({ search, onClear }: { readonly search: string; readonly onClear: () => void }) {
  return (
    <EmptyState title="Aucun résultat" action={<Button onClick={onClear}>Effacer la recherche</Button>}>
      {`Aucun titre ni créateur ne correspond à « ${search} ».`}
    </EmptyState>
  );
}

function OrderField({ source: { order, sortBy } }: { readonly source: Source }) {
  return (
    <div className={styles["order"]}>
      <SelectField label="Trier par" hideLabel size="sm" value={order.slug} onChange={(event) => sortBy(listOrderOf(event.target.value))}>
        {LIST_ORDERS.map(({ slug, label }) => (
          <option key={slug} value={slug}>
            {label}
          </option>
        ))}
      </SelectField>
    </div>
  );
}
