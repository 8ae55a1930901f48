import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter, Route, Routes } from "react-router";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ApiError } from "../../../lib/api/api-error.ts";
import { rememberServiceRules } from "../../../lib/api/service-rules.ts";
import { PasswordResetPage } from "../../accounts/password-reset-page.tsx";
import { AddressCard } from "../../accounts/profile/contact-cards.tsx";
import { ResendActivation } from "../../accounts/resend-activation.tsx";
import { unconfirmedAddress } from "../../accounts/use-session.ts";
import { ConfirmAddress } from "../confirm-address.tsx";
import { failedStanding } from "../request-standing.ts";
import { GuestSignPage, INVALID_LINK } from "./guest-sign-page.tsx";
import { GuestSuccessPage } from "./guest-success-page.tsx";

const OPEN = { kind: "open", domains: [] };
const PROMISE = /recevrez|recevez|sera envoy|Recevoir mon code/;
const EXTENSION = { "request-extension": { told: true } };
const request = (phone: string | null, failed: "sms" | null = null) => ({
  id: "e1",
  title: "Bail",
  status: "sent",
  sender_name: "Alice Martin",
  message: null,
  deadline_at: null,
  recipient: {
    id: "r1",
    full_name: "Paul",
    email: "p•••@exemple.fr",
    phone_hint: phone,
    role: "signer",
    status: "notified",
    signed: false,
  },
  progress: { signed: 0, total: 1 },
  otp: { channel: "email", failed, verified: false, resend_in: failed === null ? 0 : 50 },
});
beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});
afterEach(() => {
  vi.unstubAllGlobals();
  act(() => rememberServiceRules({ registration: OPEN, mail: true }));
});

/**
 * Opens a guest's page of a service that says it sends no mail. `calls`: answers to the other
 * calls, by the end of their path.
 */
function openAsGuest(
  path: string,
  answer: { status: number; body: object },
  calls: Readonly<Record<string, object>> = {},
) {
  window.history.replaceState(null, "", path);
  const asked: [string, unknown][] = [];
  vi.stubGlobal("fetch", async (address: string, { body }: RequestInit = {}) => {
    const name = new URL(address).pathname.split("/").at(-2) ?? "";
    if (calls[name] === undefined)
      return Response.json({ ...answer.body, mail: false }, { status: answer.status });
    asked.push([name, typeof body === "string" ? JSON.parse(body) : null]);
    return Response.json(calls[name]);
  });
  render(
    <QueryClientProvider
      client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}
    >
      <MemoryRouter initialEntries={[path]}>
        <Routes>
          <Route path="/sign/:id" element={<GuestSignPage />} />
          <Route path="/signature/guest/success" element={<GuestSuccessPage />} />
        </Routes>
      </MemoryRouter>
    </QueryClientProvider>,
  );
  return asked;
}

test.each([
  [
    1,
    "Votre lien donnera l’exemplaire définitif quand tous les signataires auront signé (1 sur 2).",
  ],
  [2, "Tous les signataires ont signé. Téléchargez l’exemplaire définitif."],
])("promises no mail to a guest who has signed (%i of 2)", async (signed, sentence) => {
  openAsGuest("/signature/guest/success?id=e1&token=jeton", {
    status: 200,
    body: { title: "Bail", progress: { signed, total: 2 } },
  });
  expect(await screen.findByText(sentence)).toBeDefined();
  expect(screen.queryByText(PROMISE)).toBeNull();
});

test("asks a guest who needs more time to inform the sender, and promises no message", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  openAsGuest(
    "/sign/e1?token=jeton",
    {
      status: 410,
      body: { code: "envelope_expired", detail: "Le délai de signature est dépassé." },
    },
    EXTENSION,
  );
  await userEvent.click(await screen.findByRole("button", { name: "Demander une prolongation" }));
  expect(await screen.findByText(/prévenez l’expéditeur vous-même/)).toBeDefined();
  expect(screen.queryByText(PROMISE)).toBeNull();
});

test("does not ask a guest without a number to wait for a code", async () => {
  openAsGuest("/sign/e1?token=jeton", { status: 200, body: request(null) });
  expect(
    await screen.findByText(/il faut un code reçu par email, et ce service n’en envoie pas/),
  ).toBeDefined();
  expect(screen.queryByText(PROMISE)).toBeNull();
  expect(screen.queryByText("p•••@exemple.fr")).toBeNull();
});

test("sends the code to a guest's number, and another after a failed text message", async () => {
  const sent = { channel: "sms", destination: "•• •• •• 79 04", expires_in: 600, resend_in: 60 };
  const body = request("•• •• •• 79 04", "sms");
  const asked = openAsGuest("/sign/e1?token=jeton", { status: 200, body }, { send_otp: sent });
  expect(await screen.findByText(/^Le SMS n’a pas pu partir/)).toBeDefined();
  expect(screen.getByText("•• •• •• 79 04")).toBeDefined();
  expect(screen.queryByText("p•••@exemple.fr")).toBeNull();
  body.otp.failed = null;
  await userEvent.click(screen.getByRole("button", { name: "Recevoir mon code" }));
  expect(asked).toEqual([["send_otp", { channel: "sms" }]]);
  await waitFor(() =>
    expect(screen.queryByRole("button", { name: "Recevoir mon code" })).toBeNull(),
  );
  expect(screen.queryByText(/n’a pas pu partir|p•••@exemple.fr/)).toBeNull();
});

test("promises no message after a refusal or before the turn", () => {
  rememberServiceRules({ registration: OPEN, mail: false });
  const standing = (details: object) =>
    JSON.stringify(failedStanding(new ApiError({ status: 409, ...details }), INVALID_LINK));
  expect(
    standing({ status: 410, code: "envelope_declined", body: { declined_by_you: true } }),
  ).toContain("prévenez l’expéditeur vous-même");
  expect(
    standing({ code: "not_your_turn", sentence: "Ce n’est pas encore votre tour." }),
  ).toContain("Revenez alors sur cette page.");
});

test("offers a visitor no mailed link, for a password or an activation", () => {
  rememberServiceRules({ registration: OPEN, mail: false });
  render(
    <MemoryRouter>
      <PasswordResetPage />
      <ResendActivation />
    </MemoryRouter>,
  );
  expect(
    screen.getAllByText(
      "Ce service n’envoie pas d’email. Adressez-vous à la personne qui l’administre.",
    ),
  ).toHaveLength(2);
  expect(screen.queryByText(/enverrons|Recevoir un nouveau lien/)).toBeNull();
  expect(screen.queryByRole("textbox")).toBeNull();
});

test("offers a member no code, link or invitation by mail", () => {
  rememberServiceRules({ registration: OPEN, mail: false });
  render(
    <MemoryRouter>
      <ConfirmAddress envelopeId="e1" onConfirmed={async () => {}} />
      <AddressCard />
    </MemoryRouter>,
  );
  expect(
    screen.getByText(/se confirme par un email, et ce service n’en envoie pas. Adressez-vous/),
  ).toBeDefined();
  expect(
    screen.getByText(
      "Une nouvelle adresse se confirme par un email, et ce service n’en envoie pas.",
    ),
  ).toBeDefined();
  expect(screen.queryByRole("button")).toBeNull();
  expect(unconfirmedAddress()).toContain("que ce service n’envoie pas");
});
