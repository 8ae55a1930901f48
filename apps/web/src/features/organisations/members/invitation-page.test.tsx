import { act, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clemence, openPage, serve } from "../../accounts/settings/testing/open-page.tsx";
import { buttonNamed, linkTo, press } from "../../accounts/testing/forms.ts";
import { sessionQuery } from "../../accounts/use-session.ts";
import { InvitationPage } from "./invitation-page.tsx";

const CHECK = "POST /api/organisation/invitations/check/";
const ACCEPT = "POST /api/organisation/invitations/accept/";
const INVITATION = {
  organisation: "Cabinet Aubry & Associés",
  email: clemence.email,
  role: "reader",
  invited_by: "Paul Martin",
  expires_at: "2026-12-05T14:16:00.000Z",
  account: "open",
} as const;

let answers: Parameters<typeof serve>[0];
let calls: ReturnType<typeof serve>;
beforeEach(() => {
  window.location.hash = "#jeton";
  answers = { [CHECK]: { status: 200, body: INVITATION } };
  calls = serve(answers);
});
afterEach(() => {
  window.location.hash = "";
  vi.unstubAllGlobals();
});

function openAsVisitor(account: "none" | "open" | "closed") {
  answers[CHECK] = { status: 200, body: { ...INVITATION, account } };
  const client = openPage(<InvitationPage />);
  act(() => void client.setQueryData(sessionQuery.queryKey, null));
}

test("whoever is signed in with the invited address accepts, and arrives", async () => {
  answers[ACCEPT] = { status: 200, body: {} };
  answers["GET /api/verify-token/"] = { status: 200, body: { user: clemence } };
  openPage(<InvitationPage />);
  expect(await screen.findByText(/^Paul Martin vous invite .*, comme lecteur\.$/)).toBeDefined();
  await press("Accepter l’invitation");
  expect(await screen.findByText("Arrivée")).toBeDefined();
  expect(calls.find(({ path }) => path.endsWith("/accept/"))?.body).toEqual({ token: "jeton" });
});

test("whoever is signed in with another address reads which, and may leave", async () => {
  answers[CHECK] = { status: 200, body: { ...INVITATION, email: "nadia@exemple.fr" } };
  openPage(<InvitationPage />);
  expect(await screen.findByText(/^Vous êtes connecté avec clemence@exemple\.fr\./)).toBeDefined();
  expect(buttonNamed("Déconnexion")).toBeDefined();
  expect(screen.queryByRole("button", { name: "Accepter l’invitation" })).toBeNull();
});

test("a visitor without an account creates it", async () => {
  openAsVisitor("none");
  expect(await screen.findByRole("link", { name: "Créer mon compte" })).toBeDefined();
  expect(linkTo("Créer mon compte")).toBe("/register?invitation=jeton");
});

test("a visitor with an account signs in first; one whose account was closed opens it again", async () => {
  openAsVisitor("open");
  expect(await screen.findByRole("link", { name: "Se connecter" })).toBeDefined();
  openAsVisitor("closed");
  expect(await screen.findByText(/^Votre compte avait été fermé\./)).toBeDefined();
});

test.each([
  ["invitation_used", "Cette invitation a déjà servi"],
  ["invitation_withdrawn", "Cette invitation a été annulée"],
  ["invitation_expired", "Cette invitation n’est plus valable"],
])("the refusal %s is the page’s heading, with what to do below", async (code, heading) => {
  answers[CHECK] = { status: 410, body: { code, detail: `${heading}. Demandez-en une autre.` } };
  openPage(<InvitationPage />);
  expect(await screen.findByRole("heading", { name: heading })).toBeDefined();
  expect(screen.getByText("Demandez-en une autre.")).toBeDefined();
});
