import { render, screen } from "@testing-library/react";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { MemoryRouter, Route, Routes } from "react-router";
import { expect, test, vi } from "vitest";
import { PreparePage } from "./prepare-page.tsx";

test("a draft that is gone is said in the page's own content, where the skip link leads", async () => {
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => Response.json({ status: 404, code: "not_found" }, { status: 404 }));
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <MemoryRouter initialEntries={["/signature/workflow/01J0000000000000000000DONE"]}>
        <Routes>
          <Route path="/signature/workflow/:id" element={<PreparePage />} />
        </Routes>
      </MemoryRouter>
    </QueryClientProvider>,
  );
  await screen.findByText("Ce brouillon n’existe plus.");
  expect(screen.getByRole("main").id).toBe("contenu");
});
