import { useSearchParams } from "react-router";

/** What the list of what one has sent may be narrowed to. */
export const SENT_FILTERS = [
  { value: "sent", label: "Toutes" },
  { value: "declined", label: "Refusées" },
  { value: "expired", label: "Expirées" },
] as const;
export type SentFilter = (typeof SENT_FILTERS)[number]["value"];

const SLUGS: Readonly<Record<SentFilter, string | null>> = { sent: null, declined: "refusees", expired: "expirees" };

/** The filter stands in the address, so that Back and a reload find it again; another one begins at the first page. */
export function useSentFilter(): { readonly filter: SentFilter; readonly choose: (filter: SentFilter) => void } {
  const [query, setQuery] = useSearchParams();
  const slug = query.get("statut");
  const filter = SENT_FILTERS.find(({ value }) => SLUGS[value] !== null && SLUGS[value] === slug)?.value ?? "sent";
  const choose = (next: SentFilter) =>
    setQuery((current) => {
      const changed = new URLSearchParams(current);
      const value = SLUGS[next];
      if (value === null) changed.delete("statut");
      else changed.set("statut", value);
      changed.delete("page");
      return changed;
    });
  return { filter, choose };
}
