import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { BrowserRouter, Route, Routes } from "react-router";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { PreparePage } from "./prepare-page.tsx";
import { makeEnvelope } from "./testing/make-envelope.ts";

let refused = "title";

beforeEach(() => {
  refused = "title";
  localStorage.clear();
  document.cookie = "csrftoken=jeton";
  window.scrollTo = () => undefined;
  vi.spyOn(console, "error").mockImplementation(() => {});
  // The network alone is replaced.
  vi.stubGlobal("fetch", async (address: string, { method }: { method: string }) => {
    if (!new URL(address).pathname.startsWith("/api/signature/envelopes/e1/"))
      return Response.json({ results: [] });
    if (new URL(address).pathname.includes("/documents/"))
      return new Promise<Response>(() => undefined);
    if (method === "PATCH")
      return Response.json(
        { status: 400, code: "validation_error", errors: { [refused]: ["Refusé."] } },
        { status: 400 },
      );
    return Response.json(makeEnvelope());
  });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

/** A draft opened from the dashboard. */
async function open() {
  history.pushState({ idx: 0 }, "", "/dashboard");
  history.pushState({ idx: 1 }, "", "/signature/workflow/e1");
  render(
    <QueryClientProvider client={new QueryClient()}>
      <BrowserRouter>
        <Routes>
          <Route path="/signature/workflow/:id" element={<PreparePage />} />
          <Route path="*" element={<h1>Ailleurs</h1>} />
        </Routes>
      </BrowserRouter>
    </QueryClientProvider>,
  );
  return screen.findByLabelText("Titre de l’enveloppe");
}

/** Its title is changed, and refused by the service. */
async function refuseTitle() {
  const title = await open();
  fireEvent.change(title, { target: { value: "Bail 🌸" } });
  fireEvent.blur(title);
  await screen.findByText("Refusé.");
}

test("an edit that the service refused is never left silently: stay, or leave without it", async () => {
  await refuseTitle();
  await userEvent.click(screen.getByRole("link", { name: "Quitter l’éditeur" }));
  screen.getByRole("alertdialog", { name: "Quitter sans enregistrer\u202f?" });
  await userEvent.click(screen.getByRole("button", { name: "Rester" }));
  expect(screen.getByLabelText<HTMLInputElement>("Titre de l’enveloppe").value).toBe("Bail 🌸");
  await userEvent.click(screen.getByRole("link", { name: "Quitter l’éditeur" }));
  await userEvent.click(screen.getByRole("button", { name: "Quitter sans enregistrer" }));
  await screen.findByRole("heading", { name: "Ailleurs" });
  expect(localStorage).toHaveLength(0);
});

test("Back asks when it leaves the draft, and not between its steps", async () => {
  refused = "message";
  await open();
  await userEvent.click(screen.getAllByRole("button", { name: "Continuer" })[0] as HTMLElement);
  fireEvent.change(await screen.findByLabelText("Message aux destinataires (facultatif)"), {
    target: { value: "Bonjour" },
  });
  await screen.findByText("Refusé.", undefined, { timeout: 3_000 });
  await act(async () => history.back());
  await screen.findByRole("heading", { level: 1, name: "Documents" });
  expect(screen.queryByRole("alertdialog")).toBeNull();
  await act(async () => history.back());
  await screen.findByRole("alertdialog", { name: "Quitter sans enregistrer\u202f?" });
  expect(location.pathname).toBe("/signature/workflow/e1");
});
