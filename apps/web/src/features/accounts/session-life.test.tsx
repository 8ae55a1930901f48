import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter, Route, Routes, useNavigate } from "react-router";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { api, listenToApi } from "../../lib/api/api.ts";
import { clearToasts, currentToasts, showToast } from "../../ui/toast/toast-store.ts";
import { expireSession, followSession, sessionQuery, useLogOut } from "./use-session.ts";
import { LoginPage } from "./login/login-page.tsx";
import { ProtectedRoute, VisitorRoute } from "./protected-route.tsx";
import { fill, press } from "./testing/forms.ts";

type Call = { readonly method: string; readonly path: string; readonly body: unknown };
type Answer = { readonly status: number; readonly body?: unknown } | "never" | "cut";

const USER = { id: "u1", username: "clemence", first_name: "Clémence", last_name: "Aubry" };
let client: QueryClient;
let calls: Call[];
let answers: Record<string, Answer>;
const stops: (() => void)[] = [];

beforeEach(() => {
  client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  calls = [];
  answers = { "/api/verify-token/": { status: 200, body: { user: USER } } };
  clearToasts();
  vi.spyOn(console, "warn").mockImplementation(() => {});
  vi.spyOn(console, "error").mockImplementation(() => {});
  listenToApi({
    onSessionLost: (reason) => expireSession(client, reason),
    onUnreachable: () => {},
  });
  stops.push(followSession(client));
  // The network alone is replaced.
  vi.stubGlobal(
    "fetch",
    async (url: string, { method = "GET", body }: { method?: string; body?: unknown } = {}) => {
      const path = new URL(url).pathname;
      calls.push({ method, path, body: typeof body === "string" ? JSON.parse(body) : body });
      const answer = answers[path] ?? { status: 404 };
      if (answer === "never") return new Promise<Response>(() => {});
      if (answer === "cut") throw new TypeError("Failed to fetch");
      return Response.json(answer.body ?? {}, { status: answer.status });
    },
  );
});
afterEach(() => {
  stops.splice(0).forEach((stop) => stop());
  vi.unstubAllGlobals();
});

/** Sends a message as another tab of this browser would. */
function fromAnotherTab(what: "came" | "left"): void {
  const channel = new BroadcastChannel("paraphe-session");
  stops.push(() => channel.close());
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel between tabs of one origin has no target
  channel.postMessage(what);
}

function Page() {
  const { logOut } = useLogOut();
  const navigate = useNavigate();
  return (
    <>
      <p>Page protégée</p>
      <button type="button" onClick={logOut}>
        Déconnexion
      </button>
      <button type="button" onClick={() => void navigate("/signature/upload")}>
        Autre page
      </button>
    </>
  );
}

function open(address: string) {
  render(
    <QueryClientProvider client={client}>
      <MemoryRouter initialEntries={[address]}>
        <Routes>
          <Route path="/login" element={<LoginPage />} />
          <Route element={<VisitorRoute />}>
            <Route path="/register" element={<p>Inscription</p>} />
            <Route path="/password-reset" element={<p>Oubli</p>} />
            <Route path="/reset-password/:uid/:token" element={<p>Nouveau</p>} />
          </Route>
          <Route element={<ProtectedRoute />}>
            <Route path="/dashboard" element={<p>Tableau</p>} />
            <Route path="*" element={<Page />} />
          </Route>
        </Routes>
      </MemoryRouter>
    </QueryClientProvider>,
  );
}

async function logInAgain() {
  answers["/api/token/"] = { status: 200, body: { user: USER } };
  answers["/api/signature/me/"] = { status: 200, body: { user: USER } };
  await fill(await screen.findByLabelText("Nom d’utilisateur"), "clemence");
  await fill("Mot de passe", "Plume-1852");
  await press("Se connecter");
}

test("the user loads at start, while a skeleton says so", async () => {
  answers["/api/verify-token/"] = "never";
  open("/signature/upload");
  expect((await screen.findByRole("status")).textContent).toBe("Chargement de votre session…");
  expect(document.querySelector("[aria-busy=true]")).not.toBeNull();
  expect(calls).toEqual([{ method: "GET", path: "/api/verify-token/", body: null }]);
});

test("a visitor goes to the login page without a message, and then to the page that was asked for", async () => {
  answers["/api/verify-token/"] = { status: 401 };
  answers["/api/token/refresh/"] = { status: 401 };
  open("/signature/detail/7?onglet=preuve#journal");
  await logInAgain();
  expect(await screen.findByText("Page protégée")).toBeDefined();
  expect(currentToasts()).toEqual([]);
});

test("a session that cannot be refreshed says so once, ends what remains of it, and comes back to the same page after login", async () => {
  open("/signature/upload");
  await screen.findByText("Page protégée");
  for (const path of ["/api/signature/a/", "/api/signature/b/", "/api/token/refresh/"])
    answers[path] = { status: 401 };
  await act(() => Promise.allSettled([api.get("/api/signature/a/"), api.get("/api/signature/b/")]));
  expect(currentToasts().map(({ kind, message }) => [kind, message])).toEqual([
    ["err", "Votre session a expiré. Veuillez vous reconnecter."],
  ]);
  expect(calls.filter(({ path }) => path === "/api/token/refresh/")).toHaveLength(1);
  expect(calls.filter(({ path }) => path === "/api/logout/")).toHaveLength(1);
  await logInAgain();
  expect(await screen.findByText("Page protégée")).toBeDefined();
});

test("an error shown just before does not hide why the session ended", async () => {
  open("/signature/upload");
  await screen.findByText("Page protégée");
  act(() => void showToast("err", "Échec de l'annulation"));
  for (const path of ["/api/signature/a/", "/api/token/refresh/"]) answers[path] = { status: 401 };
  await act(() => Promise.allSettled([api.get("/api/signature/a/")]));
  expect(currentToasts().map(({ message }) => message)).toEqual([
    "Votre session a expiré. Veuillez vous reconnecter.",
  ]);
});

test("a session ended for wrong passwords says so, not that it expired", async () => {
  open("/signature/upload");
  await screen.findByText("Page protégée");
  const detail =
    "Trop de mots de passe incorrects\u00a0: cette session a été fermée. Veuillez vous reconnecter.";
  answers["/api/signature/me/password/"] = {
    status: 401,
    body: { code: "wrong_passwords", detail },
  };
  answers["/api/token/refresh/"] = { status: 401 };
  await act(() => Promise.allSettled([api.post("/api/signature/me/password/", { body: {} })]));
  expect(currentToasts().map(({ message }) => message)).toEqual([detail]);
});

test("a successful logout clears what was read and goes to the login page, which has no origin then", async () => {
  answers["/api/logout/"] = { status: 200 };
  client.setQueryData(["envelopes"], ["secret"]);
  open("/signature/upload");
  await userEvent.click(await screen.findByRole("button", { name: "Déconnexion" }));
  await screen.findByRole("heading", { name: "Connexion" });
  expect(client.getQueryData(["envelopes"])).toBeUndefined();
  await logInAgain();
  expect(await screen.findByText("Tableau")).toBeDefined();
});

test.each([
  [{ status: 500 }, "Erreur de déconnexion"],
  [{ status: 403, body: { detail: "Votre session est protégée." } }, "Votre session est protégée."],
  [{ status: 403, body: { error: "Refusé par le serveur." } }, "Refusé par le serveur."],
] satisfies [Answer, string][])(
  "a refused logout %j keeps the page and says '%s'",
  async (answer, sentence) => {
    answers["/api/logout/"] = answer;
    open("/signature/upload");
    await userEvent.click(await screen.findByRole("button", { name: "Déconnexion" }));
    await waitFor(() => expect(currentToasts().map(({ message }) => message)).toEqual([sentence]));
    expect(screen.getByText("Page protégée")).toBeDefined();
  },
);

test.each(["/register", "/password-reset", "/reset-password/u/t"])(
  "a signed-in visitor who opens %s goes to the dashboard",
  async (address) => {
    open(address);
    expect(await screen.findByText("Tableau")).toBeDefined();
  },
);

test.each([
  ["/register", "Inscription"],
  ["/password-reset", "Oubli"],
  ["/reset-password/u/t", "Nouveau"],
])("%s is there for who is not signed in", async (address, words) => {
  answers["/api/verify-token/"] = { status: 401 };
  open(address);
  expect(await screen.findByText(words)).toBeDefined();
});

test("a page without an answer at start says so and offers to try again", async () => {
  answers["/api/verify-token/"] = "cut";
  open("/signature/upload");
  expect(
    await screen.findByRole("heading", { name: "Erreur réseau ou serveur injoignable" }),
  ).toBeDefined();
  answers["/api/verify-token/"] = { status: 200, body: { user: USER } };
  await press("Réessayer");
  expect(await screen.findByText("Page protégée")).toBeDefined();
});

test("'Rester connecté' is sent with the credentials", async () => {
  answers["/api/verify-token/"] = { status: 401 };
  open("/login");
  await userEvent.click(await screen.findByLabelText("Rester connecté"));
  await logInAgain();
  await screen.findByText("Tableau");
  expect(calls.find(({ path }) => path === "/api/token/")?.body).toEqual({
    username: "clemence",
    password: "Plume-1852",
    remember_me: true,
  });
});

test("a logout in another tab sends this one to the login page; nothing of the person remains", async () => {
  client.setQueryData(["envelopes"], ["secret"]);
  open("/signature/upload");
  await screen.findByText("Page protégée");
  fromAnotherTab("left");
  expect(await screen.findByRole("heading", { name: "Connexion" })).toBeDefined();
  expect(client.getQueryData(["envelopes"])).toBeUndefined();
  expect(currentToasts()).toEqual([]);
});

test("another person's login in another tab clears what was read for the first", async () => {
  client.setQueryData(["envelopes"], ["secret"]);
  open("/signature/upload");
  await screen.findByText("Page protégée");
  answers["/api/verify-token/"] = { status: 200, body: { user: { ...USER, id: "u2" } } };
  fromAnotherTab("came");
  await waitFor(() => expect(client.getQueryData(sessionQuery.queryKey)?.id).toBe("u2"));
  await waitFor(() => expect(client.getQueryData(["envelopes"])).toBeUndefined());
});
