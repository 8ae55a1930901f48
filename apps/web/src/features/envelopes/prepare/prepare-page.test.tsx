import type { User } from "@paraphe/contracts";
import { render, screen } from "@testing-library/react";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { MemoryRouter, Route, Routes } from "react-router";
import { expect, test, vi } from "vitest";
import { keepOnDevice } from "../../../lib/tab-memory.ts";
import { sessionQuery } from "../../accounts/use-session.ts";
import { PreparePage } from "./prepare-page.tsx";
import { makeEnvelope } from "./testing/make-envelope.ts";

test("a draft that is gone is said in the page's own content, where the skip link leads", async () => {
  vi.spyOn(globalThis, "fetch").mockImplementation(async () =>
    Response.json({ status: 404, code: "not_found" }, { status: 404 }),
  );
  render(
    <QueryClientProvider
      client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}
    >
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

test.each([
  ["gone", 404, { status: 404, code: "not_found" }, /n’existe plus/],
  ["sent", 200, makeEnvelope({ id: "e1", status: "sent" }), /./],
])(
  "of a draft that is %s nothing typed is kept, whatever page typed it; another's person's stays",
  async (_what, status, answer, sentence) => {
    vi.spyOn(globalThis, "fetch").mockImplementation(async () => Response.json(answer, { status }));
    localStorage.clear();
    keepOnDevice("draft-edits.e1.autre", { owner: "u1", value: {} });
    keepOnDevice("draft-edits.e1.tierce", { owner: "u2", value: {} });
    keepOnDevice("draft-edits.e2.autre", { owner: "u1", value: {} });
    const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
    client.setQueryData(sessionQuery.queryKey, { id: "u1" } as User);
    render(
      <QueryClientProvider client={client}>
        <MemoryRouter initialEntries={["/signature/workflow/e1"]}>
          <Routes>
            <Route path="/signature/workflow/:id" element={<PreparePage />} />
            <Route path="*" element={<p>Détail</p>} />
          </Routes>
        </MemoryRouter>
      </QueryClientProvider>,
    );
    await screen.findByText(sentence);
    await vi.waitFor(() =>
      expect(Object.keys(localStorage).toSorted()).toEqual([
        "paraphe.kept.draft-edits.e1.tierce",
        "paraphe.kept.draft-edits.e2.autre",
      ]),
    );
  },
);
