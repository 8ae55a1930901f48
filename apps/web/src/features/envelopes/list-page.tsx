import type { Envelope } from "@paraphe/contracts";
import type { ReactNode } from "react";
import { useOutletContext } from "react-router";
import { useDelayed } from "../../lib/use-delayed.ts";
import { Alert } from "../../ui/alert/alert.tsx";
import { Button } from "../../ui/button/button.tsx";
import { SelectField } from "../../ui/field/select-field.tsx";
import { type Column, DataTable } from "../../ui/data-table/data-table.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import { PageHeading } from "../../ui/page-heading/page-heading.tsx";
import { Pager } from "../../ui/pager/pager.tsx";
import { SkeletonRows } from "../../ui/skeleton/skeleton-rows.tsx";
import { LIST_ORDERS, listOrderOf } from "./list-order.ts";
import styles from "./lists.module.css";
import type { useEnvelopeList } from "./use-envelope-list.ts";

type Source = ReturnType<typeof useEnvelopeList>;

type Props = {
  readonly title: string;
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

/** The frame of the five lists: head, table or cards, pager, and the states around them. What is shown stays when it cannot be read again. */
export function ListPage({ title, lede, failure, source, columns, renderCard, rowTone, empty, action, toolbar }: Props) {
  const area = useOutletContext<{ readonly openEnvironment: () => void } | null>();
  const { list, goTo } = source;
  const { data } = list;
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
          {data && <p className="lede">{lede(data.count)}</p>}
        </div>
        {action}
      </div>
      {list.isError && data === undefined ? (
        <Alert tone="danger">
          <div>{failure}</div>
          <Button size="sm" onClick={() => void list.refetch()}>
            <Icon name="refresh" size="sm" />
            Réessayer
          </Button>
        </Alert>
      ) : (
        <div className="card" aria-busy={list.isPlaceholderData}>
          {(toolbar !== undefined || (data?.count ?? 0) > 1) && (
            <div className={styles["toolbar"]}>
              {toolbar}
              <OrderField source={source} />
            </div>
          )}
          {list.isPending && slow && <SkeletonRows rows={6} label="Chargement des enveloppes" />}
          {data?.results.length === 0 && empty}
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
