import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter, Route, Routes } from "react-router";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { makeEnvelope } from "../prepare/testing/make-envelope.ts";
import { clearToasts, currentToasts } from "../../ui/toast/toast-store.ts";
import { DetailPage } from "./detail-page.tsx";

const cancelled = { ...makeEnvelope(), status: "cancelled" as const, title: "Bail commercial", is_owner: true };
let client: QueryClient;
let answer: { status: number; body: unknown };

beforeEach(() => {
  act(clearToasts);
  client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  answer = { status: 200, body: cancelled };
  // The network alone is replaced.
  vi.stubGlobal("fetch", async (url: string) =>
    new URL(url).pathname.includes("/events/")
      ? Response.json({ count: 0, page: 1, page_size: 20, results: [], chain: { ok: true, count: 0, head: null, broken_at: null } })
      : Response.json(answer.body, { status: answer.status }),
  );
  render(
    <QueryClientProvider client={client}>
      <MemoryRouter initialEntries={[`/signature/detail/${cancelled.id}`]}>
        <Routes>
          <Route path="/signature/detail/:id" element={<DetailPage />} />
        </Routes>
      </MemoryRouter>
    </QueryClientProvider>,
  );
});
afterEach(() => vi.unstubAllGlobals());

const readAgain = () => act(() => client.invalidateQueries({ queryKey: ["envelopes", "detail"] }));

test("an envelope purged elsewhere says so and offers nothing that would be refused", async () => {
  await screen.findByRole("button", { name: "Restaurer" });
  answer = { status: 404, body: { status: 404, code: "not_found" } };
  await readAgain();
  await screen.findByText("Cette enveloppe n’existe plus.");
  expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Bail commercial");
  expect(screen.queryByRole("button", { name: "Restaurer" })).toBeNull();
  expect(screen.queryByRole("button", { name: "Purger" })).toBeNull();
  expect(currentToasts()).toEqual([]);
});

test("a question about an envelope restored elsewhere closes, and says why", async () => {
  await userEvent.click(await screen.findByRole("button", { name: "Purger" }));
  expect(screen.getByRole("alertdialog")).toBeDefined();
  answer = { status: 200, body: { ...cancelled, status: "sent" } };
  await readAgain();
  await vi.waitFor(() => expect(screen.queryByRole("alertdialog")).toBeNull());
  expect(currentToasts().map(({ message }) => message)).toEqual([
    "Cette enveloppe vient de changer ailleurs\u00a0: rien n’a été fait d’ici.",
  ]);
});
