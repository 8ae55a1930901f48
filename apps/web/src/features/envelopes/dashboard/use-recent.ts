import type { Envelope, EnvelopeList } from "@paraphe/contracts";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { api } from "../../../lib/api.ts";
import { isFiltered, newestOf, recentQueries, type RecentStatus } from "./recent-filter.ts";

type Options = { readonly recent: readonly Envelope[] | undefined; readonly status: RecentStatus; readonly search: string };

/** The rows of 'Documents récents': those of the dashboard's own call, or those the filters ask for. */
export function useRecent({ recent, status, search }: Options) {
  const filtered = isFiltered(status, search);
  const queries = recentQueries(status, search);
  const found = useQuery({
    queryKey: ["dashboard", "recent", queries],
    queryFn: async ({ signal }) => {
      const lists = await Promise.all(queries.map((query) => api.get<EnvelopeList>("/api/signature/envelopes/", { query, signal })));
      return newestOf(lists.map(({ results }) => results));
    },
    enabled: filtered,
    placeholderData: keepPreviousData,
  });
  if (!filtered) return { filtered, rows: recent, retry: undefined };
  return {
    filtered,
    rows: found.data,
    /** Asks again; only there when nothing could be found. */
    retry: found.isError && found.data === undefined ? () => void found.refetch() : undefined,
  };
}
