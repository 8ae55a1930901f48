import { QueryClient } from "@tanstack/react-query";
import { ApiError } from "./api-error.ts";

/** A refusal is never retried, a missing answer once. */
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
