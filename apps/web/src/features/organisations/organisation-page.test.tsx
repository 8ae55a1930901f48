import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { clemence, openPage, serve } from "../accounts/settings/testing/open-page.tsx";
import { fill, press } from "../accounts/testing/forms.ts";
import { SettingsPage } from "../accounts/settings/settings-page.tsx";
import { CircuitEditor } from "./circuit-editor.tsx";
import { CircuitsPage } from "./circuits-page.tsx";
import { OrganisationPage } from "./organisation-page.tsx";

const ADMINISTRATOR = { ...clemence, organisation_role: "administrator" } as const;
const SETTINGS = {
  version: 4,
  identity: {
    name: "Cabinet Aubry & Associés",
    legal_form: "SELARL",
    address: "14 rue aux Juifs, 76000 Rouen",
    siret: "73282932000074",
    representative: null,
    contact_email: "contact@cabinet-aubry.fr",
    dpo_email: null,
  },
  registration: { kind: "closed", domains: [], is_chosen: true },
  appearance: { colour: "#6b1f3a", logo: null },
  mails: { sender_name: null, reply_to: null, footer: null, address: "paraphe@exemple.fr" },
  access: {
    second_factor_by: null,
    confirms_signatures: false,
    password_min_length: null,
    service_password_min_length: 5,
    idle_hours: null,
  },
  mailbox: null,
};
const GET = "GET /api/organisation/settings/";

let answers: Parameters<typeof serve>[0];
let calls: ReturnType<typeof serve>;
beforeEach(() => {
  answers = { [GET]: { status: 200, body: SETTINGS } };
  calls = serve(answers);
});
afterEach(() => vi.unstubAllGlobals());

const puts = () => calls.filter(({ method }) => method === "PUT").map(({ body }) => body);

test("a wrong SIRET is refused before it is sent, and leaving unsaved changes asks first", async () => {
  openPage(<OrganisationPage />, ADMINISTRATOR);
  const siret = await screen.findByLabelText(/^SIRET/);
  expect((siret as HTMLInputElement).value.replaceAll("\u00a0", " ")).toBe("732 829 320 00074");
  await userEvent.clear(siret);
  await fill(siret, "732 829 320 00075");
  await press("Enregistrer");
  expect(await screen.findByText(/^Ce numéro n’est pas un SIRET/)).toBeDefined();
  expect(puts()).toEqual([]);
  await userEvent.click(screen.getByRole("link", { name: "Ailleurs" }));
  await press("Rester");
  await press("Annuler");
  await userEvent.click(screen.getByRole("link", { name: "Ailleurs" }));
  expect(await screen.findByText("Arrivée")).toBeDefined();
});

describe("the colours", () => {
  const APPEARANCE = "PUT /api/organisation/appearance/";
  const XMLNS = 'xmlns="http://www.w3.org/2000/svg"';
  const named = (name: string | RegExp) =>
    screen.findByRole("textbox", { name }, { timeout: 10_000 });
  const file = (inside: string, name = "logo.svg") => new File([inside], name);
  const open = async () => {
    openPage(<OrganisationPage />, ADMINISTRATOR, "/settings/organisation/couleurs");
    return named("Couleur des boutons");
  };
  const saveButton = () =>
    within(screen.getByRole("form", { name: "Logo et couleur" })).getByRole("button", {
      name: "Enregistrer",
    });
  const type = async (text: string) => {
    const field = await named("Couleur des boutons");
    await userEvent.clear(field);
    await fill(field, text);
  };

  test("a colour that is too light is refused with its ratio; the nearest one is taken and saved", async () => {
    answers[APPEARANCE] = { status: 200, body: { ...SETTINGS, version: 5 } };
    const field = await open();
    expect(await screen.findByText("11,2 : 1")).toBeDefined();
    await type("#E8923A");
    expect(screen.getByText("2,4 : 1")).toBeDefined();
    expect(screen.getByText("Trop clair pour du texte blanc : il faut 4,5 au moins")).toBeDefined();
    expect(screen.getByText("Choisissez une couleur plus foncée pour enregistrer.")).toBeDefined();
    expect(screen.getByText("Il garde la dernière couleur lisible")).toBeDefined();
    expect(saveButton().getAttribute("aria-disabled")).toBe("true");
    await userEvent.click(saveButton());
    expect(puts()).toEqual([]);
    await press("Prendre celle-ci");
    expect(document.activeElement).toBe(field);
    await userEvent.click(saveButton());
    await vi.waitFor(() => expect((field as HTMLInputElement).value).toBe("#6B1F3A"));
    expect(puts()).toEqual([{ colour: expect.stringMatching(/^#[ab]/), version: 4 }]);
  });

  test("a logo with code is refused when it is chosen, and a plain one is shown before it is saved", async () => {
    await open();
    const input = screen.getByLabelText("Fichier du logo");
    const choose = (chosen: File) => userEvent.upload(input, chosen, { applyAccept: false });
    await choose(file(`<svg ${XMLNS} viewBox="0 0 9 9"><script/></svg>`));
    expect((await screen.findByRole("alert")).textContent).toBe(
      "Ce logo contient du code\u00a0: exportez-le de nouveau en SVG simple ou en PNG.",
    );
    await choose(file("x".repeat(1024 * 1024 + 1)));
    expect((await screen.findByRole("alert")).textContent).toMatch(/^Ce logo est trop lourd/);
    await choose(file(`<svg ${XMLNS} viewBox="0 0 9 9"/>`));
    const shown = await screen.findByRole("img", { name: "Logo de l’organisation" });
    expect(shown.getAttribute("src")).toMatch(/^data:image\/svg\+xml;base64,/);
    expect(screen.queryByRole("alert")).toBeNull();
    await userEvent.click(screen.getByRole("link", { name: "Ailleurs" }));
    await press("Rester");
    await press("Retirer");
    await userEvent.click(screen.getByRole("link", { name: "Ailleurs" }));
    expect(await screen.findByText("Arrivée")).toBeDefined();
  });

  test("a footer with a link is refused under its field, before it is sent", async () => {
    await open();
    const mails = within(screen.getByRole("form", { name: "Emails" }));
    await fill(await named(/^Pied des emails/), "Voir https://exemple.fr");
    await userEvent.click(mails.getByRole("button", { name: "Enregistrer" }));
    expect(
      await mails.findByText("Un pied d’email ne contient ni lien ni adresse de site."),
    ).toBeDefined();
    expect(puts()).toEqual([]);
  });
});

test("whoever is no administrator reads why, and the menu offers no such page", async () => {
  const sentence = "Cette page est réservée aux administrateurs du service.";
  answers[GET] = { status: 403, body: { code: "administrators_only", detail: sentence } };
  openPage(<OrganisationPage />);
  expect(await screen.findByText(sentence)).toBeDefined();
  const menu = within(screen.getByRole("navigation", { name: "Paramètres" }));
  expect(menu.queryByRole("link", { name: "Identité et accès" })).toBeNull();
});

test("the settings' menu has the organisation for an administrator", () => {
  openPage(<SettingsPage />, ADMINISTRATOR);
  const group = within(screen.getByRole("navigation", { name: "Organisation" }));
  expect(group.getAllByRole("link").map((link) => link.getAttribute("href"))).toEqual([
    "/settings/organisation",
    "/settings/membres",
    "/settings/circuits",
  ]);
});

test("a step of a circuit proposes contacts and colleagues, and takes the address with the name", async () => {
  answers["GET /api/organisation/circuits/"] = { status: 200, body: { circuits: [] } };
  answers["GET /api/organisation/teams/"] = { status: 200, body: { teams: [] } };
  answers["GET /api/signature/recipients/suggestions/"] = {
    status: 200,
    body: {
      results: [{ full_name: "Théo Lenoir", email: "theo@exemple.fr", phone_number: null }],
    },
  };
  render(
    <QueryClientProvider client={new QueryClient()}>
      <CircuitEditor circuit={undefined} onLeave={() => undefined} />
    </QueryClientProvider>,
  );
  const [name] = screen.getAllByRole("combobox", { name: "Nom" });
  await userEvent.type(name as HTMLElement, "théo");
  await userEvent.click(await screen.findByRole("option", { name: /Théo Lenoir/ }));
  expect(screen.getAllByLabelText<HTMLInputElement>("Email")[0]?.value).toBe("theo@exemple.fr");
  expect((name as HTMLInputElement).value).toBe("Théo Lenoir");
});

test("a circuit's editor says who keeps the former version once something changed, and shows its folds", async () => {
  answers["GET /api/organisation/teams/"] = { status: 200, body: { teams: [] } };
  const by = { who: "preparer" } as const;
  const rights = {
    together: false,
    may_return: true,
    may_reassign: true,
    days: null,
    remind: null,
  };
  const steps = [{ kind: "signature", by, ...rights }] as const;
  const use = "imposed" as const;
  const circuit = { id: "c1", name: "Baux", use, kinds: ["Bail"], version: 1 };
  render(
    <QueryClientProvider client={new QueryClient()}>
      <CircuitEditor circuit={{ ...circuit, steps: [...steps], running: 18 }} onLeave={vi.fn()} />
    </QueryClientProvider>,
  );
  const kept = () => screen.queryByText(/18 enveloppes en cours gardent la version précédente/);
  expect(kept()).toBeNull();
  expect(screen.getByRole("option", { name: "Fixé pour certains documents" })).toBeTruthy();
  const name = screen.getByLabelText(/Nom du circuit/);
  await userEvent.type(name, "x");
  expect(kept()).toBeTruthy();
  await userEvent.type(name, "{Backspace}");
  expect(kept()).toBeNull();
  const fold = screen.getByRole("button", { name: /^Étape 1/ });
  const drawn = () => fold.querySelector("path")?.getAttribute("d");
  const open = drawn();
  await userEvent.click(fold);
  expect([fold.getAttribute("aria-expanded"), drawn() === open]).toEqual(["false", false]);
});

test("the other party of a circuit gets no right by default", async () => {
  answers["GET /api/organisation/teams/"] = { status: 200, body: { teams: [] } };
  render(
    <QueryClientProvider client={new QueryClient()}>
      <CircuitEditor circuit={undefined} onLeave={() => undefined} />
    </QueryClientProvider>,
  );
  const step = within(screen.getAllByRole("listitem")[1] as HTMLElement);
  const given = () => step.getAllByRole<HTMLInputElement>("checkbox", { name: /^Peut/ });
  const checked = () => given().map((box) => box.checked);
  expect(checked()).toEqual([true, true]);
  await userEvent.selectOptions(step.getByLabelText("Par"), "L’autre partie");
  expect(checked()).toEqual([false, false]);
  await userEvent.click(given()[0] as HTMLElement);
  expect(checked()).toEqual([true, false]);
  await userEvent.selectOptions(step.getByLabelText("Par"), "Qui prépare");
  expect(checked()).toEqual([true, true]);
});

test("the deletion of an imposed circuit says which kinds it frees", async () => {
  const circuit = { id: "c1", name: "Baux", use: "imposed", kinds: ["Bail"], version: 1 };
  const circuits = [{ ...circuit, steps: [], running: 0 }];
  answers["GET /api/organisation/circuits/"] = { status: 200, body: { circuits } };
  openPage(<CircuitsPage />, ADMINISTRATOR, "/settings/circuits");
  await userEvent.click(await screen.findByRole("button", { name: "Supprimer Baux" }));
  expect((await screen.findByRole("alertdialog")).textContent).toContain(
    "Aucun circuit ne sera plus fixé pour «\u00a0Bail\u00a0»\u00a0: un brouillon pourra être envoyé sans ses étapes.",
  );
});
