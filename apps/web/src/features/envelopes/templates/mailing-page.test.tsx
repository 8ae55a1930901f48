import type { Mailing, MailingRow, Template } from "@paraphe/contracts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter } from "react-router";
import { afterEach, expect, it, vi } from "vitest";
import { clemence, serve } from "../../accounts/settings/testing/open-page.tsx";
import { sessionQuery } from "../../accounts/use-session.ts";
import { MailingPage } from "./mailing-page.tsx";

const LETTER: Template = {
  id: "t1",
  name: "Lettre",
  title: "Lettre de mission",
  message: null,
  flow: "parallel",
  document_kind: null,
  circuit: null,
  documents: [{ name: "Lettre.pdf", size: 5_000, page_count: 2 }],
  roles: [
    { label: "Client", role: "signer", order: 1, field_count: 1 },
    { label: "Associé", role: "signer", order: 1, field_count: 1 },
  ],
  field_count: 2,
  texts: [],
  created_at: "2026-11-20T10:00:00Z",
  updated_at: "2026-11-21T10:00:00Z",
};
const column = (heading: string, target: string | null) => ({ heading, samples: ["x"], target });
const MAILING: Mailing = {
  id: "m1",
  template: "t1",
  template_name: "Lettre",
  file_name: "clients.csv",
  separator: ";",
  encoding: "utf-8",
  state: "ready",
  pause: null,
  columns: [column("Nom", "name:0"), column("Courriel", "email:0")],
  people: [],
  deadline_days: null,
  faults: [],
  total: 3,
  ready: 3,
  refused: 0,
  doubles: 0,
  left: 0,
  stopped: 0,
  sent: 0,
  failed: 0,
  created_at: "2026-11-21T10:00:00Z",
  started_at: null,
  finished_at: null,
  available_until: null,
};
const ROW: MailingRow = {
  line: 3,
  cells: ["Théo", "theo@exemple.fr"],
  state: "failed",
  note: "Le serveur de l’adresse n’existe pas",
  column: null,
  envelope_id: null,
};
const ONE = "/api/signature/mailings/m1/";
const page = (results: readonly unknown[]) => ({
  status: 200,
  body: { count: results.length, page: 1, page_size: 50, results },
});

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function open(mailing: Partial<Mailing>, answers: Parameters<typeof serve>[0] = {}) {
  const calls = serve({
    "GET /api/signature/templates/": { status: 200, body: { count: 1, results: [LETTER] } },
    [`GET ${ONE}`]: { status: 200, body: { ...MAILING, ...mailing } },
    ...answers,
  });
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  client.setQueryData(sessionQuery.queryKey, clemence);
  render(
    <QueryClientProvider client={client}>
      <MemoryRouter initialEntries={["/signature/templates/t1/csv?envoi=m1"]}>
        <MailingPage templateId="t1" />
      </MemoryRouter>
    </QueryClientProvider>,
  );
  return calls;
}

it("a role without a column waits for one person of all lines, who are then sent with the columns", async () => {
  const user = userEvent.setup();
  const calls = open({}, { [`PUT ${ONE}plan/`]: { status: 200, body: MAILING } });
  await screen.findByText("Aucune colonne ne donne l’adresse email de « Associé ».");
  const check = () => screen.getAllByRole("button", { name: "Contrôler 3 lignes" })[0];
  await user.click(check() as HTMLElement);
  expect(calls.some(({ method }) => method === "PUT")).toBe(false);
  await user.click(screen.getByRole("button", { name: /^C’est moi/ }));
  await user.selectOptions(screen.getByLabelText("Échéance"), "14");
  await user.click(check() as HTMLElement);
  await vi.waitFor(() =>
    expect(calls.find(({ method }) => method === "PUT")?.body).toEqual({
      columns: ["name:0", "email:0"],
      people: [
        {
          role_index: 1,
          full_name: "Clémence Aubry-Lefèvre",
          email: "clemence@exemple.fr",
          phone_number: null,
        },
      ],
      deadline_days: 14,
    }),
  );
});

it("a line whose people the circuit names says so", async () => {
  const template = { ...LETTER, roles: [], circuit: { name: "Baux" } };
  const mailing = { ...MAILING, columns: [column("Titre", "title")] };
  open(mailing, {
    "GET /api/signature/templates/": { status: 200, body: { count: 1, results: [template] } },
    [`PUT ${ONE}plan/`]: { status: 200, body: mailing },
    [`GET ${ONE}rows/`]: page([{ ...ROW, state: "ready", note: null, cells: ["Lettre"] }]),
  });
  const [check] = await screen.findAllByRole("button", { name: "Contrôler 3 lignes" });
  await userEvent.setup().click(check as HTMLElement);
  expect(await screen.findByText("Ceux du circuit")).toBeTruthy();
  expect(screen.queryByText("(vide)")).toBeNull();
});

it("a paused mailing says why and when it goes on, and can be stopped", async () => {
  const user = userEvent.setup();
  const detail = "Trop de messages sont déjà partis de votre compte aujourd’hui.";
  const pause = { until: "2026-11-22T08:00:00Z", detail };
  const calls = open(
    { state: "paused", pause, sent: 1, ready: 2 },
    {
      [`POST ${ONE}stop/`]: { status: 200, body: { ...MAILING, state: "done", sent: 1, left: 2 } },
    },
  );
  await screen.findByText(detail);
  screen.getByRole("heading", { level: 1, name: "Envoi en pause" });
  screen.getByText("1 enveloppe sur 3");
  await user.click(screen.getByRole("button", { name: "Arrêter l’envoi" }));
  await screen.findByRole("heading", { level: 1, name: "1 enveloppe envoyée" });
  expect(calls.some(({ path }) => path === `${ONE}stop/`)).toBe(true);
});

it("a line that failed is corrected and leaves again", async () => {
  const user = userEvent.setup();
  const calls = open(
    { state: "done", sent: 2, failed: 1, ready: 0 },
    {
      [`GET ${ONE}rows/`]: page([ROW]),
      [`PATCH ${ONE}rows/3/`]: { status: 200, body: { ...ROW, state: "ready", note: null } },
      [`POST ${ONE}start/`]: { status: 202, body: { ...MAILING, state: "running" } },
    },
  );
  await screen.findByRole("heading", { level: 1, name: "2 enveloppes envoyées, 1 en échec" });
  await user.click(await screen.findByRole("button", { name: "Corriger et renvoyer la ligne 3" }));
  const email = screen.getByLabelText("Client : email");
  await user.clear(email);
  await user.type(email, "theo@exemple.org");
  await user.click(screen.getByRole("button", { name: "Enregistrer et envoyer" }));
  await screen.findByRole("heading", { level: 1, name: "Envoi en cours" });
  const sent = calls.filter(({ method }) => method !== "GET").map(({ body }) => body);
  expect(sent).toEqual([{ cells: ["Théo", "theo@exemple.org"], choice: null }, { retry: false }]);
});

it("lines left aside leave from the finished page, each by its own choice, without a dead button", async () => {
  const user = userEvent.setup();
  const left: MailingRow = { ...ROW, line: 2, state: "left", note: null };
  const double: MailingRow = { ...ROW, line: 4, state: "double", note: "Déjà à la ligne 1" };
  const wrong: MailingRow = { ...ROW, line: 5, state: "refused", note: "Nom absent" };
  const sent: MailingRow = { ...ROW, line: 1, state: "sent", note: null };
  const calls = open(
    { state: "done", total: 4, sent: 1, left: 1, doubles: 1, refused: 1, ready: 0 },
    {
      [`GET ${ONE}rows/`]: page([wrong, double, left, sent]),
      [`PATCH ${ONE}rows/2/`]: { status: 200, body: { ...wrong, line: 2 } },
      [`PATCH ${ONE}rows/4/`]: { status: 200, body: { ...double, state: "ready", note: null } },
      [`POST ${ONE}start/`]: { status: 202, body: { ...MAILING, state: "running" } },
    },
  );
  await screen.findByRole("heading", { level: 2, name: "Lignes laissées de côté" });
  await screen.findByText("Laissée de côté");
  expect(screen.queryByText("Ligne 1")).toBeNull();
  expect(screen.queryByRole("button", { name: /^(Envoyer les lignes|Réessayer)/ })).toBeNull();
  await user.click(screen.getByRole("button", { name: "Envoyer la ligne 2" }));
  await vi.waitFor(() => expect(calls.filter(({ method }) => method === "PATCH")).toHaveLength(1));
  expect(calls.some(({ method }) => method === "POST")).toBe(false);
  screen.getByRole("button", { name: "Corriger la ligne 5" });
  await user.click(await screen.findByRole("button", { name: "Envoyer quand même la ligne 4" }));
  await screen.findByRole("heading", { level: 1, name: "Envoi en cours" });
  expect(calls.filter(({ method }) => method !== "GET").map(({ body }) => body)).toEqual([
    { choice: null },
    { choice: "send" },
    { retry: false },
  ]);
});

it("stopped lines leave again together", async () => {
  const stopped: MailingRow = { ...ROW, state: "left", note: "Envoi arrêté avant cette ligne" };
  const calls = open(
    { state: "done", sent: 1, left: 2, stopped: 1, ready: 0 },
    {
      [`GET ${ONE}rows/`]: page([stopped]),
      [`POST ${ONE}start/`]: { status: 202, body: { ...MAILING, state: "running" } },
    },
  );
  await userEvent
    .setup()
    .click(await screen.findByRole("button", { name: "Envoyer les lignes arrêtées" }));
  await screen.findByRole("heading", { level: 1, name: "Envoi en cours" });
  expect(calls.findLast(({ method }) => method === "POST")?.body).toEqual({ retry: true });
});

it("a line with too many cells shows them all, and each line its number on a phone", async () => {
  vi.stubGlobal("matchMedia", () => ({
    matches: true,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  }));
  const user = userEvent.setup();
  const people = [
    { role_index: 1, full_name: "Ana Prado", email: "ana@exemple.fr", phone_number: null },
  ];
  const columns = [...MAILING.columns, column("Réf.", null)];
  const checked = { ...MAILING, people, columns, ready: 2, refused: 1 };
  const cells = ["Théo", "theo@exemple.fr", "C-1", "reste"];
  const note = "4 cellules pour 3 colonnes";
  const calls = open(
    { people, columns },
    {
      [`PUT ${ONE}plan/`]: { status: 200, body: checked },
      [`GET ${ONE}rows/`]: page([{ ...ROW, state: "refused", note, cells }]),
      [`PATCH ${ONE}rows/3/`]: { status: 200, body: { ...ROW, state: "ready", note: null } },
    },
  );
  const [check] = await screen.findAllByRole("button", { name: "Contrôler 3 lignes" });
  await user.click(check as HTMLElement);
  const [correct] = await screen.findAllByRole("button", { name: "Corriger la ligne 3" });
  screen.getByText("Ligne 3");
  await user.click(correct as HTMLElement);
  expect(screen.getAllByRole("textbox").map((one) => (one as HTMLInputElement).value)).toEqual(
    cells,
  );
  await user.clear(screen.getByLabelText("Réf."));
  await user.click(screen.getByRole("button", { name: "Vider 1 cellule en trop" }));
  expect(screen.queryByText(note, { selector: "dialog *" })).toBeNull();
  expect(document.activeElement).toBe(screen.getByLabelText("Client : nom"));
  expect(screen.queryByRole("button", { name: /en trop/ })).toBeNull();
  await user.click(screen.getByRole("button", { name: "Enregistrer" }));
  await vi.waitFor(() =>
    expect(calls.find(({ method }) => method === "PATCH")?.body).toEqual({
      cells: ["Théo", "theo@exemple.fr"],
      choice: null,
    }),
  );
  await user.click(
    screen.getAllByRole("button", { name: "Corriger la ligne 3" })[0] as HTMLElement,
  );
  await user.click(screen.getByRole("button", { name: "Laisser de côté" }));
  await vi.waitFor(() =>
    expect(calls.findLast(({ method }) => method === "PATCH")?.body).toEqual({ choice: "leave" }),
  );
});
