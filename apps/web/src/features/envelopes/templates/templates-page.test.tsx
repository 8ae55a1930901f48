import type { Template } from "@paraphe/contracts";
import { cleanup, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { ofName } from "@paraphe/kernel/french-words";
import { act } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { clearToasts } from "../../../ui/toast/toast-store.ts";
import { clemence, openPage, serve } from "../../accounts/settings/testing/open-page.tsx";
import { press } from "../../accounts/testing/forms.ts";
import { SaveTemplateDialog } from "./save-template-dialog.tsx";
import { TemplatesPage } from "./templates-page.tsx";

const LIST = "/api/signature/templates/";
const BAIL: Template = {
  id: "t1",
  name: "Bail vide",
  title: "Bail d’habitation",
  message: null,
  flow: "sequential",
  document_kind: null,
  circuit: null,
  documents: [{ name: "Bail.pdf", size: 5_000, page_count: 2 }],
  roles: [
    { label: "Locataire", role: "signer", order: 1, field_count: 2 },
    { label: "Bailleur", role: "approver", order: 2, field_count: 0 },
  ],
  field_count: 2,
  texts: [],
  created_at: "2026-11-20T10:00:00Z",
  updated_at: "2026-11-21T10:00:00Z",
};
const button = (name: string) => screen.getByRole("button", { name });
afterEach(() => {
  cleanup();
  act(clearToasts);
  vi.unstubAllGlobals();
});

it("an empty list says how to make a template, and a failed load offers a retry", async () => {
  serve({ [`GET ${LIST}`]: { status: 200, body: { count: 0, results: [] } } });
  openPage(<TemplatesPage />);
  await screen.findByText("Aucun modèle");
  expect(
    screen.getByText(
      "Préparez une enveloppe, puis enregistrez-la comme modèle à la dernière étape.",
    ),
  ).toBeTruthy();
  cleanup();
  serve({ [`GET ${LIST}`]: { status: 500, body: {} } });
  openPage(<TemplatesPage />);
  await screen.findByText("Vos modèles n’ont pas pu être chargés.");
  expect(button("Réessayer")).toBeTruthy();
});

it("a team's template names it, is found by its name and narrowed to it", async () => {
  const user = userEvent.setup();
  const voirie = { id: "0192f0c1-0000-7000-8000-00000000000a", name: "Voirie" };
  const shared = { ...BAIL, id: "t2", name: "Permission", team: voirie };
  serve({ [`GET ${LIST}`]: { status: 200, body: { count: 2, results: [BAIL, shared] } } });
  openPage(<TemplatesPage />, { ...clemence, teams: [voirie] });
  await screen.findByText("Service Voirie · Bail.pdf · 2 champs");
  const names = () =>
    screen
      .getAllByRole("button", { name: /^Utiliser/ })
      .map((use) => use.getAttribute("aria-label"));
  const box = screen.getByLabelText("Rechercher un modèle par nom");
  await user.type(box, "voirie{Enter}");
  expect(names()).toEqual(["Utiliser Permission"]);
  await user.clear(box);
  await user.type(box, "{Enter}");
  const narrow = async (choice: string) => {
    await user.click(screen.getByRole("button", { name: /^Filtrer/ }));
    await user.selectOptions(await screen.findByLabelText("Partage"), choice);
    await user.click(await screen.findByRole("button", { name: "Voir 1 modèle" }));
  };
  await narrow("À moi");
  expect(names()).toEqual(["Utiliser Bail vide"]);
  await narrow("Service Voirie");
  expect(names()).toEqual(["Utiliser Permission"]);
});

it("a template says that its circuit names the people", async () => {
  const fixed = { ...BAIL, roles: [], circuit: { name: "Délibération" } };
  serve({ [`GET ${LIST}`]: { status: 200, body: { count: 1, results: [fixed] } } });
  openPage(<TemplatesPage />);
  expect(await screen.findByText("Ceux du circuit")).toBeTruthy();
  expect(screen.getByText(/ · circuit «\s?Délibération\s?»/u)).toBeTruthy();
});

it("templates are searched, filtered and sorted with the lists' bar", async () => {
  const user = userEvent.setup();
  const old = { ...BAIL, id: "t2", name: "Contrat de dépôt", updated_at: "2020-01-05T10:00:00Z" };
  serve({ [`GET ${LIST}`]: { status: 200, body: { count: 2, results: [BAIL, old] } } });
  openPage(<TemplatesPage />);
  const names = () =>
    screen
      .getAllByRole("button", { name: /^Utiliser/ })
      .map((use) => use.getAttribute("aria-label"));
  await user.selectOptions(await screen.findByLabelText("Trier par"), "Nom, de Z à A");
  expect(names()).toEqual(["Utiliser Contrat de dépôt", "Utiliser Bail vide"]);
  const box = screen.getByLabelText("Rechercher un modèle par nom");
  await user.type(box, "DEPOT{Enter}");
  expect(names()).toEqual(["Utiliser Contrat de dépôt"]);
  await user.click(button("Filtrer"));
  await user.selectOptions(await screen.findByLabelText("Modification"), "Ces 7 derniers jours");
  await user.click(await screen.findByRole("button", { name: "Voir 0 modèle" }));
  expect(screen.getByText("Rien ne correspond à « DEPOT » avec ces filtres.")).toBeTruthy();
  expect(screen.getAllByText(/^\d+\smodèle/).map((one) => one.textContent)).toEqual(["0 modèle"]);
  await user.click(button("Effacer la recherche et les filtres"));
  expect(screen.getByText("2 modèles")).toBeTruthy();
  expect([box, names().length]).toEqual([document.activeElement, 2]);
});

it.each([
  [BAIL.roles, "Indiquez les personnes que le circuit « Baux » ne désigne pas lui-même."],
  [[], "Le circuit « Baux » désigne lui-même les personnes."],
  [BAIL.roles, "Le circuit « Baux » a été supprimé : indiquez toutes les personnes.", "Baux"],
])("a template's circuit says whom it brings", async (roles, words, lost?: string) => {
  const now = lost === undefined ? { circuit: { name: "Baux" } } : { lost_circuit: lost };
  const template = { ...BAIL, roles, ...now };
  serve({ [`GET ${LIST}`]: { status: 200, body: { count: 1, results: [template] } } });
  openPage(<TemplatesPage />);
  await screen.findByText("Bail vide");
  const summary = lost === undefined ? "circuit « Baux »" : "circuit « Baux », supprimé";
  expect(screen.getByText(`Bail.pdf · 2 champs · ${summary}`)).toBeTruthy();
  await press("Utiliser Bail vide");
  expect(await screen.findByText(words)).toBeTruthy();
});

it("each role needs a person before a draft is made, and a refusal stands under its field", async () => {
  const user = userEvent.setup();
  const calls = serve({
    [`GET ${LIST}`]: { status: 200, body: { count: 1, results: [BAIL] } },
    [`POST ${LIST}t1/use/`]: {
      status: 400,
      body: {
        detail: "Corrigez",
        errors: { "recipients.1.email": ["Cette personne figure déjà parmi les destinataires"] },
      },
    },
    "GET /api/signature/recipients/suggestions/": { status: 200, body: { results: [] } },
  });
  openPage(<TemplatesPage />);
  await user.click(await screen.findByRole("button", { name: "Utiliser Bail vide" }));
  const dialog = screen.getByRole("dialog");
  expect([...dialog.querySelectorAll("legend")].map((legend) => legend.textContent)).toEqual([
    "Locataire (signataire, 2 champs)",
    "Bailleur (approbateur)",
  ]);
  await user.click(button("Créer le brouillon"));
  expect(within(dialog).getAllByText("Nom requis")).toHaveLength(2);
  expect(calls.filter((call) => call.method === "POST")).toEqual([]);
  await user.click(within(dialog).getByRole("button", { name: /C’est moi.*Bailleur/ }));
  expect(within(dialog).getAllByText("Nom requis")).toHaveLength(1);
  await user.type(within(dialog).getAllByLabelText("Nom")[0] as HTMLElement, "Camille Roux");
  await user.type(
    within(dialog).getAllByLabelText("Email")[0] as HTMLElement,
    "camille@exemple.fr",
  );
  await user.click(button("Créer le brouillon"));
  await within(dialog).findByText("Cette personne figure déjà parmi les destinataires");
  expect(calls.find((call) => call.path.endsWith("/use/"))?.body).toEqual({
    title: "Bail vide",
    people: [
      { role_index: 0, full_name: "Camille Roux", email: "camille@exemple.fr", phone_number: null },
      {
        role_index: 1,
        full_name: "Clémence Aubry-Lefèvre",
        email: "clemence@exemple.fr",
        phone_number: null,
      },
    ],
  });
});

it("a template opens the draft it made", async () => {
  const user = userEvent.setup();
  serve({
    [`GET ${LIST}`]: { status: 200, body: { count: 1, results: [{ ...BAIL, roles: [] }] } },
    [`POST ${LIST}t1/use/`]: { status: 201, body: { id: "e9" } },
  });
  openPage(<TemplatesPage />);
  await user.click(await screen.findByRole("button", { name: "Utiliser Bail vide" }));
  await user.click(button("Créer le brouillon"));
  await screen.findByText("Arrivée");
});

it("a template is renamed to a unique name, and deleted after a question that focuses « Annuler »", async () => {
  const user = userEvent.setup();
  const calls = serve({
    [`GET ${LIST}`]: { status: 200, body: { count: 1, results: [BAIL] } },
    [`PATCH ${LIST}t1/`]: {
      status: 400,
      body: { errors: { name: ["Un de vos modèles porte déjà ce nom"] } },
    },
    [`DELETE ${LIST}t1/`]: { status: 204 },
  });
  openPage(<TemplatesPage />);
  await user.click(await screen.findByRole("button", { name: "Renommer Bail vide" }));
  const name = screen.getByLabelText("Nom du modèle");
  await user.clear(name);
  await user.keyboard("{Enter}");
  expect(screen.getByText("Nom requis")).toBeTruthy();
  await user.type(name, "Bail meublé{Enter}");
  await screen.findByText("Un de vos modèles porte déjà ce nom");
  await user.click(button("Annuler"));
  await user.click(button("Supprimer Bail vide"));
  expect(document.activeElement?.textContent).toBe("Annuler");
  await user.click(
    within(screen.getByRole("alertdialog")).getByRole("button", { name: "Supprimer" }),
  );
  await vi.waitFor(() => expect(calls.some((call) => call.method === "DELETE")).toBe(true));
});

it("a template is saved with distinct role names", async () => {
  const user = userEvent.setup();
  const calls = serve({
    [`POST ${LIST}`]: {
      status: 409,
      body: { code: "too_many_templates", detail: "Vous avez déjà 100 modèles, le maximum." },
    },
  });
  openPage(
    <SaveTemplateDialog
      title="Bail"
      team={null}
      people={[
        { key: "a", name: "Camille Roux", role: "signer" },
        { key: "b", name: "Paul Morel", role: "signer" },
        { key: "v", name: "Éloïse Lefèvre", role: "visa", isBrought: true },
        { key: "c", name: "Agence", role: "viewer" },
      ]}
      onReady={async () => ({ envelope: "e1", recipients: ["r1", "r2", "v1", "r3"] })}
      onClose={() => undefined}
    />,
  );
  const role = (person: string) =>
    screen.getByLabelText(`Rôle ${ofName(person)}`) as HTMLInputElement;
  expect(screen.queryByLabelText(/Éloïse Lefèvre/)).toBeNull();
  expect(screen.getByText(/Le circuit reste aussi/)).toBeTruthy();
  expect([role("Camille Roux").value, role("Paul Morel").value, role("Agence").value]).toEqual([
    "Signataire 1",
    "Signataire 2",
    "Copie 1",
  ]);
  await user.clear(role("Paul Morel"));
  await user.type(role("Paul Morel"), "SIGNATAIRE 1");
  await user.click(button("Enregistrer le modèle"));
  expect(screen.getByText("Ce nom de rôle est déjà pris")).toBeTruthy();
  expect(calls).toEqual([]);
  await user.clear(role("Paul Morel"));
  await user.type(role("Paul Morel"), "Bailleur");
  await user.click(button("Enregistrer le modèle"));
  await screen.findByText("Vous avez déjà 100 modèles, le maximum.");
  expect(calls.find((call) => call.method === "POST")?.body).toEqual({
    envelope: "e1",
    name: "Bail",
    roles: [
      { recipient: "r1", label: "Signataire 1" },
      { recipient: "r2", label: "Bailleur" },
      { recipient: "r3", label: "Copie 1" },
    ],
    team: null,
  });
});
