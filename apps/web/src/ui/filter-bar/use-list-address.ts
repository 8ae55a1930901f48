import { type Choice, DAYS, type Filter, type FilterValues, readFilters } from "./filters.ts";
import type { QueryPlace } from "./query-place.ts";
import { useSearch } from "./use-search.ts";

export type Order = Choice;

type Options<O extends Order> = {
  /** The orders a list may be read in. The first is the list's own, and leaves no trace in the address. */
  readonly orders: readonly [O, ...O[]];
  readonly filters: readonly Filter[];
};

/** What is searched in a list, its order, its filters and its page: all in one place, the address, so that Back and a reload find them again. */
export function useListAddress<O extends Order>(place: QueryPlace, { orders, filters }: Options<O>) {
  const { emptyBox, ...box } = useSearch(place);
  const { search } = box;
  const [query, setQuery] = place;
  const values = readFilters(query, filters);
  const order = orders.find(({ slug }) => slug === query.get("tri")) ?? orders[0];
  const page = Math.max(1, Math.trunc(Number(query.get("page") ?? 1)) || 1);

  const change = (changes: Readonly<Record<string, string | undefined>>, options?: { readonly replace: boolean }) =>
    setQuery((current) => {
      const changed = new URLSearchParams(current);
      for (const [name, value] of Object.entries(changes)) {
        if (value === undefined) changed.delete(name);
        else changed.set(name, value);
      }
      return changed;
    }, options);
  const goTo = (next: number, options?: { readonly replace: boolean }) => change({ page: next <= 1 ? undefined : String(next) }, options);
  const sortBy = (slug: string) => change({ tri: slug === orders[0].slug ? undefined : slug, page: undefined });
  const names = [...filters.map(({ name }) => name), ...Object.values(DAYS)];
  const whole = Object.fromEntries([...names, "page"].map((name) => [name, undefined]));
  const filterBy = (chosen: FilterValues) => change({ ...whole, ...chosen });
  const clear = () => {
    emptyBox();
    change({ ...whole, search: undefined });
  };
  const isNarrowed = search !== "" || Object.keys(values).length > 0;
  return { ...box, orders, order, sortBy, filters, values, filterBy, page, goTo, clear, isNarrowed };
}

export type ListAddress = ReturnType<typeof useListAddress>;
