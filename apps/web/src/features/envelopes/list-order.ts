import type { ListEnvelopesQuery } from "@paraphe/contracts";

type Ordering = NonNullable<ListEnvelopesQuery["ordering"]>;

/** The orders a list may be read in. The first is the list's own, and leaves no trace in the address. */
export const LIST_ORDERS = [
  { slug: "recentes", ordering: "-created_at", label: "Les plus récentes d’abord" },
  { slug: "anciennes", ordering: "created_at", label: "Les plus anciennes d’abord" },
  { slug: "titre", ordering: "title", label: "Titre, de A à Z" },
  { slug: "titre-z-a", ordering: "-title", label: "Titre, de Z à A" },
  { slug: "echeance", ordering: "deadline_at", label: "Échéance la plus proche" },
] as const satisfies readonly { readonly slug: string; readonly ordering: Ordering; readonly label: string }[];

export type ListOrder = (typeof LIST_ORDERS)[number];

/** Gives the order an address asks for, the list's own when it asks for none that is known. */
export function listOrderOf(slug: string | null): ListOrder {
  return LIST_ORDERS.find((order) => order.slug === slug) ?? LIST_ORDERS[0];
}
