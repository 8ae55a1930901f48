import type { Progress } from "@paraphe/contracts";
import { chosenOf, type Filter, type FilterValues, periodFilter, periodOf } from "../../ui/filter-bar/filters.ts";
import type { ListedStatus } from "./envelope-calls.ts";

const CREATED = periodFilter("Création");
/** How far what one has sent has come. What is late has passed its deadline: it waits for more time. */
const PROGRESS = {
  name: "avancement",
  label: "Avancement",
  takesSeveral: true,
  choices: [
    { slug: "non-signees", label: "Personne n’a signé" },
    { slug: "partielles", label: "Partiellement signée" },
    { slug: "en-retard", label: "En retard" },
    { slug: "refusees", label: "Refusée" },
  ],
} as const satisfies Filter;
const STATUSES: Readonly<Record<string, Progress>> = {
  "non-signees": "unsigned",
  partielles: "pending",
  "en-retard": "expired",
  refusees: "declined",
};

/** Gives the filters of a list. */
export function filtersOf(list: ListedStatus): readonly Filter[] {
  return list === "sent" ? [CREATED, PROGRESS] : [CREATED];
}

/** Gives what a list narrowed by these filters asks the service for. */
export function filterQuery(list: ListedStatus, values: FilterValues, now: Date) {
  const chosen = chosenOf(PROGRESS, values).map(({ slug }) => STATUSES[slug]);
  return { status: chosen.join(",") || list, ...periodOf(values, now) };
}
