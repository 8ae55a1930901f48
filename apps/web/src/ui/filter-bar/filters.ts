import { orList, uncapitalised } from "@paraphe/kernel/french-words";
import { type DayRange, lastDays, monthToDate, rangeFault } from "../../lib/format/day-range.ts";
import { formatDay } from "../../lib/format/format-dates.ts";

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
