import type { Dashboard, Envelope } from "@paraphe/contracts";
import { act, cleanup, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter, useLocation } from "react-router";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clearToasts } from "../../../ui/toast/toast-store.ts";
import { sessionQuery } from "../../accounts/use-session.ts";
import { clemence } from "../../accounts/settings/testing/open-page.tsx";
import { DashboardPage } from "./dashboard-page.tsx";
import { newClient, press, pressFound, renderPart, toasts } from "../testing/page.tsx";

const row = (part: Partial<Envelope>) =>
  ({
    id: "e1",
    title: "Bail commercial",
    status: "sent",
    is_owner: true,
    created_at: "2026-11-20T09:00:00Z",
    updated_at: "2026-11-20T09:00:00Z",
    deadline_at: "2026-11-30T22:00:00Z",
    created_by_name: "Clémence Aubry",
    recipients: [
      { full_name: "Côme Œuvrard", role: "signer" },
      { full_name: "Maëlys N'Guessan", role: "signer" },
    ],
    progress: { signed: 1, total: 2, percent: 50 },
    ...part,
  }) as unknown as Envelope;

const awaited = (id: string, role: string) =>
  row({
    id,
    status: "action_required",
    is_owner: false,
    recipients: [
      { id: "r1", full_name: "Clémence Aubry", email: "c@exemple.fr", role, status: "notified" },
    ],
  } as unknown as Envelope);

let dashboard: Dashboard;
let calls: URL[];
let refusedPath: string | undefined;

beforeEach(() => {
  act(clearToasts);
  calls = [];
  refusedPath = undefined;
  dashboard = {
    counts: { draft: 2, sent: 7, completed: 48, actionRequired: 3 },
    totalThisMonth: 9,
    periodTotal: 12,
    periodCompleted: 8,
    completionRate: 66.7,
    avgSigningTime: 2.4,
    sparklines: {
      last7: [{ date: "2026-11-21", count: 4 }],
      last30: [{ date: "2026-11-21", count: 4 }],
    },
    standing: {
      lastDraftAt: "2026-11-17T10:00:00Z",
      toCorrect: 0,
      expiringSoon: 2,
      mostUrgentAt: "2026-11-24T22:59:59Z",
    },
    recent: [row({}), row({ id: "e2", title: "Mandat", status: "draft" })],
    notifications: [{ envelope_id: "e3", title: "Congé", completed_at: "2026-11-22T08:14:00Z" }],
  } as unknown as Dashboard;
  vi.spyOn(console, "error").mockImplementation(() => {});
  vi.stubGlobal("open", () => ({ location: { replace: () => {} }, close: () => {} }));
  vi.stubGlobal("fetch", async (address: string) => {
    const url = new URL(address);
    calls.push(url);
    if (refusedPath !== undefined && url.pathname.endsWith(refusedPath))
      return Response.json({}, { status: 500 });
    if (url.pathname.endsWith("/dashboard/")) return Response.json(dashboard);
    if (url.pathname.endsWith("/envelopes/"))
      return Response.json({ count: 0, page: 1, page_size: 5, results: [] });
    return Response.json({ download_url: "/f.pdf" });
  });
});
afterEach(() => vi.unstubAllGlobals());

function show(address = "/dashboard", user = clemence) {
  const client = newClient();
  client.setQueryData(sessionQuery.queryKey, user);
  renderPart(
    <MemoryRouter initialEntries={[address]}>
      <DashboardPage />
      <Address />
    </MemoryRouter>,
    client,
  );
}
function Address() {
  const { search } = useLocation();
  return <output data-testid="address">{decodeURIComponent(search)}</output>;
}

test("a second factor that is missing is asked for, with its day and where to add it", async () => {
  show("/dashboard", { ...clemence, second_factor_by: "2026-11-30T23:00:00Z" });
  await screen.findByText("Second facteur à ajouter avant le 1er décembre 2026");
  expect(screen.getByRole("link", { name: "Ouvrir Sécurité" }).getAttribute("href")).toBe(
    "/settings/security",
  );
  cleanup();
  show();
  await screen.findByText("Bail commercial");
  expect(screen.queryByText(/^Second facteur/)).toBeNull();
});

test("four tiles show the lists' counts and lead to them", async () => {
  show();
  await screen.findByText("Bail commercial");
  for (const [label, count, address] of [
    ["Brouillons", "2", "/signature/envelopes/drafts"],
    ["Envoyées", "7", "/signature/envelopes/sent"],
    ["Complétées", "48", "/signature/envelopes/completed"],
    ["Action requise", "3", "/signature/envelopes/action-required"],
  ] as const) {
    const tile = screen.getByRole("link", { name: new RegExp(`^${label}`) });
    expect(tile.getAttribute("href")).toBe(address);
    expect(tile.textContent).toContain(count);
  }
});

test("each tile names the nearest event of its list, with French no-break spaces", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-11-21T12:00:00Z") });
  show();
  await screen.findByText("Dernier modifié le 17 nov.");
  for (const hint of [
    "2 arrivent à échéance",
    "Délai moyen\u00a0: 2,4 jours",
    "La plus urgente\u00a0: mardi 24",
  ])
    expect(document.body.textContent).toContain(hint);
  vi.useRealTimers();
});

test.each([
  [1, ["signer"], "Un document attend votre signature."],
  [1, ["visa"], "Un document attend votre visa."],
  [3, ["visa", "visa", "visa"], "Trois documents attendent votre visa."],
  [2, ["visa", "signer"], "Deux documents vous attendent."],
  [12, ["signer"], "12 documents vous attendent."],
] as const)(
  "the heading says that %i documents await the user, of them %j",
  async (actionRequired, roles, sentence) => {
    const recent = roles.map((role, index) => awaited(`a${index}`, role));
    dashboard = { ...dashboard, counts: { ...dashboard.counts, actionRequired }, recent };
    show();
    await screen.findByText((text) => text.endsWith(`. ${sentence}`));
  },
);

test("the signature that awaits somebody else does not hide one's own visa", async () => {
  const one = awaited("a0", "visa");
  const other = { ...one.recipients[0], id: "r2", email: "", role: "signer" };
  const recent = [{ ...one, recipients: [other, ...one.recipients] } as Envelope];
  dashboard = { ...dashboard, counts: { ...dashboard.counts, actionRequired: 1 }, recent };
  show();
  await screen.findByText(/Un document attend votre visa\.$/);
});

test.each([
  [1, /^1\sdocument renvoyé à corriger$/],
  [2, /^2\sdocuments renvoyés à corriger$/],
])("%i returned documents are announced, with the way to the drafts", async (count, words) => {
  dashboard = { ...dashboard, standing: { ...dashboard.standing, toCorrect: count } };
  show();
  await screen.findByText(words);
  const drafts = screen.getByRole("link", { name: "Ouvrir les brouillons" });
  expect(drafts.getAttribute("href")).toBe("/signature/envelopes/drafts");
});

test("without a returned document nothing is announced", async () => {
  show();
  await screen.findByText("Bail commercial");
  expect(screen.queryByText(/à corriger/)).toBeNull();
});

test("a tile says when its list has no near deadline", async () => {
  dashboard = {
    ...dashboard,
    standing: {
      lastDraftAt: "2025-12-01T10:00:00Z",
      toCorrect: 0,
      expiringSoon: 0,
      mostUrgentAt: null,
    },
  };
  show();
  for (const hint of [
    "Dernier modifié le 1er déc. 2025",
    "Aucune échéance proche",
    "Sans échéance",
  ])
    await screen.findByText(hint);
});

test("a tile says when its list is empty", async () => {
  dashboard = { ...dashboard, counts: { draft: 0, sent: 0, completed: 0, actionRequired: 0 } };
  show();
  for (const [hint, times] of [
    ["Aucun", 1],
    ["Aucune en attente", 1],
    ["Aucune", 1],
    ["Rien à signer", 1],
  ] as const)
    expect(await screen.findAllByText(hint)).toHaveLength(times);
});

test("the tile of an unconfirmed address says what it waits for, not that nothing waits", async () => {
  dashboard = { ...dashboard, counts: { ...dashboard.counts, actionRequired: 0 } };
  show("/dashboard", { ...clemence, email_confirmed: false });
  await screen.findByText("Bail commercial");
  const tile = screen.getByRole("link", { name: /^Action requise/ });
  expect(tile.textContent).toBe("Action requise–Adresse à confirmer");
  expect(tile.getAttribute("href")).toBe("/profile");
});

test("'Plus de stats' reveals the period, the rate and two curves; 'Moins de stats' hides them", async () => {
  show();
  await pressFound("Plus de stats");
  for (const name of ["Ce mois", "90 jours", "Personnalisé"])
    expect(screen.getByRole("button", { name })).toBeDefined();
  const period = screen.getByRole("link", { name: /^Période/ });
  expect(period.getAttribute("href")).toBe("/signature/envelopes");
  expect(period.textContent).toContain("12");
  expect(screen.getByText("Taux compl.").closest("div")?.parentElement?.textContent).toContain(
    "66,7",
  );
  expect(screen.getByText("8 sur 12")).toBeDefined();
  expect(screen.getByRole("img", { name: /^7 derniers jours/ })).toBeDefined();
  expect(screen.getByRole("img", { name: /^30 derniers jours/ })).toBeDefined();
  await press("Moins de stats");
  expect(screen.queryByText("Taux compl.")).toBeNull();
});

test("open statistics stand in the address, so that a reload and Back find them open", async () => {
  show("/dashboard?status=draft");
  await pressFound("Plus de stats");
  expect(screen.getByTestId("address").textContent).toBe("?status=draft&stats=plus");
  cleanup();
  show("/dashboard?status=draft&stats=plus");
  await pressFound("Moins de stats");
  expect(screen.getByTestId("address").textContent).toBe("?status=draft");
});

test("a custom period filters only with both its dates", async () => {
  show();
  await pressFound("Plus de stats");
  await press("Personnalisé");
  await userEvent.type(screen.getByLabelText("Date de début"), "01/11/2026");
  expect(calls.at(-1)?.searchParams.get("from")).toBeNull();
  await userEvent.type(screen.getByLabelText("Date de fin"), "20/11/2026");
  await vi.waitFor(() =>
    expect(calls.filter(({ pathname }) => pathname.endsWith("/dashboard/")).at(-1)?.search).toBe(
      "?from=2026-11-01&to=2026-11-20",
    ),
  );
});

test("'Documents récents' has the specification's columns, filters and search", async () => {
  show();
  const table = await screen.findByRole("table", { name: "Documents récents" });
  expect(
    within(table)
      .getAllByRole("columnheader")
      .map(({ textContent }) => textContent),
  ).toEqual(["Titre", "Statut", "Progression", "Signataires", "Créé le", "Échéance", "Actions"]);
  expect(within(table).getAllByText("1/2").length).toBeGreaterThan(0);
  expect(within(table).getAllByText(/50\s%/).length).toBeGreaterThan(0);
  const options = [...screen.getByLabelText<HTMLSelectElement>("Filtrer par statut").options].map(
    ({ text }) => text,
  );
  expect(options).toEqual(["Tous", "Brouillons", "Envoyées", "Complétées", "Action requise"]);
  const box = screen.getByPlaceholderText("Rechercher...");
  // The search box is not printed.
  expect(box.closest("search")?.classList.contains("off-paper")).toBe(true);
  for (const name of ["Prévisualiser Mandat", "Télécharger Mandat"])
    expect(screen.getByRole("button", { name })).toBeDefined();
});

test("no recent document and no matching one read differently", async () => {
  dashboard = { ...dashboard, recent: [] };
  show();
  await screen.findByText("Aucun document récent trouvé.");
  expect(
    screen
      .getAllByRole("link", { name: "Demander signature" })
      .map((link) => link.getAttribute("href")),
  ).toContain("/signature/upload");
  expect(screen.getByText("Aucun document")).toBeDefined();
  await userEvent.selectOptions(screen.getByLabelText("Filtrer par statut"), "Complétées");
  await screen.findByText("Aucun document ne correspond à vos critères.");
  const asked = calls.find(({ pathname }) => pathname.endsWith("/envelopes/"));
  expect(Object.fromEntries(asked?.searchParams ?? [])).toEqual({
    status: "completed",
    page_size: "5",
    ordering: "-created_at",
  });
});

test("'Tous' finds the user's own and received documents, each once", async () => {
  const network = fetch;
  vi.stubGlobal("fetch", async (address: string, options: object) => {
    const { pathname, searchParams } = new URL(address);
    if (!pathname.endsWith("/envelopes/")) return network(address, options);
    const received = row({
      id: "e9",
      title: "Bail reçu",
      is_owner: false,
      status: "action_required",
      created_at: "2026-11-21T09:00:00Z",
    });
    return Response.json({
      count: 1,
      page: 1,
      page_size: 5,
      results: searchParams.get("status") === "completed" ? [] : [received],
    });
  });
  show();
  await userEvent.type(await screen.findByLabelText("Rechercher un document par titre"), "bail");
  expect(await screen.findAllByText("Bail reçu")).toHaveLength(1);
});

test("a failed search says so in its place and offers a retry", async () => {
  show();
  await screen.findByText("Bail commercial");
  refusedPath = "/envelopes/";
  await userEvent.selectOptions(screen.getByLabelText("Filtrer par statut"), "Envoyées");
  expect((await screen.findByRole("alert")).textContent).toContain("La recherche n’a pas abouti.");
  expect(screen.queryByLabelText("Chargement du tableau de bord")).toBeNull();
  refusedPath = undefined;
  await press("Réessayer");
  await screen.findByText("Aucun document ne correspond à vos critères.");
});

test("'Notifications récentes' dates each completed document", async () => {
  show();
  const section = (await screen.findByRole("heading", { name: "Notifications récentes" })).closest(
    "section",
  ) as HTMLElement;
  expect(
    within(section).getByRole("link", { name: 'Document "Congé" complété' }).getAttribute("href"),
  ).toBe("/signature/detail/e3");
  expect(section.querySelector("time")?.dateTime).toBe("2026-11-22T08:14:00Z");
});

test("a failed load says 'Échec du chargement du tableau de bord'", async () => {
  refusedPath = "/dashboard/";
  show();
  expect((await screen.findByRole("alert")).textContent).toContain(
    "Échec du chargement du tableau de bord",
  );
  expect(toasts()).toEqual(["Échec du chargement du tableau de bord"]);
});

test.each([
  ["Prévisualiser Mandat", "Impossible de prévisualiser le PDF"],
  ["Télécharger Mandat", "Échec du téléchargement du document"],
])("the refused action « %s » says '%s'", async (name, sentence) => {
  refusedPath = "/download/";
  show();
  await userEvent.click(await screen.findByRole("button", { name }));
  await vi.waitFor(() => expect(toasts()).toEqual([sentence]));
});

test("on a small screen rows are cards that expand and collapse", async () => {
  vi.stubGlobal("matchMedia", (query: string) => ({
    matches: query.includes("767"),
    addEventListener: () => {},
    removeEventListener: () => {},
  }));
  show();
  await pressFound("Développer Mandat");
  expect(screen.getByRole("button", { name: "Réduire Mandat" }).getAttribute("aria-expanded")).toBe(
    "true",
  );
});

test("the filter and the search stand in the address, and a reload finds them", async () => {
  show();
  await screen.findByText("Bail commercial");
  await userEvent.selectOptions(screen.getByLabelText("Filtrer par statut"), "draft");
  await userEvent.type(screen.getByLabelText("Rechercher un document par titre"), "bail");
  await waitFor(() =>
    expect(screen.getByTestId("address").textContent).toBe("?status=draft&search=bail"),
  );
  await pressFound("Effacer les filtres");
  await waitFor(() => expect(screen.getByTestId("address").textContent).toBe(""));
  cleanup();
  calls = [];
  show("/dashboard?status=sent&search=congé");
  await screen.findByText("Aucun document ne correspond à vos critères.");
  expect(screen.getByLabelText<HTMLSelectElement>("Filtrer par statut").value).toBe("sent");
  expect(screen.getByLabelText<HTMLInputElement>("Rechercher un document par titre").value).toBe(
    "congé",
  );
  const asked = calls.find(({ pathname }) => pathname.endsWith("/envelopes/"));
  expect([asked?.searchParams.get("status"), asked?.searchParams.get("search")]).toEqual([
    "sent",
    "congé",
  ]);
});
