import { PAGE_SIZE } from "@paraphe/contracts";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { useLocation, useSearchParams } from "react-router";
import { showToast } from "../../ui/toast/toast-store.ts";
import { envelopeCalls, type ListedStatus } from "./envelope-calls.ts";
import { rememberListAddress } from "./list-address.ts";
import { LIST_ORDERS, listOrderOf, type ListOrder } from "./list-order.ts";
import { useSearch } from "./use-search.ts";

type Options = { readonly status: ListedStatus /** The toast of a failed load. */; readonly failure: string };

/** What the server takes at most; a list that long has no such page, so the last one is shown. */
const LAST_PAGE_ASKED = 1_000_000;

/** One page of a list; what is searched, its number and the order are in the address, so that Back and a reload find them again. */
export function useEnvelopeList({ status, failure }: Options) {
  const { typed, search, setTyped } = useSearch();
  const [query, setQuery] = useSearchParams();
  const { pathname, search: address } = useLocation();
  const page = Math.min(LAST_PAGE_ASKED, Math.max(1, Math.trunc(Number(query.get("page") ?? 1)) || 1));
  const order = listOrderOf(query.get("tri"));
  const ordering = order === LIST_ORDERS[0] ? undefined : order.ordering;
  const list = useQuery({
    queryKey: ["envelopes", "list", status, { page, search, ordering }],
    queryFn: ({ signal }) => envelopeCalls.list({ status, page, page_size: PAGE_SIZE, search, ordering }, signal),
    placeholderData: keepPreviousData,
  });
  const { error, data, isPlaceholderData } = list;

  useEffect(() => {
    if (error) showToast("err", failure);
  }, [error, failure]);
  useEffect(() => rememberListAddress(pathname, address), [pathname, address]);

  const change = (changes: Readonly<Record<string, string | null>>, options?: { readonly replace: boolean }) =>
    setQuery((current) => {
      const changed = new URLSearchParams(current);
      for (const [name, value] of Object.entries(changes)) {
        if (value === null) changed.delete(name);
        else changed.set(name, value);
      }
      return changed;
    }, options);
  const goTo = (next: number, options?: { readonly replace: boolean }) => change({ page: next <= 1 ? null : String(next) }, options);
  const sortBy = ({ slug }: ListOrder) => change({ tri: slug === LIST_ORDERS[0].slug ? null : slug, page: null });

  // The last row of the last page has left, or the address asks for a page that is not: the last one is shown, and Back does not lead here again.
  const lastPage = data && !isPlaceholderData ? Math.max(1, Math.ceil(data.count / data.page_size)) : page;
  useEffect(() => {
    if (page > lastPage) goTo(lastPage, { replace: true });
  });

  return { status, list, page, goTo, order, sortBy, typed, search, setTyped };
}
