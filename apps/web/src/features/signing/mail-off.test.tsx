import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter, Route, Routes } from "react-router";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { rememberServiceRules } from "../../lib/service-rules.ts";
import { unconfirmedAddress } from "../accounts/unconfirmed-address.ts";
import { AddressCard } from "../profile/address-card.tsx";
import { ConfirmAddress } from "./confirm-address.tsx";
import { GuestSignPage } from "./guest-sign-page.tsx";
import { GuestSuccessPage } from "./guest-success-page.tsx";

const OPEN = { kind: "open", domains: [] };
const PROMISE = /recevrez|recevez|sera envoy|Recevoir mon code/;
beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});
afterEach(() => {
  vi.unstubAllGlobals();
  act(() => rememberServiceRules({ registration: OPEN, mail: true }));
});

/** Opens a guest's page; the network alone is replaced, and says by itself that no mail leaves. */
function openAsGuest(path: string, answer: { status: number; body: object }) {
  window.history.replaceState(null, "", path);
  vi.stubGlobal("fetch", async (address: string) =>
    new URL(address).pathname.endsWith("/request-extension/")
      ? Response.json({ told: true })
      : Response.json({ ...answer.body, mail: false }, { status: answer.status }),
  );
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <MemoryRouter initialEntries={[path]}>
        <Routes>
          <Route path="/sign/:id" element={<GuestSignPage />} />
          <Route path="/signature/guest/success" element={<GuestSuccessPage />} />
        </Routes>
      </MemoryRouter>
    </QueryClientProvider>,
  );
}

test.each([
  [1, "Votre lien donnera l’exemplaire définitif quand tous les signataires auront signé (1 sur 2)."],
  [2, "Tous les signataires ont signé. Téléchargez l’exemplaire définitif."],
])("a guest who has signed (%i of 2) is promised no mail", async (signed, sentence) => {
  openAsGuest("/signature/guest/success?id=e1&token=jeton", { status: 200, body: { title: "Bail", progress: { signed, total: 2 } } });
  expect(await screen.findByText(sentence)).toBeDefined();
  expect(screen.queryByText(PROMISE)).toBeNull();
});

test("a guest who asks for more time is told to tell the sender, and promised no message", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  openAsGuest("/sign/e1?token=jeton", { status: 410, body: { code: "envelope_expired", detail: "Le délai de signature est dépassé." } });
  await userEvent.click(await screen.findByRole("button", { name: "Demander une prolongation" }));
  expect(await screen.findByText(/prévenez l’expéditeur vous-même/)).toBeDefined();
  expect(screen.queryByText(PROMISE)).toBeNull();
});

test("a member is offered no code, no link and no invitation by mail for their address", () => {
  rememberServiceRules({ registration: OPEN, mail: false });
  render(
    <MemoryRouter>
      <ConfirmAddress envelopeId="e1" onConfirmed={async () => {}} />
      <AddressCard email="zoe@exemple.fr" />
    </MemoryRouter>,
  );
  expect(screen.getByText(/se confirme par un email, et ce service n’en envoie pas. Adressez-vous/)).toBeDefined();
  expect(screen.getByText("Une nouvelle adresse se confirme par un email, et ce service n’en envoie pas.")).toBeDefined();
  expect(screen.queryByRole("button")).toBeNull();
  expect(unconfirmedAddress()).toContain("que ce service n’envoie pas");
});
