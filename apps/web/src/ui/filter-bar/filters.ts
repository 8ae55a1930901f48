import { orList, uncapitalised } from "@paraphe/kernel/french-words";
import { type DayRange, lastDays, monthToDate, rangeFault } from "../../lib/format/day-range.ts";
import { formatDay } from "../../lib/format/format-dates.ts";
import { useEffect, useEffectEvent, useRef, useState } from "react";

/** The address contains the slug. */
export type Choice = { readonly slug: string; readonly label: string };

/** `name`: the address parameter. An empty slug is left out of the address. */
export type Filter = {
  readonly name: string;
  readonly label: string;
  readonly takesSeveral?: true;
  readonly choices: readonly [Choice, ...Choice[]];
};

/** By filter: slugs separated by spaces, or a period's two days. */
export type FilterValues = Readonly<Record<string, string>>;

const PERIOD = "periode";
const BETWEEN = "entre";
/** Parameters of the days of `BETWEEN`. */
export const DAYS = { start: "du", end: "au" } as const;

/** `label`: what is dated, « Création ». */
export function periodFilter(label: string): Filter {
  return {
    name: PERIOD,
    label,
    choices: [
      { slug: "", label: "À tout moment" },
      { slug: "7-jours", label: "Ces 7 derniers jours" },
      { slug: "mois", label: "Ce mois" },
      { slug: BETWEEN, label: "Entre deux dates…" },
    ],
  };
}

export function periodOf(values: FilterValues, now: Date): DayRange {
  const slug = values[PERIOD];
  if (slug === "7-jours") return lastDays(7, now);
  if (slug === "mois") return monthToDate(now);
  const { [DAYS.start]: from, [DAYS.end]: to } = values;
  return slug === BETWEEN &&
    from !== undefined &&
    to !== undefined &&
    daysFault(values) === undefined
    ? { from, to }
    : {};
}

export const asksForDays = (values: FilterValues): boolean => values[PERIOD] === BETWEEN;
export const daysFault = (values: FilterValues): string | undefined =>
  asksForDays(values) ? rangeFault(values[DAYS.start] ?? "", values[DAYS.end] ?? "") : undefined;

/** Ignores unknown slugs and a period without its days. */
export function readFilters(query: URLSearchParams, filters: readonly Filter[]): FilterValues {
  const values: Record<string, string> = {};
  for (const filter of filters) {
    const chosen = chosenOf(filter, { [filter.name]: query.get(filter.name) ?? "" });
    if (chosen.length > 0) values[filter.name] = slugsOf(chosen);
  }
  if (!asksForDays(values)) return values;
  const whole = {
    ...values,
    [DAYS.start]: query.get(DAYS.start) ?? "",
    [DAYS.end]: query.get(DAYS.end) ?? "",
  };
  return daysFault(whole) === undefined ? whole : without(values, PERIOD);
}

export function without(values: FilterValues, name: string): FilterValues {
  const gone: readonly string[] = name === PERIOD ? [PERIOD, DAYS.start, DAYS.end] : [name];
  return Object.fromEntries(Object.entries(values).filter(([key]) => !gone.includes(key)));
}

export function chosenOf(
  { name, choices, takesSeveral }: Filter,
  values: FilterValues,
): readonly Choice[] {
  const value = values[name] ?? "";
  const slugs = takesSeveral ? value.split(" ") : [value];
  return choices.filter(({ slug }) => slug !== "" && slugs.includes(slug));
}

export function slugsOf(chosen: readonly Choice[]): string {
  return chosen.map(({ slug }) => slug).join(" ");
}

/** Name and value of each chip: « Création » « ce mois ». */
export function chosenFilters(values: FilterValues, filters: readonly Filter[]) {
  return filters.flatMap((filter) => {
    const { name, label } = filter;
    const chosen = chosenOf(filter, values).map((choice) =>
      choice.slug === BETWEEN ? daysWords(values) : lowerFirst(choice.label),
    );
    return chosen.length === 0 ? [] : [{ name, label, words: orList(chosen) }];
  });
}

function daysWords(values: FilterValues): string {
  return `du ${formatDay(values[DAYS.start] ?? "")} au ${formatDay(values[DAYS.end] ?? "")}`;
}

function lowerFirst(text: string): string {
  return uncapitalised(text);
}

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
