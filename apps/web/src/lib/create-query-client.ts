import { QueryClient } from "@tanstack/react-query";
import { ApiError } from "./api-error.ts";

/** Gives the cache of what was read from the service: a refusal is never retried, an absence once. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        refetchOnWindowFocus: true,
        retry: (failures, error) =>
          failures < 1 && error instanceof ApiError && (error.isUnreachable || error.status >= 502),
        retryDelay: 1_000,
        networkMode: "always",
      },
      mutations: { retry: false, networkMode: "always" },
    },
  });
}
