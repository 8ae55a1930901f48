import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from "react";
import { Button } from "../button/button.tsx";
import { lazyDialog } from "../dialog/lazy-dialog.tsx";
import { EmptyState } from "../empty-state/empty-state.tsx";
import { SelectField } from "../field/field.tsx";
import { SearchField } from "../field/search-field.tsx";
import { Icon } from "../icon/icon.tsx";
import { LinkAction } from "../link/link-action.tsx";
import { chosenFilters, type FilterValues, type ListAddress, without } from "./filters.ts";
import styles from "./filter-bar.module.css";

function narrowedBy({ search, typed, values }: Pick<ListAddress, "search" | "typed" | "values">) {
  return {
    isSearched: search !== "" || typed !== "",
    isFiltered: Object.keys(values).length > 0,
  };
}

function clearWords(address: Pick<ListAddress, "search" | "typed" | "values">): string {
  const { isSearched, isFiltered } = narrowedBy(address);
  if (!isFiltered) return "Effacer la recherche";
  return isSearched ? "Effacer la recherche et les filtres" : "Effacer les filtres";
}

const FilterPopover = lazyDialog(async () => (await import("./filter-popover.tsx")).FilterPopover);

type FilterBarProps = {
  readonly address: ListAddress;
  readonly label: string;
  readonly placeholder: string;
  /** « 3 enveloppes »; undefined while unknown. */
  readonly found: string | undefined;
  /** How many these filters would find, for lists with filters. */
  readonly preview?: (values: FilterValues, signal: AbortSignal) => Promise<string>;
  /** `NothingFound`, with its own button, stands below. */
  readonly isEmpty: boolean;
  readonly box: RefObject<HTMLInputElement | null>;
};

export function FilterBar(props: FilterBarProps) {
  const { address, label, placeholder, found, preview, isEmpty, box } = props;
  const { typed, setTyped, applySearch, order, orders, sortBy, isNarrowed } = address;
  const press = (event: KeyboardEvent) => {
    if (event.key === "Enter") applySearch();
    if (event.key === "Escape") setTyped("");
  };
  const { chips, onRemove } = useNextChip({ address, box });
  return (
    <search className={styles["bar"]}>
      <div className={styles["row"]}>
        <div className={styles["search"]}>
          <SearchField
            ref={box}
            {...{ label, placeholder }}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            onKeyDown={press}
          />
        </div>
        <div className={styles["end"]}>
          <SelectField
            label="Trier par"
            hideLabel
            size="sm"
            value={order.slug}
            onChange={(event) => sortBy(event.target.value)}
          >
            {orders.map((choice) => (
              <option key={choice.slug} value={choice.slug}>
                {choice.label}
              </option>
            ))}
          </SelectField>
          {preview && <FilterButton {...{ address, preview }} />}
        </div>
      </div>
      <div className={isNarrowed ? styles["sum"] : "sr"}>
        <span className="num" role="status">
          {isNarrowed && found}
        </span>
        {isNarrowed && <Narrowed {...{ address, isEmpty, box, chips, onRemove }} />}
      </div>
    </search>
  );
}

function FilterButton({ address, preview }: Pick<Required<FilterBarProps>, "address" | "preview">) {
  const { filters, values, filterBy } = address;
  const [isOpen, setIsOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const count = chosenFilters(values, filters).length;
  const close = () => {
    setIsOpen(false);
    button.current?.focus();
  };
  return (
    <div className={styles["filter"]}>
      <Button
        ref={button}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
      >
        <Icon name="filter" size="sm" />
        Filtrer
        {count > 0 && (
          <span className={styles["count"]}>
            {count}
            <span className="sr">{count > 1 ? " filtres" : " filtre"}</span>
          </span>
        )}
      </Button>
      {isOpen && (
        <FilterPopover
          {...{ filters, values, preview }}
          onApply={(chosen) => {
            filterBy(chosen);
            close();
          }}
          onClose={close}
        />
      )}
    </div>
  );
}

function useNextChip({ address, box }: Pick<FilterBarProps, "address" | "box">) {
  const { filters, values } = address;
  const chips = useRef<HTMLDivElement>(null);
  const removed = useRef<number | null>(null);
  const shown = chosenFilters(values, filters)
    .map(({ name }) => name)
    .join(" ");
  useEffect(() => {
    const index = removed.current;
    removed.current = null;
    if (index !== null)
      (
        chips.current?.querySelectorAll<HTMLElement>("[data-chip] button")[index] ?? box.current
      )?.focus();
  }, [shown, box]);
  const onRemove = (name: string, index: number) => {
    removed.current = index;
    address.filterBy(without(values, name));
  };
  return { chips, onRemove };
}

function Narrowed({
  address,
  isEmpty,
  box,
  chips,
  onRemove,
}: Pick<FilterBarProps, "address" | "isEmpty" | "box"> & ReturnType<typeof useNextChip>) {
  const { filters, values, filterBy, clear } = address;
  const { isSearched, isFiltered } = narrowedBy(address);
  // An empty list already has a button that does the same.
  const isOffered = !isEmpty || (isSearched && isFiltered);
  return (
    <div ref={chips} className={styles["chips"]}>
      {chosenFilters(values, filters).map(({ name, label, words }, index) => (
        <span key={name} className={styles["chip"]} data-chip="">
          <span>
            {label} <b>{words}</b>
          </span>
          <button
            type="button"
            aria-label={`Retirer le filtre ${label}\u00a0: ${words}`}
            onClick={() => onRemove(name, index)}
          >
            <Icon name="close" size="sm" />
          </button>
        </span>
      ))}
      {isOffered && (
        <LinkAction
          onClick={() => {
            if (isFiltered) filterBy({});
            else clear();
            box.current?.focus();
          }}
        >
          {isFiltered ? "Effacer les filtres" : "Effacer la recherche"}
        </LinkAction>
      )}
    </div>
  );
}

type NothingFoundProps = {
  readonly address: ListAddress;
  /** « Aucune enveloppe trouvée ». */
  readonly title: string;
  /** « Aucun titre ni créateur ». */
  readonly what: string;
  /** A likely correction, from the list. */
  readonly near?: string | undefined;
  readonly box: RefObject<HTMLInputElement | null>;
};

export function NothingFound({ address, title, what, near, box }: NothingFoundProps) {
  const { search, values, searchFor, clear } = address;
  const isFiltered = Object.keys(values).length > 0;
  const sought = `«\u00a0${search}\u00a0»`;
  const rest = search === "" ? "à ces filtres" : `à ${sought} avec ces filtres`;
  const searchNear = (text: string) => {
    searchFor(text);
    box.current?.focus();
  };
  const clearAll = () => {
    clear();
    box.current?.focus();
  };
  return (
    <EmptyState title={title} action={<Button onClick={clearAll}>{clearWords(address)}</Button>}>
      {isFiltered ? `Rien ne correspond ${rest}.` : `${what} ne correspond à ${sought}.`}
      {near !== undefined && (
        <>
          {" "}
          <span className="nowrap">
            Vouliez-vous dire{" "}
            <LinkAction onClick={() => searchNear(near)}>{`«\u00a0${near}\u00a0»`}</LinkAction>
            {"\u202f?"}
          </span>
        </>
      )}
    </EmptyState>
  );
}
