import type { Layout, Layouts, SaveLayoutRequest } from "@paraphe/contracts";
import { queryOptions } from "@tanstack/react-query";
import { foldText } from "@paraphe/kernel/french-words";
import { api } from "../../../lib/api.ts";
import type { ListAddress, Order } from "../../../ui/filter-bar/use-list-address.ts";

const LAYOUTS = "/api/signature/layouts/";

/** The calls of one's layouts. */
export const layoutCalls = {
  list: () => api.get<Layouts>(LAYOUTS),
  save: (body: SaveLayoutRequest) => api.post<Layout>(LAYOUTS, { body }),
  remove: (id: string) => api.delete<void>(`${LAYOUTS}${id}/`),
};

export const layoutsQuery = queryOptions({ queryKey: ["layouts"], queryFn: layoutCalls.list });

/** The orders of the layouts, the service's own first. */
export const LAYOUT_ORDERS: readonly [Order, ...Order[]] = [
  { slug: "nom", label: "Nom, de A à Z" },
  { slug: "recentes", label: "Plus récentes" },
];

/** Gives the layouts that are looked for, in the order that is asked for: an account has a hundred at most, and the service gives them all. */
export function narrowLayouts(
  layouts: readonly Layout[],
  { search, order }: Pick<ListAddress, "search" | "order">,
): readonly Layout[] {
  const found = layouts.filter(({ name }) => foldText(name).includes(foldText(search.trim())));
  return order.slug === "recentes"
    ? found.toSorted((a, b) => b.created_at.localeCompare(a.created_at))
    : found;
}
