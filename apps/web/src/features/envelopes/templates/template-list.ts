import type { Template } from "@paraphe/contracts";
import { parisDay } from "../../../lib/format-dates.ts";
import { plainText } from "../../../lib/plain-text.ts";
import { periodFilter, periodOf } from "../../../ui/filter-bar/filters.ts";
import type { ListAddress, Order } from "../../../ui/filter-bar/use-list-address.ts";

/** The orders of the templates, the service's own first. */
export const TEMPLATE_ORDERS: readonly [Order, ...Order[]] = [
  { slug: "nom", label: "Nom, de A à Z" },
  { slug: "nom-z-a", label: "Nom, de Z à A" },
  { slug: "recents", label: "Plus récents" },
];
export const TEMPLATE_FILTERS = [periodFilter("Modification")];

/** Gives the templates that are looked for, in the order that is asked for: an account has a hundred at most, and the service gives them all. */
export function narrowTemplates(
  templates: readonly Template[],
  { search, values, order }: Pick<ListAddress, "search" | "values" | "order">,
  now: Date,
): readonly Template[] {
  const { from, to } = periodOf(values, now);
  const found = templates.filter(({ name, updated_at }) => {
    const day = parisDay(updated_at);
    return plainText(name).includes(plainText(search.trim())) && (from === undefined || day >= from) && (to === undefined || day <= to);
  });
  if (order.slug === "nom-z-a") return found.toReversed();
  return order.slug === "recents" ? found.toSorted((a, b) => b.updated_at.localeCompare(a.updated_at)) : found;
}
