import { act, cleanup, fireEvent, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { BrowserRouter, Route, Routes } from "react-router";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { PreparePage } from "./prepare-page.tsx";
import { makeEnvelope } from "./testing/make-envelope.ts";
import { press, renderPart } from "../testing/page.tsx";

let refused = "title";

beforeEach(() => {
  refused = "title";
  localStorage.clear();
  document.cookie = "csrftoken=jeton";
  window.scrollTo = () => undefined;
  vi.spyOn(console, "error").mockImplementation(() => {});
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

async function open() {
  history.pushState({ idx: 0 }, "", "/dashboard");
  history.pushState({ idx: 1 }, "", "/signature/workflow/e1");
  renderPart(
    <BrowserRouter>
      <Routes>
        <Route path="/signature/workflow/:id" element={<PreparePage />} />
        <Route path="*" element={<h1>Ailleurs</h1>} />
      </Routes>
    </BrowserRouter>,
  );
  return screen.findByLabelText("Titre de l’enveloppe");
}

async function refuseTitle() {
  const title = await open();
  fireEvent.change(title, { target: { value: "Bail 🌸" } });
  fireEvent.blur(title);
  await screen.findByText("Refusé.");
}

test("leaving a refused edit asks: stay, or leave without it", async () => {
  await refuseTitle();
  await userEvent.click(screen.getByRole("link", { name: "Quitter l’éditeur" }));
  screen.getByRole("alertdialog", { name: "Quitter sans enregistrer\u202f?" });
  await press("Rester");
  expect(screen.getByLabelText<HTMLInputElement>("Titre de l’enveloppe").value).toBe("Bail 🌸");
  await userEvent.click(screen.getByRole("link", { name: "Quitter l’éditeur" }));
  await press("Quitter sans enregistrer");
  await screen.findByRole("heading", { name: "Ailleurs" });
  expect(localStorage).toHaveLength(0);
});

test("Back asks when it leaves the draft, not between its steps", async () => {
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
