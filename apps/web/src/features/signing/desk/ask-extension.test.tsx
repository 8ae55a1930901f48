import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter, Route, Routes } from "react-router";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { GuestSignPage } from "../guest/guest-sign-page.tsx";
import { isAskedToday, noteAsked } from "./ask-extension.tsx";

let asked: (string | null)[];
let answers: Response[];
beforeEach(() => {
  asked = [];
  answers = [];
  sessionStorage.clear();
  localStorage.clear();
  vi.spyOn(console, "error").mockImplementation(() => {});
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

function open(code: string, detail: string) {
  window.history.replaceState(null, "", "/sign/e1?token=jeton");
  // The network alone is replaced.
  vi.stubGlobal("fetch", async (address: string, { headers }: { headers: Headers }) => {
    if (!new URL(address).pathname.endsWith("/request-extension/"))
      return Response.json({ code, detail }, { status: 410 });
    asked.push(headers.get("x-signature-token"));
    return answers.shift() ?? Response.json({ told: true });
  });
  render(
    <QueryClientProvider
      client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}
    >
      <MemoryRouter initialEntries={["/sign/e1"]}>
        <Routes>
          <Route path="/sign/:id" element={<GuestSignPage />} />
        </Routes>
      </MemoryRouter>
    </QueryClientProvider>,
  );
}
const button = { name: "Demander une prolongation" };

test("lets a late guest ask for more time once", async () => {
  open(
    "envelope_expired",
    "Le délai de signature est dépassé. Demandez une prolongation à l’expéditeur.",
  );
  expect(await screen.findAllByText(/Demandez une prolongation/)).toHaveLength(1);
  await userEvent.click(await screen.findByRole("button", button));
  const said = await screen.findByText(/Votre demande a été transmise à l’expéditeur/);
  expect(said.querySelector("b")?.textContent).toBe("Demande envoyée");
  // What was done is no longer advised.
  expect(screen.queryByText(/Demandez une prolongation/)).toBeNull();
  expect(asked).toEqual(["jeton"]);
  expect(screen.queryByRole("button", button)).toBeNull();
});

test("says that the sender knows when asked twice in a day", async () => {
  open("envelope_expired", "Le délai de signature est dépassé.");
  answers = [Response.json({ told: false })];
  await userEvent.click(await screen.findByRole("button", button));
  expect(await screen.findByText(/L’expéditeur a déjà été prévenu aujourd’hui/)).toBeDefined();
});

test("remembers the request for more time until the next day", async () => {
  const sentence = "Le délai de signature est dépassé.";
  open("envelope_expired", sentence);
  await userEvent.click(await screen.findByRole("button", button));
  await screen.findByText(/Votre demande a été transmise/);
  cleanup();
  open("envelope_expired", sentence);
  expect(await screen.findByText(/L’expéditeur a déjà été prévenu aujourd’hui/)).toBeDefined();
  expect(screen.queryByRole("button", button)).toBeNull();
  cleanup();
  const [noted = ""] = Object.keys(localStorage);
  localStorage.setItem(noted, "2026-01-01");
  open("envelope_expired", sentence);
  expect(await screen.findByRole("button", button)).toBeDefined();
});

test("does not show one recipient's request to another in the same browser", () => {
  const [camille, theo] = [
    { envelopeId: "e1", recipient: "jeton-de-camille" },
    { envelopeId: "e1", recipient: "jeton-de-theo" },
  ];
  noteAsked(camille);
  expect([
    isAskedToday(camille),
    isAskedToday(theo),
    isAskedToday({ ...camille, envelopeId: "e2" }),
  ]).toEqual([true, false, false]);
  expect(JSON.stringify(Object.entries(localStorage))).not.toContain("jeton");
});

test("counts days in Paris, whatever the device's time zone", () => {
  const asker = { envelopeId: "e1", recipient: "u1" };
  vi.useFakeTimers({ now: new Date("2026-11-21T22:30:00Z") });
  noteAsked(asker);
  expect(Object.values(localStorage)).toEqual(["2026-11-21"]);
  vi.setSystemTime(new Date("2026-11-21T23:30:00Z"));
  expect(isAskedToday(asker)).toBe(false);
});

test("shows a failure and leaves the button", async () => {
  open("envelope_expired", "Le délai de signature est dépassé.");
  answers = [
    Response.json(
      { code: "envelope_cancelled", detail: "Cette demande a été annulée par l’expéditeur." },
      { status: 410 },
    ),
  ];
  await userEvent.click(await screen.findByRole("button", button));
  expect(await screen.findByText("Cette demande a été annulée par l’expéditeur.")).toBeDefined();
  expect(screen.getByRole("button", button)).toBeDefined();
});

test("offers no extension for a link closed for another reason", async () => {
  open("envelope_cancelled", "Cette demande a été annulée par l’expéditeur.");
  expect(await screen.findByRole("heading", { name: "Cette demande a été annulée" })).toBeDefined();
  expect(screen.queryByRole("button", button)).toBeNull();
});
