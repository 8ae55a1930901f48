import type { ListAddress } from "./use-list-address.ts";

/** What gives the whole list back, after what narrows it. */
export function clearWords({ search, typed, values }: Pick<ListAddress, "search" | "typed" | "values">): string {
  const isSearched = search !== "" || typed !== "";
  if (Object.keys(values).length === 0) return "Effacer la recherche";
  return isSearched ? "Effacer la recherche et les filtres" : "Effacer les filtres";
}
