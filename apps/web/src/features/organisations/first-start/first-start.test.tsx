import type { OrganisationSettings, User } from "@paraphe/contracts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter } from "react-router";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clemence, serve } from "../../accounts/settings/testing/open-page.tsx";
import { fill, press } from "../../accounts/testing/forms.ts";
import { sessionQuery } from "../../accounts/use-session.ts";
import { FirstStartPage } from "./first-start-page.tsx";

const FIRST_START = "/api/signature/first-start/";
const SETTINGS: OrganisationSettings = {
  version: 1,
  identity: null,
  registration: { kind: "closed", domains: [], is_chosen: false },
  appearance: { colour: null, logo: null },
  mails: { sender_name: null, reply_to: null, footer: null, address: "paraphe@localhost" },
  access: {
    second_factor_by: null,
    confirms_signatures: false,
    password_min_length: null,
    service_password_min_length: 5,
    idle_hours: null,
  },
  mailbox: null,
};
const IDENTITY = {
  name: "Cabinet Aubry & Associés",
  legal_form: "SELARL",
  address: "14 rue aux Juifs, 76000 Rouen",
  siret: "73282932000074",
  representative: null,
  contact_email: "contact@cabinet-aubry.fr",
  dpo_email: null,
};
const OWNER: User = { ...clemence, organisation_role: "owner" };

let answers: Parameters<typeof serve>[0];
let calls: ReturnType<typeof serve>;
beforeEach(() => {
  window.location.hash = "#jeton";
  answers = {
    [`POST ${FIRST_START}check/`]: { status: 200 },
    "GET /api/verify-token/": { status: 200, body: { user: OWNER } },
    "GET /api/organisation/settings/": { status: 200, body: SETTINGS },
  };
  calls = serve(answers);
});
afterEach(() => {
  window.location.hash = "";
  vi.unstubAllGlobals();
});

function open(user: User | null = null) {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  client.setQueryData(sessionQuery.queryKey, user);
  render(
    <QueryClientProvider client={client}>
      <MemoryRouter initialEntries={["/premier-demarrage"]}>
        <FirstStartPage />
      </MemoryRouter>
    </QueryClientProvider>,
  );
}
const title = (name: string | RegExp) => screen.findByRole("heading", { level: 1, name });
const sent = (path: string) => calls.filter((call) => call.path === path).map(({ body }) => body);
const refuse = (code: string, more: object = {}) => ({ status: 410, body: { code, ...more } });

test("a used address says since when there is an administrator, and leads to the login", async () => {
  answers[`POST ${FIRST_START}check/`] = refuse("first_start_used", {
    since: "2026-11-22T09:00:00.000Z",
  });
  open();
  await title("Cette adresse a déjà servi");
  expect(document.body.textContent).toContain("depuis le 22\u00a0novembre 2026");
  expect(screen.getByRole("link", { name: "Se connecter" }).getAttribute("href")).toBe("/login");
});

test("an expired address names the command that prints another", async () => {
  answers[`POST ${FIRST_START}check/`] = refuse("first_start_expired");
  open();
  await title("Cette adresse n’est plus valable");
  expect(screen.getByText("paraphe admin setup")).toBeDefined();
});

test("a visitor registers, and a refused field says so", async () => {
  answers[`POST ${FIRST_START}`] = {
    status: 400,
    body: { code: "validation", errors: { username: ["Ce nom d’utilisateur est déjà pris"] } },
  };
  open();
  await title("Bienvenue");
  await fill("Prénom", "Clémence");
  await fill("Nom", "Aubry-Lefèvre");
  await fill("Email", "c.aubry@cabinet-aubry.fr");
  await fill("Nom d’utilisateur", "clemence");
  await screen.findByText(/^5 caractères au minimum\./);
  await fill("Mot de passe", "une belle phrase");
  await press("Continuer");
  expect(await screen.findByText("Ce nom d’utilisateur est déjà pris")).toBeDefined();
  answers[`POST ${FIRST_START}`] = { status: 201, body: { user: OWNER } };
  await press("Continuer");
  await title("Votre organisation");
  expect(sent(FIRST_START).at(-1)).toEqual({
    token: "jeton",
    account: {
      first_name: "Clémence",
      last_name: "Aubry-Lefèvre",
      email: "c.aubry@cabinet-aubry.fr",
      username: "clemence",
      password: "une belle phrase",
    },
  });
});

test("somebody signed in keeps their account", async () => {
  answers[`POST ${FIRST_START}`] = { status: 201, body: { user: OWNER } };
  open(clemence);
  await title("Bienvenue");
  await press("Continuer");
  await title("Votre organisation");
  expect(sent(FIRST_START)).toEqual([{ token: "jeton" }]);
});

test("a refused number takes the focus", async () => {
  open(OWNER);
  await title("Votre organisation");
  await fill("Nom", "Cabinet Aubry");
  await userEvent.selectOptions(screen.getByLabelText("Forme juridique"), "SELARL");
  await fill("Adresse du siège", IDENTITY.address);
  await fill("Email de contact", IDENTITY.contact_email);
  await fill(screen.getByLabelText(/^SIRET/), "123");
  await press("Continuer");
  const number = screen.getByLabelText(/^SIRET/);
  await vi.waitFor(() => expect(number.getAttribute("aria-invalid")).toBe("true"));
  await vi.waitFor(() => expect(document.activeElement).toBe(number));
});

test("the advised registration is chosen until somebody chooses another", async () => {
  const registration = { kind: "open", domains: [], is_chosen: false } as const;
  answers["GET /api/organisation/settings/"] = {
    status: 200,
    body: { ...SETTINGS, identity: IDENTITY, registration },
  };
  open(OWNER);
  await title(/^Qui peut créer un compte/);
  const advised = screen.getByRole("radio", { name: /^Sur invitation/ }) as HTMLInputElement;
  expect(advised.checked).toBe(true);
});

test("another administrator’s save is announced, what was typed stays, and the other version can be shown", async () => {
  answers["PUT /api/organisation/identity/"] = {
    status: 409,
    body: { code: "organisation_changed", detail: "L’organisation a été modifiée ailleurs." },
  };
  open(OWNER);
  await title("Votre organisation");
  await fill("Nom", "Cabinet Aubry");
  await userEvent.selectOptions(screen.getByLabelText("Forme juridique"), "SELARL");
  await fill("Adresse du siège", IDENTITY.address);
  await fill("Email de contact", IDENTITY.contact_email);
  await press("Continuer");
  expect(await screen.findByText("L’organisation a été modifiée ailleurs.")).toBeDefined();
  expect((screen.getByLabelText("Nom") as HTMLInputElement).value).toBe("Cabinet Aubry");
  expect(sent("/api/organisation/identity/")).toMatchObject([
    { version: 1, siret: null, representative: null, dpo_email: null },
  ]);
  answers["GET /api/organisation/settings/"] = {
    status: 200,
    body: { ...SETTINGS, version: 2, identity: IDENTITY },
  };
  await press("Voir la dernière version");
  expect(await screen.findByDisplayValue("Cabinet Aubry & Associés")).toBeDefined();
  answers["PUT /api/organisation/identity/"] = {
    status: 200,
    body: { ...SETTINGS, version: 3, identity: IDENTITY },
  };
  await press("Continuer");
  await title(/^Qui peut créer un compte/);
  expect(sent("/api/organisation/identity/").at(-1)).toMatchObject({ version: 2 });
});

test("a reload opens the first step that was not saved, and the end names the local mailbox", async () => {
  const named = { ...SETTINGS, identity: IDENTITY, mailbox: "/boite-aux-lettres/" };
  answers["GET /api/organisation/settings/"] = { status: 200, body: named };
  open(OWNER);
  await title(/^Qui peut créer un compte/);
  await userEvent.click(screen.getByRole("radio", { name: /^Les adresses/ }));
  await press("Terminer");
  expect(await screen.findByText("Indiquez au moins un domaine.")).toBeDefined();
  expect(sent("/api/organisation/registration/")).toEqual([]);
  await fill(screen.getByRole("textbox", { name: "Domaines" }), "Cabinet-Aubry.fr; atelier.fr");
  const choice = { kind: "domains", domains: ["cabinet-aubry.fr", "atelier.fr"] } as const;
  answers["PUT /api/organisation/registration/"] = {
    status: 200,
    body: { ...named, version: 2, registration: { ...choice, is_chosen: true } },
  };
  await press("Terminer");
  await title("Tout est prêt");
  expect(sent("/api/organisation/registration/")).toEqual([{ choice, version: 1 }]);
  expect(screen.getByRole("link", { name: "boîte aux lettres locale" }).getAttribute("href")).toBe(
    "/boite-aux-lettres/",
  );
});
