import type { KnownDomains } from "@paraphe/contracts";
import { useQuery } from "@tanstack/react-query";
import { api } from "../../../lib/api.ts";

const NONE: KnownDomains["results"] = [];

/** Gives the domains of the addresses written to before. A failure gives none: nothing is missing to go on. */
export function useKnownDomains(isWanted: boolean): KnownDomains["results"] {
  const { data } = useQuery({
    queryKey: ["recipient-domains"],
    queryFn: ({ signal }) => api.get<KnownDomains>("/api/signature/recipients/domains/", { signal }),
    enabled: isWanted,
    staleTime: 300_000,
    retry: false,
  });
  return data?.results ?? NONE;
}
