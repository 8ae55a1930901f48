import type { Envelope } from "@paraphe/contracts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render } from "@testing-library/react";
import type { ReactNode } from "react";
import { MemoryRouter, Route, Routes, useLocation } from "react-router";

/** A row of a list as the service answers it. */
export const bail = {
  id: "e1",
  title: "Bail commercial",
  status: "draft",
  is_owner: true,
  created_at: "2026-11-20T09:00:00Z",
  updated_at: "2026-11-20T09:00:00Z",
  completed_at: "2026-11-22T09:00:00Z",
  sent_at: "2026-11-21T09:00:00Z",
  cancelled_at: null,
  deadline_at: null,
  days_remaining: null,
  created_by_name: "Clémence Aubry",
  recipients: [{ email: "come@exemple.fr", full_name: "Côme Œuvrard", role: "signer" }],
  documents: [{ name: "bail.pdf", page_count: 2 }],
  fields: [],
  progress: { signed: 1, total: 1, percent: 100 },
} as unknown as Envelope;

function Elsewhere() {
  return <p>{`Page ${useLocation().pathname}`}</p>;
}

/** Shows a list's page; another route shows the address that was opened. */
export function renderList(page: ReactNode): void {
  render(
    <QueryClientProvider
      client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}
    >
      <MemoryRouter initialEntries={["/liste"]}>
        <Routes>
          <Route path="/liste" element={page} />
          <Route path="*" element={<Elsewhere />} />
        </Routes>
      </MemoryRouter>
    </QueryClientProvider>,
  );
}
