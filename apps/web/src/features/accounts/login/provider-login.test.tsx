import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import { MemoryRouter, Route, Routes } from "react-router";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { rememberServiceRules } from "../../../lib/api/service-rules.ts";
import { LoginPage } from "./login-page.tsx";
import { ProviderReturnPage } from "./provider-return-page.tsx";
import { clemence, serve } from "../settings/testing/open-page.tsx";
import { buttonNamed, fill, press } from "../testing/forms.ts";

const OIDC = { kind: "oidc", label: "Compte du cabinet" };
const PROCONNECT = { kind: "proconnect", label: "ProConnect" };
const AWAY = "Le compte Cabinet ne répond pas. Vos sessions ouvertes ailleurs le restent.";
const RETURN = "POST /api/token/provider/return/";

function offer(providers: readonly object[]): void {
  rememberServiceRules({ registration: { kind: "open", domains: [] }, mail: true, providers });
}

function open(address: string) {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter initialEntries={[address]}>
        <Routes>
          <Route path="/login" element={<LoginPage />} />
          <Route path="/auth/:kind/retour" element={<ProviderReturnPage />} />
          <Route path="*" element={<p>Arrivée</p>} />
        </Routes>
      </MemoryRouter>
    </QueryClientProvider>,
  );
}

beforeEach(() => {
  sessionStorage.clear();
  offer([OIDC, PROCONNECT]);
});
afterEach(() => {
  offer([]);
  vi.unstubAllGlobals();
});

test("shows the ways to sign in in their order, without those that are not set up", () => {
  open("/login");
  const names = screen.getAllByRole("button").map(({ textContent }) => textContent);
  const at = (name: RegExp) => names.findIndex((text) => name.test(text));
  expect(at(/^Se connecter$/)).toBeLessThan(at(/Compte du cabinet/));
  expect(at(/Compte du cabinet/)).toBeLessThan(at(/ProConnect/));
  expect(screen.getByText(/Pas encore de compte/)).toBeDefined();
});

test("without providers there is neither a button nor its divider", () => {
  offer([]);
  open("/login");
  expect(screen.queryByText("ou avec un autre compte")).toBeNull();
  expect(screen.queryByRole("button", { name: /ProConnect/ })).toBeNull();
});

test("says that a provider does not answer, and loses nothing typed", async () => {
  serve({
    "POST /api/token/provider/": {
      status: 503,
      body: { code: "provider_unavailable", detail: AWAY },
    },
  });
  open("/login");
  await fill("Nom d’utilisateur", "clemence");
  await press("Compte du cabinet");
  expect(await screen.findByText(AWAY)).toBeDefined();
  expect(screen.getByRole("heading").textContent).toBe("Connexion impossible pour l’instant");
  expect(buttonNamed("Réessayer")).toBeDefined();
  await press("Autres moyens de connexion");
  expect((screen.getByLabelText("Nom d’utilisateur") as HTMLInputElement).value).toBe("clemence");
});

test("sends what the provider put in the address, and signs the person in", async () => {
  const calls = serve({
    [RETURN]: { status: 200, body: { user: clemence } },
    "GET /api/signature/me/": { status: 200, body: { user: clemence } },
  });
  open("/auth/oidc/retour?state=s&code=c&session_state=autre");
  expect(await screen.findByText("Arrivée")).toBeDefined();
  expect(calls.find(({ path }) => path.endsWith("/return/"))?.body).toEqual({
    state: "s",
    code: "c",
    remember_me: false,
  });
});

test("somebody without a linked account signs in once, and is then linked", async () => {
  const sentence = "Aucun compte d’ici n’est relié à clemence@exemple.fr.";
  const calls = serve({
    [RETURN]: { status: 403, body: { code: "provider_unlinked", detail: sentence } },
    "POST /api/token/": { status: 200, body: { user: clemence } },
    "GET /api/signature/me/": { status: 200, body: { user: clemence } },
    "POST /api/signature/me/provider-link/": { status: 200, body: { linked: true } },
  });
  open("/auth/oidc/retour?state=s&code=c");
  expect(await screen.findByText(sentence)).toBeDefined();
  await fill("Nom d’utilisateur", "clemence");
  await fill("Mot de passe", "Plume-1852");
  await press("Se connecter");
  expect(await screen.findByText("Arrivée")).toBeDefined();
  expect(calls.map(({ path }) => path)).toContain("/api/signature/me/provider-link/");
});

test("a return that failed leads to the login page with its sentence, and links nothing", async () => {
  const sentence = "Cette connexion a déjà servi.";
  const calls = serve({
    [RETURN]: { status: 403, body: { code: "provider_login_expired", detail: sentence } },
    "POST /api/token/": { status: 200, body: { user: clemence } },
    "GET /api/signature/me/": { status: 200, body: { user: clemence } },
  });
  open("/auth/oidc/retour");
  expect(await screen.findByText(sentence)).toBeDefined();
  await fill("Nom d’utilisateur", "clemence");
  await fill("Mot de passe", "Plume-1852");
  await press("Se connecter");
  expect(await screen.findByText("Arrivée")).toBeDefined();
  expect(calls.map(({ path }) => path)).not.toContain("/api/signature/me/provider-link/");
});
