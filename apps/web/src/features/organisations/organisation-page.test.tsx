import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clemence, openPage, serve } from "../accounts/settings/testing/open-page.tsx";
import { fill, press } from "../accounts/testing/forms.ts";
import { SettingsPage } from "../accounts/settings/settings-page.tsx";
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
  ]);
});
