import type { Counts } from "@paraphe/contracts";
import { useQuery } from "@tanstack/react-query";
import { api } from "../../lib/api/api.ts";

export function useCounts({ isAsked = true } = {}) {
  return useQuery({
    enabled: isAsked,
    queryKey: ["envelopes", "counts"],
    queryFn: ({ signal }) => api.get<Counts>("/api/signature/envelopes/counts/", { signal }),
  });
}
