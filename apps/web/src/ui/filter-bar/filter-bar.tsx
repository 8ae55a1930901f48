import { type KeyboardEvent, type RefObject, useRef, useState } from "react";
import { Button } from "../button/button.tsx";
import { lazyDialog } from "../dialog/lazy-dialog.tsx";
import { SearchField } from "../field/search-field.tsx";
import { SelectField } from "../field/select-field.tsx";
import { focusOnceDrawn } from "../focus/focus-once-drawn.ts";
import { Icon } from "../icon/icon.tsx";
import { LinkAction } from "../link/link-action.tsx";
import { clearWords } from "./clear-words.ts";
import styles from "./filter-bar.module.css";
import { chosenFilters, type FilterValues, without } from "./filters.ts";
import type { ListAddress } from "./use-list-address.ts";

const FilterPopover = lazyDialog(async () => (await import("./filter-popover.tsx")).FilterPopover);

type Props = {
  readonly address: ListAddress;
  /** What the search looks in, whole and in short. */
  readonly label: string;
  readonly placeholder: string;
  /** How many were found, in words: « 3 enveloppes »; nothing while it is not known. */
  readonly found: string | undefined;
  /** How many these filters would find, in words. */
  readonly preview: (values: FilterValues, signal: AbortSignal) => Promise<string>;
  /** The search box: it takes the focus when what narrows the list is cleared elsewhere. */
  readonly box: RefObject<HTMLInputElement | null>;
};

/** What narrows a list and puts it in order: one search box, one order, « Filtrer », and a chip for each filter that is on. */
export function FilterBar({ address, label, placeholder, found, preview, box }: Props) {
  const { typed, setTyped, applySearch, order, orders, sortBy, isNarrowed } = address;
  const press = (event: KeyboardEvent) => {
    if (event.key === "Enter") applySearch();
    if (event.key === "Escape") setTyped("");
  };
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
          <SelectField label="Trier par" hideLabel size="sm" value={order.slug} onChange={(event) => sortBy(event.target.value)}>
            {orders.map((choice) => (
              <option key={choice.slug} value={choice.slug}>
                {choice.label}
              </option>
            ))}
          </SelectField>
          <FilterButton {...{ address, preview }} />
        </div>
      </div>
      <div className={isNarrowed ? styles["sum"] : "sr"}>
        <span className="num" role="status">
          {isNarrowed && found}
        </span>
        {isNarrowed && <Narrowed {...{ address, box }} />}
      </div>
    </search>
  );
}

function FilterButton({ address, preview }: Pick<Props, "address" | "preview">) {
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
      <Button ref={button} aria-haspopup="dialog" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
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

/** A chip for each filter that is on. What takes one away leaves the focus to the next, else to the search box. */
function Narrowed({ address, box }: Pick<Props, "address" | "box">) {
  const { filters, values, filterBy, clear } = address;
  const chips = useRef<HTMLDivElement>(null);
  const remove = (name: string, index: number) => {
    filterBy(without(values, name));
    focusOnceDrawn(() => chips.current?.querySelectorAll<HTMLElement>("[data-chip] button")[index] ?? box.current);
  };
  return (
    <div ref={chips} className={styles["chips"]}>
      {chosenFilters(values, filters).map(({ name, label, words }, index) => (
        <span key={name} className={styles["chip"]} data-chip="">
          <span>
            {label} <b>{words}</b>
          </span>
          <button type="button" aria-label={`Retirer le filtre ${label}\u00a0: ${words}`} onClick={() => remove(name, index)}>
            <Icon name="close" size="sm" />
          </button>
        </span>
      ))}
      <LinkAction
        onClick={() => {
          clear();
          box.current?.focus();
        }}
      >
        {clearWords(address)}
      </LinkAction>
    </div>
  );
}
