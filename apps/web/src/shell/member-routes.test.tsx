import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter, useLocation } from "react-router";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clearToasts } from "../ui/toast/toast-store.ts";
import { MemberRoutes } from "./member-routes.tsx";

const USER = {
  id: "u1",
  username: "clemence",
  first_name: "Clémence",
  last_name: "Aubry",
  avatar: null,
  notifications: { email: true, sms: false, push: false },
};
const COUNTS = { draft: 1, sent: 1, completed: 1, action_required: 3, cancelled: 0 };
const DASHBOARD = {
  counts: { draft: 0, sent: 0, completed: 0, actionRequired: 0 },
  sparklines: { last7: [], last30: [] },
  recent: [],
  notifications: [],
};
let isMember: boolean;
let narrow: boolean;

beforeEach(() => {
  act(clearToasts);
  isMember = true;
  narrow = false;
  vi.spyOn(console, "error").mockImplementation(() => {});
  vi.spyOn(console, "warn").mockImplementation(() => {});
  vi.stubGlobal("matchMedia", (query: string) => ({
    matches: narrow && query.includes("max-width"),
    addEventListener: () => {},
    removeEventListener: () => {},
  }));
  // The network alone is replaced.
  vi.stubGlobal("fetch", async (address: string) => {
    const { pathname } = new URL(address);
    if (pathname === "/api/verify-token/")
      return Response.json({ user: USER }, { status: isMember ? 200 : 401 });
    if (pathname === "/api/token/refresh/") return Response.json({}, { status: 401 });
    if (pathname.endsWith("/counts/")) return Response.json(COUNTS);
    if (pathname.endsWith("/dashboard/")) return Response.json(DASHBOARD);
    if (pathname.endsWith("/envelopes/"))
      return Response.json({ count: 0, page: 1, page_size: 10, results: [] });
    return Response.json({}, { status: 404 });
  });
});
afterEach(() => vi.unstubAllGlobals());

function Address() {
  const { pathname, search, state } = useLocation();
  return (
    <output
      data-testid="address"
      data-from={(state as { from?: { pathname: string } } | null)?.from?.pathname}
    >{`${pathname}${search}`}</output>
  );
}

function open(address: string) {
  render(
    <QueryClientProvider
      client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}
    >
      <MemoryRouter initialEntries={[address]}>
        <MemberRoutes />
        <Address />
      </MemoryRouter>
    </QueryClientProvider>,
  );
}
const arrivesAt = (address: string) =>
  vi.waitFor(() => expect(screen.getByTestId("address").textContent).toBe(address), {
    timeout: 5_000,
  });

test.each([
  ["/", "/dashboard"],
  ["/signature", "/signature/envelopes/sent"],
  ["/signature/envelopes?ordre=titre", "/signature/envelopes/sent?ordre=titre"],
])("redirects %s to %s", async (from, to) => {
  open(from);
  await arrivesAt(to);
});

test.each([
  "/dashboard",
  "/signature/self-sign",
  "/signature/bulk-same",
  "/signature/saved-signatures",
  "/signature/upload",
  "/signature/detail/e1",
  "/signature/workflow/e1",
  "/signature/sent/e1",
  "/signature/envelopes/e1/sign",
  "/signature/sign/e1",
  "/settings",
  "/settings/signature",
  "/settings/security",
  "/settings/notifications",
  "/profile",
])("sends a visitor of %s to /login, which remembers it", async (address) => {
  isMember = false;
  open(address);
  await arrivesAt("/login");
  expect(screen.getByTestId("address").dataset["from"]).toBe(address);
});

test.each([
  "/login",
  "/register",
  "/password-reset",
  "/reset-password/u/t",
  "/conditions",
  "/confidentialite",
])("opens %s to a visitor", async (address) => {
  isMember = false;
  open(address);
  expect(await screen.findByRole("heading", { level: 1 }, { timeout: 5_000 })).toBeDefined();
  await arrivesAt(address);
});

test("shows 'Page non trouvée' elsewhere, with a link home", async () => {
  open("/nulle/part");
  expect(
    await screen.findByRole("heading", { level: 1, name: "Page non trouvée" }, { timeout: 5_000 }),
  ).toBeDefined();
  expect(screen.getByRole("link", { name: "Retour à l’accueil" }).getAttribute("href")).toBe("/");
});

test("shows the bar's links and menus, with the current one marked", async () => {
  open("/signature/envelopes/sent");
  const bar = await screen.findByRole("banner");
  expect(within(bar).getByRole("link", { name: "Paraphe, accueil" }).getAttribute("href")).toBe(
    "/",
  );
  expect(within(bar).getByRole("link", { name: "Signatures" }).getAttribute("aria-current")).toBe(
    "page",
  );
  expect(
    within(bar).getByRole("link", { name: "Tableau de bord" }).getAttribute("aria-current"),
  ).toBeNull();
  expect(within(bar).getByRole("link", { name: "Demander signature" }).getAttribute("href")).toBe(
    "/signature/upload",
  );
  await userEvent.click(within(bar).getByRole("button", { name: /Signer maintenant/ }));
  expect((await screen.findAllByRole("menuitem")).map(({ textContent }) => textContent)).toEqual([
    "Auto-signatureSigner un document instantanément",
    "Signature massePlusieurs documents, même position",
    "Mes signaturesGérer les signatures enregistrées",
  ]);
  expect(screen.getByText("Types de signature")).toBeDefined();
  await userEvent.keyboard("{Escape}");
  await userEvent.click(within(bar).getByRole("button", { name: /^Menu utilisateur/ }));
  expect((await screen.findAllByRole("menuitem")).map(({ textContent }) => textContent)).toEqual([
    "Mon compte",
    "Paramètres",
    "Déconnexion",
  ]);
});

test("lists the same links and 'Déconnexion' in the hamburger menu", async () => {
  open("/dashboard");
  await userEvent.click(await screen.findByRole("button", { name: "Ouvrir le menu" }));
  const menu = within(screen.getByRole("dialog", { name: "Menu" }));
  for (const name of [
    "Tableau de bord",
    "Signatures",
    "Paramètres",
    "Demander signature",
    "Auto-signature",
    "Mon compte",
  ]) {
    expect(menu.getByRole("link", { name })).toBeDefined();
  }
  expect(menu.getByRole("button", { name: "Déconnexion" })).toBeDefined();
});

test("shows five entries in 'Environnement', with a red count on 'Action requise'", async () => {
  open("/signature/envelopes/sent");
  const area = await screen.findByRole("navigation", { name: "Environnement" }, { timeout: 5_000 });
  expect(
    within(area)
      .getAllByRole("link")
      .map((link) => [link.getAttribute("href"), link.querySelector("span")?.textContent]),
  ).toEqual([
    ["/signature/envelopes/sent", "Envoyé"],
    ["/signature/envelopes/completed", "Complété(s)"],
    ["/signature/envelopes/action-required", "Action requise"],
    ["/signature/envelopes/drafts", "Brouillons"],
    ["/signature/envelopes/deleted", "Supprimé"],
  ]);
  const count = await within(area).findByText("3 en attente");
  expect(count.closest("a")?.getAttribute("href")).toBe("/signature/envelopes/action-required");
  expect(count.parentElement?.className).toMatch(/red/);
});

test("shows a bottom bar below 1024 px, and a drawer that closes on Escape", async () => {
  narrow = true;
  open("/signature/envelopes/drafts");
  await userEvent.click(
    await screen.findByRole("button", { name: "Environnement" }, { timeout: 5_000 }),
  );
  const elsewhere = within(
    within(screen.getByRole("dialog", { name: "Environnement" })).getByRole("navigation", {
      name: "Menu",
    }),
  );
  for (const name of ["Tableau de bord", "Demander signature", "Mes signatures", "Mon compte"])
    expect(elsewhere.getByRole("link", { name })).toBeDefined();
  expect(elsewhere.getByRole("button", { name: "Déconnexion" })).toBeDefined();
  act(() =>
    within(screen.getByRole("dialog", { name: "Environnement" }))
      .getByRole("button", { name: "Fermer" })
      .focus(),
  );
  await userEvent.keyboard("{Escape}");
  expect(screen.queryByRole("dialog")).toBeNull();
});
