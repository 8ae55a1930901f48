import { orList, uncapitalised } from "@paraphe/kernel/french-words";
import { type DayRange, lastDays, monthToDate, rangeFault } from "../../lib/day-range.ts";
import { formatDay } from "../../lib/format-dates.ts";

/** An answer to a filter; the address keeps its slug. */
export type Choice = { readonly slug: string; readonly label: string };

/** What a list may be narrowed by, named as its part of the address. Of what takes one choice, the empty slug narrows nothing, and leaves no trace there. */
export type Filter = {
  readonly name: string;
  readonly label: string;
  readonly takesSeveral?: true;
  readonly choices: readonly [Choice, ...Choice[]];
};

/** What a list is narrowed by, as the address keeps it: the slug of each filter (several, a space between them), and the two days of a period of one's own. */
export type FilterValues = Readonly<Record<string, string>>;

const PERIOD = "periode";
export const BETWEEN = "entre";
/** The two days of `BETWEEN`, in the address. */
export const DAYS = { start: "du", end: "au" } as const;

/** The filter of a period; its label is what is dated: « Création ». */
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

/** Gives the days of the chosen period; none for any moment. */
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

/** Whether two days are to be given, and what they lack. */
export const asksForDays = (values: FilterValues): boolean => values[PERIOD] === BETWEEN;
export const daysFault = (values: FilterValues): string | undefined =>
  asksForDays(values) ? rangeFault(values[DAYS.start] ?? "", values[DAYS.end] ?? "") : undefined;

/** Gives the filters that an address names; what no list knows, and a period without its days, narrows nothing. */
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

/** Gives what is left once a filter is taken away, its days with it. */
export function without(values: FilterValues, name: string): FilterValues {
  const gone: readonly string[] = name === PERIOD ? [PERIOD, DAYS.start, DAYS.end] : [name];
  return Object.fromEntries(Object.entries(values).filter(([key]) => !gone.includes(key)));
}

/** Gives the choices of a filter that narrow the list. */
export function chosenOf(
  { name, choices, takesSeveral }: Filter,
  values: FilterValues,
): readonly Choice[] {
  const value = values[name] ?? "";
  const slugs = takesSeveral ? value.split(" ") : [value];
  return choices.filter(({ slug }) => slug !== "" && slugs.includes(slug));
}

/** Gives what the address keeps of these choices. */
export function slugsOf(chosen: readonly Choice[]): string {
  return chosen.map(({ slug }) => slug).join(" ");
}

/** Gives each filter that narrows the list, and how, as a chip says it: « Création » « ce mois ». */
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
