import type { Envelope } from "@paraphe/contracts";
import type { QueryClient } from "@tanstack/react-query";
import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import { MemoryRouter, Route, Routes } from "react-router";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { preserveFocus } from "../../ui/focus/preserve-focus.ts";
import { clearToasts } from "../../ui/toast/toast-store.ts";
import { DashboardPage } from "./dashboard/dashboard-page.tsx";
import { makeEnvelope, makeRecipient } from "./prepare/testing/make-envelope.ts";
import { ActionRequiredPage } from "./lists/action-required-page.tsx";
import { CompletedPage } from "./lists/completed-page.tsx";
import { DeletedPage } from "./lists/deleted-page.tsx";
import { DetailPage } from "./detail/detail-page.tsx";
import { DraftsPage } from "./lists/drafts-page.tsx";
import { SentPage } from "./lists/sent-page.tsx";
import { newClient, renderPart, toasts } from "./testing/page.tsx";

const envelope = (part: Partial<Envelope>): Envelope => ({
  ...makeEnvelope({ recipients: [makeRecipient()] }),
  is_owner: true,
  ...part,
});
const DASHBOARD = {
  counts: { draft: 0, sent: 0, completed: 0, actionRequired: 0 },
  totalThisMonth: 0,
  periodTotal: 0,
  periodCompleted: 0,
  completionRate: 0,
  avgSigningTime: 0,
  sparklines: { last7: [], last30: [] },
  standing: { lastDraftAt: null, toCorrect: 0, expiringSoon: 0, mostUrgentAt: null },
  recent: [],
  notifications: [],
};

let stop: () => void;
let client: QueryClient;
let listed: readonly Envelope[];
let detail: Envelope;
let refused: RegExp | undefined;

beforeEach(() => {
  stop = preserveFocus(document);
  act(clearToasts);
  client = newClient();
  listed = ["Bail", "Congé", "Mandat"].map((title, index) =>
    envelope({ id: `e${index + 1}`, title, status: "sent" }),
  );
  refused = undefined;
  vi.spyOn(console, "error").mockImplementation(() => {});
  vi.spyOn(console, "warn").mockImplementation(() => {});
  vi.stubGlobal("fetch", async (address: string) => {
    const { pathname } = new URL(address);
    if (refused?.test(pathname)) return Response.json({}, { status: 500 });
    if (pathname.endsWith("/dashboard/")) return Response.json(DASHBOARD);
    if (pathname.endsWith("/counts/"))
      return Response.json({ draft: 0, sent: 0, completed: 0, action_required: 0, cancelled: 0 });
    if (pathname.endsWith("/events/"))
      return Response.json({
        count: 0,
        page: 1,
        page_size: 20,
        results: [],
        chain: { ok: true, count: 0, head: null, broken_at: null },
      });
    if (pathname.endsWith("/envelopes/"))
      return Response.json({ count: listed.length, page: 1, page_size: 10, results: listed });
    if (pathname.endsWith("/extend/"))
      detail = { ...detail, status: "sent", deadline_at: "2027-01-01T22:59:59Z" };
    return Response.json(detail);
  });
});
afterEach(() => {
  stop();
  vi.unstubAllGlobals();
});

function show(page: ReactNode) {
  renderPart(
    <MemoryRouter initialEntries={["/signature/detail/e1"]}>
      <Routes>
        <Route path="/signature/detail/:id" element={page} />
      </Routes>
    </MemoryRouter>,
    client,
  );
}
async function pressKey(name: string | RegExp) {
  (await screen.findByRole("button", { name })).focus();
  await userEvent.keyboard("{Enter}");
}
const inMain = () => document.querySelector("main")?.contains(document.activeElement);

test.each([
  ["Envoyé", <SentPage key="s" />],
  ["Complété(s)", <CompletedPage key="c" />],
  ["Action requise", <ActionRequiredPage key="a" />],
  ["Brouillons", <DraftsPage key="d" />],
  ["Supprimé", <DeletedPage key="x" />],
])("« Réessayer » of « %s » moves the focus to the loaded list", async (_title, page) => {
  refused = /\/envelopes\/$/u;
  show(page);
  await screen.findByRole("button", { name: "Réessayer" });
  refused = undefined;
  await pressKey("Réessayer");
  await screen.findByText("Congé");
  await waitFor(() => expect(inMain()).toBe(true));
});

test("« Réessayer » of the dashboard moves the focus into the loaded page", async () => {
  refused = /\/dashboard\/$/u;
  show(<DashboardPage />);
  await screen.findByRole("button", { name: "Réessayer" });
  refused = undefined;
  await pressKey("Réessayer");
  await screen.findByRole("link", { name: /^Brouillons/ });
  await waitFor(() => expect(inMain()).toBe(true));
});

test("« Effacer les filtres » moves the focus to the recent documents", async () => {
  listed = [];
  show(<DashboardPage />);
  await userEvent.selectOptions(await screen.findByLabelText("Filtrer par statut"), "Complétées");
  await pressKey("Effacer les filtres");
  await screen.findByText("Aucun document récent trouvé.");
  const section = screen.getByRole("region", { name: "Documents récents" });
  await waitFor(() => expect(section.contains(document.activeElement)).toBe(true));
});

test("a row removed by another session moves the focus to the next row's same control", async () => {
  show(<SentPage />);
  (await screen.findByRole("button", { name: "Annuler l’enveloppe Congé" })).focus();
  listed = listed.filter(({ title }) => title !== "Congé");
  await act(() => client.invalidateQueries({ queryKey: ["envelopes"] }));
  await waitFor(() =>
    expect(document.activeElement).toBe(
      screen.getByRole("button", { name: "Annuler l’enveloppe Mandat" }),
    ),
  );
});

test("the expired envelope's extension button moves the focus to the other actions", async () => {
  detail = envelope({
    id: "e1",
    status: "expired",
    sent_at: "2026-11-01T09:00:00Z",
    deadline_at: "2026-11-20T22:59:59Z",
  });
  show(<DetailPage />);
  await pressKey(/^Prolonger de 7/);
  await waitFor(() => expect(screen.queryByRole("button", { name: /^Prolonger de 7/ })).toBeNull());
  await waitFor(() => expect(inMain()).toBe(true));
});

test("a refused cancellation returns the focus to its menu", async () => {
  detail = envelope({ id: "e1", status: "sent", sent_at: "2026-11-01T09:00:00Z" });
  refused = /\/cancel\/$/u;
  show(<DetailPage />);
  await pressKey("Plus d’actions");
  await userEvent.click(screen.getByRole("menuitem", { name: "Annuler l’enveloppe" }));
  await userEvent.click(
    within(screen.getByRole("alertdialog")).getByRole("button", { name: "Annuler l’enveloppe" }),
  );
  await waitFor(() => expect(toasts()).toEqual(["Échec de l'annulation"]));
  await waitFor(() =>
    expect(document.activeElement).toBe(screen.getByRole("button", { name: "Plus d’actions" })),
  );
});
