import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter, Route, Routes } from "react-router";
import { afterEach, expect, test, vi } from "vitest";
import { SignPage } from "./sign-page.tsx";

const page = (recipient: object, more: object = {}) => ({
  id: "e1",
  title: "Arrêté",
  status: "sent",
  sender_name: "Léo Marchand",
  message: null,
  deadline_at: null,
  hsm: false,
  progress: { signed: 0, total: 1, percent: 0 },
  recipient: {
    full_name: "Hélène Guérin",
    email: "maire@exemple.fr",
    phone_hint: null,
    role: "visa",
    status: "notified",
    signed: false,
    signed_at: null,
    ...recipient,
  },
  documents: [],
  fields: [],
  ...more,
});
const DELEGATION = {
  delegate_name: "Karim Benali",
  starts_on: "2026-11-20",
  ends_on: "2026-11-30",
  scope: "toutes ses étapes",
  consent: "",
};

afterEach(() => vi.unstubAllGlobals());

function open() {
  render(
    <QueryClientProvider
      client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}
    >
      <MemoryRouter initialEntries={["/signature/sign/e1"]}>
        <Routes>
          <Route path="/signature/sign/:id" element={<SignPage />} />
        </Routes>
      </MemoryRouter>
    </QueryClientProvider>,
  );
}

test("a delegate with a visa of their own reads that the delegation has ended, not that the visa is given", async () => {
  let isStopped = false;
  const own = page({ id: "own", status: "approved" });
  const over = {
    status: 409,
    code: "delegation_over",
    detail: "Cette délégation a pris fin.",
    explanation: "Elle a été arrêtée.",
  };
  vi.stubGlobal("scrollTo", () => {});
  // The network alone is replaced.
  vi.stubGlobal("fetch", async (address: string) => {
    const { pathname, searchParams } = new URL(address);
    if (!pathname.endsWith("/sign-page/")) return Response.json({}, { status: 200 });
    if (!isStopped) return Response.json(page({ id: "mayor" }, { delegation: DELEGATION }));
    return searchParams.get("recipient") === "mayor"
      ? Response.json(over, { status: 409 })
      : Response.json(own);
  });
  open();
  await screen.findAllByText("Arrêté");
  isStopped = true;
  await act(async () => void document.dispatchEvent(new Event("visibilitychange")));
  await screen.findByRole("heading", { name: "Cette délégation vient de se terminer" });
  expect(screen.getByText("Elle a été arrêtée.")).toBeDefined();
});

test("a refusal under a delegation that has ended replaces the page, and is not offered again", async () => {
  let isStopped = false;
  let declined = "";
  const over = { status: 409, code: "delegation_over", detail: "…", explanation: "Arrêtée." };
  vi.stubGlobal("scrollTo", () => {});
  // The network alone is replaced.
  vi.stubGlobal("fetch", async (address: string) => {
    const { pathname, search } = new URL(address);
    if (pathname.endsWith("/decline/")) declined = search;
    if (isStopped) return Response.json(over, { status: 409 });
    const mayor = { id: "mayor", role: "signer" };
    return pathname.endsWith("/sign-page/")
      ? Response.json(page(mayor, { delegation: DELEGATION, mail: false }))
      : Response.json({}, { status: 200 });
  });
  open();
  const [decline] = await screen.findAllByRole("button", { name: /^Refuser/ });
  expect(screen.queryByText(/Vous recevrez l’exemplaire signé/)).toBeNull();
  isStopped = true;
  await userEvent.click(decline as HTMLElement);
  const dialog = await screen.findByRole("dialog");
  await userEvent.click(within(dialog).getByRole("radio", { name: "Désaccord" }));
  await userEvent.click(within(dialog).getByRole("checkbox"));
  await userEvent.click(within(dialog).getByRole("button", { name: /^Refuser/ }));
  await screen.findByRole("heading", { name: "Cette délégation vient de se terminer" });
  expect(screen.queryByRole("dialog")).toBeNull();
  // Of several steps of one person, the shown one.
  expect(declined).toBe("?recipient=mayor");
});
