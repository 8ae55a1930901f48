import { type Filter, type FilterValues, periodFilter, periodOf } from "../../ui/filter-bar/filters.ts";
import type { ListedStatus } from "./envelope-calls.ts";

const CREATED = periodFilter("Création");
/** What the list of what one has sent may also be narrowed to. */
const SENT_STATUS: Filter = {
  name: "statut",
  label: "Statut",
  choices: [
    { slug: "", label: "Toutes" },
    { slug: "partielles", label: "Partiellement signées" },
    { slug: "refusees", label: "Refusées" },
    { slug: "expirees", label: "Expirées" },
  ],
};
const STATUSES: Readonly<Record<string, ListedStatus>> = { partielles: "pending", refusees: "declined", expirees: "expired" };

/** Gives the filters of a list. */
export function filtersOf(list: ListedStatus): readonly Filter[] {
  return list === "sent" ? [CREATED, SENT_STATUS] : [CREATED];
}

/** Gives what a list narrowed by these filters asks the service for. */
export function filterQuery(list: ListedStatus, values: FilterValues, now: Date) {
  return { status: STATUSES[values["statut"] ?? ""] ?? list, ...periodOf(values, now) };
}
