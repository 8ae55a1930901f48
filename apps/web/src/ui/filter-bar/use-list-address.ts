import { useEffect, useEffectEvent, useRef, useState } from "react";
import { type Choice, DAYS, type Filter, type FilterValues, readFilters } from "./filters.ts";

/** The page's address (`useSearchParams`), or a dialog's own state. */
type QueryPlace = readonly [
  query: URLSearchParams,
  change: (
    next: (current: URLSearchParams) => URLSearchParams,
    options?: { readonly replace: boolean },
  ) => void,
];

/** The query of a list in a dialog, which leaves the page's address alone. */
export function useOwnQuery(): QueryPlace {
  return useState(() => new URLSearchParams());
}

const PAUSE_MS = 300;

/** Searches after a pause, or at once on request, from page 1. */
export function useSearch([query, setQuery]: QueryPlace) {
  const search = query.get("search") ?? "";
  const [typed, setTyped] = useState(search);
  const applied = useRef(search);

  const apply = (wanted: string) => {
    applied.current = wanted;
    setQuery(
      (current) => {
        const changed = new URLSearchParams(current);
        changed.delete("page");
        if (wanted === "") changed.delete("search");
        else changed.set("search", wanted);
        return changed;
      },
      { replace: true },
    );
  };

  useEffect(() => {
    // Only a text from elsewhere (a link, Back) replaces the typed one.
    if (search === applied.current) return;
    applied.current = search;
    setTyped(search);
  }, [search]);

  const applyLater = useEffectEvent(apply);
  useEffect(() => {
    const wanted = typed.trim();
    if (wanted === applied.current) return undefined;
    const timer = setTimeout(() => applyLater(wanted), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);

  /** For a caller that clears the search with other parameters. */
  const emptyBox = () => {
    applied.current = "";
    setTyped("");
  };
  const searchFor = (wanted: string) => {
    setTyped(wanted);
    apply(wanted);
  };
  return { typed, search, setTyped, applySearch: () => apply(typed.trim()), searchFor, emptyBox };
}

export type Order = Choice;

type Options<O extends Order> = {
  /** The first is the default, and is left out of the address. */
  readonly orders: readonly [O, ...O[]];
  readonly filters: readonly Filter[];
};

/** Stored in the address, so that Back and a reload restore it. */
export function useListAddress<O extends Order>(
  place: QueryPlace,
  { orders, filters }: Options<O>,
) {
  const { emptyBox, ...box } = useSearch(place);
  const { search } = box;
  const [query, setQuery] = place;
  const values = readFilters(query, filters);
  const order = orders.find(({ slug }) => slug === query.get("tri")) ?? orders[0];
  const page = Math.max(1, Math.trunc(Number(query.get("page") ?? 1)) || 1);

  const change = (
    changes: Readonly<Record<string, string | undefined>>,
    options?: { readonly replace: boolean },
  ) =>
    setQuery((current) => {
      const changed = new URLSearchParams(current);
      for (const [name, value] of Object.entries(changes)) {
        if (value === undefined) changed.delete(name);
        else changed.set(name, value);
      }
      return changed;
    }, options);
  const goTo = (next: number, options?: { readonly replace: boolean }) =>
    change({ page: next <= 1 ? undefined : String(next) }, options);
  const sortBy = (slug: string) =>
    change({ tri: slug === orders[0].slug ? undefined : slug, page: undefined });
  const names = [...filters.map(({ name }) => name), ...Object.values(DAYS)];
  const whole = Object.fromEntries([...names, "page"].map((name) => [name, undefined]));
  const filterBy = (chosen: FilterValues) => change({ ...whole, ...chosen });
  const clear = () => {
    emptyBox();
    change({ ...whole, search: undefined });
  };
  const isNarrowed = search !== "" || Object.keys(values).length > 0;
  return {
    ...box,
    orders,
    order,
    sortBy,
    filters,
    values,
    filterBy,
    page,
    goTo,
    clear,
    isNarrowed,
  };
}

export type ListAddress = ReturnType<typeof useListAddress>;
