import type { ListEnvelopesQuery } from "@paraphe/contracts";
import type { Order } from "../../ui/filter-bar/use-list-address.ts";

type ListOrder = Order & { readonly ordering: NonNullable<ListEnvelopesQuery["ordering"]> };

/** The orders a list may be read in, the service's own first. */
export const LIST_ORDERS: readonly [ListOrder, ...ListOrder[]] = [
  { slug: "recentes", ordering: "-created_at", label: "Plus récentes" },
  { slug: "anciennes", ordering: "created_at", label: "Plus anciennes" },
  { slug: "titre", ordering: "title", label: "Titre, de A à Z" },
  { slug: "titre-z-a", ordering: "-title", label: "Titre, de Z à A" },
  { slug: "echeance", ordering: "deadline_at", label: "Échéance proche" },
];
