import type { SavedSignature } from "@paraphe/contracts";
import { plainText } from "../../../lib/plain-text.ts";
import type { Filter } from "../../../ui/filter-bar/filters.ts";
import type { ListAddress, Order } from "../../../ui/filter-bar/use-list-address.ts";

/** The orders of the signatures, the service's own first. */
export const SIGNATURE_ORDERS: readonly [Order, ...Order[]] = [
  { slug: "defaut", label: "Plus récentes" },
  { slug: "nom", label: "Nom, de A à Z" },
  { slug: "utilisees", label: "Dernières utilisées" },
];
export const SIGNATURE_FILTERS: readonly Filter[] = [
  {
    name: "sorte",
    label: "Sorte",
    choices: [
      { slug: "", label: "Toutes" },
      { slug: "drawn", label: "Dessinées" },
      { slug: "typed", label: "Saisies" },
      { slug: "uploaded", label: "Importées" },
    ],
  },
];

/** Gives the signatures that are looked for, in the order that is asked for: an account has twenty at most, and the service gives them all. */
export function narrowSignatures(
  signatures: readonly SavedSignature[],
  { search, values, order }: Pick<ListAddress, "search" | "values" | "order">,
): readonly SavedSignature[] {
  const kind = values["sorte"];
  const found = signatures.filter(
    (signature) => plainText(signature.name).includes(plainText(search.trim())) && (kind === undefined || signature.kind === kind),
  );
  if (order.slug === "nom") return found.toSorted((a, b) => a.name.localeCompare(b.name, "fr"));
  return order.slug === "utilisees" ? found.toSorted((a, b) => (b.last_used_at ?? "").localeCompare(a.last_used_at ?? "")) : found;
}
