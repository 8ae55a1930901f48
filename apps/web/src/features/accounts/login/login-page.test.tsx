import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter, Route, Routes } from "react-router";
import { afterEach, expect, test, vi } from "vitest";
import { rememberServiceRules } from "../../../lib/api/service-rules.ts";
import { LoginPage, loginOrigin } from "./login-page.tsx";
import { fetchSession } from "../use-session.ts";
import { buttonNamed, fill, linkTo, press } from "../testing/forms.ts";

function open(address: string | { pathname: string; state: unknown } = "/login") {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter initialEntries={[address]}>
        <Routes>
          <Route path="/login" element={<LoginPage />} />
          <Route path="*" element={<p>Arrivée</p>} />
        </Routes>
      </MemoryRouter>
    </QueryClientProvider>,
  );
}

/** Answers by path. */
function serve(answers: Readonly<Record<string, { status: number; body: unknown }>>) {
  vi.stubGlobal("fetch", async (url: string) => {
    const answer = answers[new URL(url).pathname] ?? { status: 404, body: {} };
    return Response.json(answer.body, { status: answer.status });
  });
}

async function logIn() {
  await fill("Nom d’utilisateur", "clemence");
  await fill("Mot de passe", "Plume-1852");
  await press("Se connecter");
}

afterEach(() => vi.unstubAllGlobals());

test.each([
  ["/login?activated=1", "Compte activé avec succès. Vous pouvez maintenant vous connecter."],
  [
    "/login?activated=0",
    "Lien d'activation invalide. Veuillez vérifier votre lien ou en demander un nouveau.",
  ],
  [
    "/login?reset=1",
    "Mot de passe réinitialisé avec succès. Vous pouvez maintenant vous connecter.",
  ],
])("%s says so", (address, sentence) => {
  open(address);
  expect(screen.getByText(sentence)).toBeDefined();
});

test("the button is inert until the form is valid; an empty submit names each field", async () => {
  open();
  const button = buttonNamed("Se connecter");
  expect(button.getAttribute("aria-disabled")).toBe("true");
  await userEvent.click(button);
  expect(await screen.findByText("Nom d'utilisateur requis")).toBeDefined();
  expect(screen.getByText("Mot de passe requis")).toBeDefined();
  expect(document.activeElement).toBe(screen.getByLabelText("Nom d’utilisateur"));
  await fill("Nom d’utilisateur", "c");
  await fill("Mot de passe", "p");
  await waitFor(() => expect(button.getAttribute("aria-disabled")).toBeNull());
});

test("links lead to a forgotten password and to a new account", () => {
  open();
  expect(linkTo("Mot de passe oublié ?")).toBe("/password-reset");
  expect(linkTo("Créer un compte")).toBe("/register");
});

test("offers no account where registration is closed, and no new password without mail", async () => {
  serve({
    "/api/verify-token/": {
      status: 401,
      body: { registration: { kind: "closed", domains: [] }, mail: false },
    },
  });
  await fetchSession();
  try {
    open();
    expect(screen.queryByRole("link", { name: "Créer un compte" })).toBeNull();
    expect(screen.queryByRole("link", { name: "Mot de passe oublié ?" })).toBeNull();
  } finally {
    act(() => rememberServiceRules({ registration: { kind: "open", domains: [] }, mail: true }));
  }
});

test("the button says 'Connexion...' during the call, and a second press sends nothing", async () => {
  let count = 0;
  vi.stubGlobal("fetch", (url: string) => {
    if (new URL(url).pathname !== "/api/token/") return Promise.resolve(Response.json({}));
    count += 1;
    return new Promise<Response>(() => {});
  });
  open();
  await logIn();
  const button = await screen.findByRole("button", { name: "Connexion..." });
  expect(button.getAttribute("aria-disabled")).toBe("true");
  await userEvent.click(button);
  expect(count).toBe(1);
});

test("the server's own sentence comes first, with the form's beside it", async () => {
  serve({ "/api/token/": { status: 401, body: { error: "Identifiants refusés." } } });
  open();
  await logIn();
  const alert = await screen.findByRole("alert");
  expect(alert.textContent).toBe(
    "Identifiants refusés.Nom d'utilisateur ou mot de passe incorrect.",
  );
});

test("wrong credentials: the sentence is shown, the password is cleared and focused", async () => {
  serve({
    "/api/token/": {
      status: 401,
      body: { detail: "Nom d'utilisateur ou mot de passe incorrect." },
    },
  });
  open();
  await logIn();
  expect((await screen.findByRole("alert")).textContent).toBe(
    "Nom d'utilisateur ou mot de passe incorrect.",
  );
  expect((screen.getByLabelText("Mot de passe") as HTMLInputElement).value).toBe("");
  expect(document.activeElement).toBe(screen.getByLabelText("Mot de passe"));
});

test("an outage says 'Impossible de se connecter' and does not blame the password", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  serve({ "/api/token/": { status: 500, body: {} } });
  open();
  await logIn();
  expect((await screen.findByRole("alert")).textContent).toBe("Impossible de se connecter");
});

test("an account that is not active offers a new link", async () => {
  vi.spyOn(console, "warn").mockImplementation(() => {});
  serve({
    "/api/token/": {
      status: 403,
      body: { code: "not_activated", detail: "Votre compte n’est pas encore activé." },
    },
  });
  open();
  await logIn();
  expect((await screen.findByRole("alert")).textContent).toBe(
    "Votre compte n’est pas encore activé.",
  );
  expect(buttonNamed("Recevoir un nouveau lien d’activation")).toBeDefined();
});

test("returns after the login to the page of origin", async () => {
  serve({
    "/api/token/": { status: 200, body: { user: {} } },
    "/api/signature/me/": { status: 200, body: { user: { id: "1" } } },
  });
  open({ pathname: "/login", state: { from: { pathname: "/signature/upload" } } });
  await logIn();
  expect(await screen.findByText("Arrivée")).toBeDefined();
});

test("returns to the page of origin with its query", () => {
  expect(
    loginOrigin({ from: { pathname: "/signature/detail/1", search: "?a=1", hash: "#b" } }),
  ).toBe("/signature/detail/1?a=1#b");
});

test("goes to the dashboard without an origin, or with one of another site", () => {
  for (const state of [null, {}, { from: "x" }, { from: { pathname: "//ailleurs.fr" } }])
    expect(loginOrigin(state)).toBe("/dashboard");
});
