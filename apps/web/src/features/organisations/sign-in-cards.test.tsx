import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { reportTrial } from "../accounts/login/provider-calls.ts";
import { clemence, openPage, serve } from "../accounts/settings/testing/open-page.tsx";
import { fill, press } from "../accounts/testing/forms.ts";
import { SignInCards } from "./sign-in-cards.tsx";

const ADDRESSES = { return: "https://p.fr/auth/oidc/retour", logout: "https://p.fr/auth/oidc/d" };
const LIST = {
  oidc: null,
  proconnect: null,
  addresses: { oidc: ADDRESSES, proconnect: ADDRESSES },
};
const STORED = {
  issuer: "https://login.cabinet-aubry.fr/realms/cabinet",
  client_id: "paraphe",
  label: "Compte du cabinet",
  domains: ["cabinet-aubry.fr"],
  arrival_role: "member",
  role_claim: "groups",
  is_only_way: false,
  version: 3,
  secret_saved_at: "2026-03-03T10:00:00.000Z",
  tested_at: null,
  trial_failure: null,
};
const GET = "GET /api/organisation/providers/";
const PUT = "PUT /api/organisation/providers/oidc/";

let answers: Parameters<typeof serve>[0];
let calls: ReturnType<typeof serve>;
beforeEach(() => {
  answers = { [GET]: { status: 200, body: LIST } };
  calls = serve(answers);
});
afterEach(() => vi.unstubAllGlobals());

const open = () =>
  openPage(<SignInCards organisation="Cabinet Aubry" />, {
    ...clemence,
    organisation_role: "administrator",
  });
const puts = () => calls.filter(({ method }) => method === "PUT").map(({ body }) => body);

test("what is missing or wrong is said under its field, and nothing is sent", async () => {
  open();
  await fill(await screen.findByLabelText("Adresse du fournisseur"), "http://localhost");
  await press("Enregistrer");
  expect(await screen.findByText(/^Indiquez une adresse en https/)).toBeDefined();
  expect(screen.getByText("Identifiant requis")).toBeDefined();
  expect(screen.getByText("Secret requis")).toBeDefined();
  expect(puts()).toEqual([]);
});

test("an empty secret is not sent, and the only way waits for a trial", async () => {
  answers[GET] = { status: 200, body: { ...LIST, oidc: STORED } };
  answers[PUT] = { status: 200, body: { ...LIST, oidc: { ...STORED, version: 4 } } };
  open();
  const only = await screen.findByRole("checkbox", { name: /^Seul moyen/ });
  expect((only as HTMLInputElement).disabled).toBe(true);
  await userEvent.selectOptions(screen.getByLabelText("Rôle d’après l’attribut"), "roles");
  await press("Enregistrer");
  await screen.findByRole("link", { name: /Essayer la connexion/ });
  const { secret_saved_at: _at, tested_at: _tested, trial_failure: _failed, ...sent } = STORED;
  expect(puts()).toEqual([{ ...sent, role_claim: "roles" }]);
});

test("a trial in its window is reported here, with the provider’s own code", async () => {
  answers[GET] = { status: 200, body: { ...LIST, oidc: STORED } };
  open();
  await screen.findByRole("link", { name: /Essayer la connexion/ });
  const sentence = "Le fournisseur login.fr a répondu « invalid_client ».";
  reportTrial({ provider: "oidc", sentence });
  expect(await screen.findByText("L’essai n’a pas abouti")).toBeDefined();
  expect(screen.getByText(sentence)).toBeDefined();
});

test("a trial that failed before is told again, with its time", async () => {
  const sentence = "Le compte Cabinet Aubry ne répond pas\u00a0: la connexion est refusée.";
  const trial_failure = { at: "2026-03-04T10:00:00.000Z", sentence };
  answers[GET] = { status: 200, body: { ...LIST, oidc: { ...STORED, trial_failure } } };
  open();
  expect(await screen.findByText(/ne répond pas\s: la connexion est refusée\.$/)).toBeDefined();
  expect(screen.getByText(/^Dernier essai le 4\smars.*, sans succès\./)).toBeDefined();
});

test("the address to declare comes first, with where each provider has its values and what members will see", async () => {
  answers[GET] = { status: 200, body: { ...LIST, oidc: STORED } };
  open();
  const address = await screen.findByText(ADDRESSES.return);
  const issuer = screen.getByLabelText("Adresse du fournisseur");
  expect(address.compareDocumentPosition(issuer)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
  const guide = screen.getByText("Où trouver les trois valeurs à saisir ici").closest("details");
  expect([...(guide?.querySelectorAll("dt") ?? [])].map(({ textContent }) => textContent)).toEqual([
    "Keycloak",
    "Microsoft Entra",
    "Google",
  ]);
  screen.getByText(/^Pas encore essayée\. .*« Compte du cabinet »/);
});
