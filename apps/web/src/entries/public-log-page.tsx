import { QueryClientProvider } from "@tanstack/react-query";
import { LogPage } from "../features/journal/log-page.tsx";
import { createQueryClient } from "../lib/create-query-client.ts";

/** The log's page with the cache that its lists are read through. */
export function PublicLogPage() {
  return (
    <QueryClientProvider client={createQueryClient()}>
      <LogPage />
    </QueryClientProvider>
  );
}
