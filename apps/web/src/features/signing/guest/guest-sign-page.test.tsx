import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter, Route, Routes } from "react-router";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { GuestSignPage, readAhead, readGuestToken, takeGuestToken } from "./guest-sign-page.tsx";

const REQUEST = {
  id: "e1",
  title: "Bail commercial",
  status: "sent",
  sender_name: "Clémence Aubry",
  message: "",
  deadline_at: null,
  recipient: {
    id: "r1",
    full_name: "Côme Œuvrard",
    email: "c•••@exemple.fr",
    phone_hint: null,
    role: "signer",
    status: "sent",
    signed: false,
  },
  otp: { channel: "email", failed: null, verified: false, resend_in: 0 },
  progress: { signed: 0, total: 1 },
};
let calls: { path: string; token: string | null }[];
let otp: { status: number; body: object };
let reading: { status: number; body: object };

beforeEach(() => {
  calls = [];
  otp = { status: 500, body: {} };
  reading = { status: 200, body: REQUEST };
  sessionStorage.clear();
  window.history.replaceState(null, "", "/sign/e1?token=jeton");
  vi.spyOn(console, "error").mockImplementation(() => {});
  // The network alone is replaced.
  vi.stubGlobal("fetch", async (address: string, { headers }: { headers: Headers }) => {
    const path = new URL(address).pathname;
    calls.push({ path, token: headers.get("x-signature-token") });
    const { status, body } = path.endsWith("/send_otp/") ? otp : reading;
    return Response.json(body, { status });
  });
  open();
});
afterEach(() => vi.unstubAllGlobals());

const withoutRetry = () => new QueryClient({ defaultOptions: { queries: { retry: false } } });

function open(client = withoutRetry()) {
  render(
    <QueryClientProvider client={client}>
      <MemoryRouter initialEntries={["/sign/e1"]}>
        <Routes>
          <Route path="/sign/:id" element={<GuestSignPage />} />
        </Routes>
      </MemoryRouter>
    </QueryClientProvider>,
  );
}

test("sends no code on opening; the token goes with each call and leaves the address", async () => {
  expect(await screen.findByRole("heading", { level: 1, name: "Bail commercial" })).toBeDefined();
  expect(calls).toEqual([{ path: "/api/signature/envelopes/e1/guest/", token: "jeton" }]);
  expect(window.location.search).toBe("");
});

test("says on whose behalf it was sent", async () => {
  cleanup();
  reading = { status: 200, body: { ...REQUEST, sender_team: "Urbanisme" } };
  open();
  await screen.findByText("Envoyé par Clémence Aubry, de la part du service Urbanisme");
});

test.each([
  ["signer", "Document à signer", "3Signez, du doigt ou au clavier"],
  ["visa", "Document à viser", "3Donnez votre visa"],
  ["viewer", "Document en copie", "2Lisez le document"],
])(
  "what is asked of a %s is said before the code: « %s », last « %s »",
  async (role, kind, last) => {
    await code();
    cleanup();
    reading = readAs({ role });
    open();
    await code();
    expect(screen.getByText(kind)).toBeDefined();
    expect(screen.getAllByRole("listitem").at(-1)?.textContent).toBe(last);
  },
);

test("reads the request and page one's picture once, before the page is drawn", async () => {
  await screen.findByRole("heading", { level: 1 });
  cleanup();
  calls = [];
  reading = { status: 200, body: { ...REQUEST, documents: [{ id: "d1" }], fields: [] } };
  const client = withoutRetry();
  readAhead(client, window);
  await vi.waitFor(() => expect(calls).toHaveLength(2));
  open(client);
  await screen.findByRole("heading", { level: 1, name: "Bail commercial" });
  expect(calls).toEqual([
    { path: "/api/signature/envelopes/e1/guest/", token: "jeton" },
    { path: "/api/signature/envelopes/e1/documents/d1/first-page/", token: "jeton" },
  ]);
});

test("says 'Impossible d'envoyer le code OTP', or the service's own words", async () => {
  await userEvent.click(await screen.findByRole("button", { name: "Recevoir mon code" }));
  expect((await screen.findByRole("alert")).textContent).toBe("Impossible d'envoyer le code OTP");
  otp = { status: 429, body: { detail: "Trop de codes demandés." } };
  await userEvent.click(screen.getByRole("button", { name: "Recevoir mon code" }));
  expect(await screen.findByText("Trop de codes demandés.")).toBeDefined();
});

const COOLING = {
  status: 429,
  body: {
    code: "otp_cooldown",
    detail: "Un code vient d’être envoyé. Patientez 42 s avant d’en demander un autre.",
  },
};

test.each([
  ["by text", { channel: "sms", failed: null }],
  ["by mail after a text that may have left", { channel: "email", failed: "sms" }],
])(
  "does not claim a code that went %s and opens nothing here, and says when to ask again",
  async (_way, how) => {
    await code();
    reading = { status: 200, body: { ...REQUEST, otp: { ...REQUEST.otp, ...how, resend_in: 42 } } };
    otp = COOLING;
    await userEvent.click(await code());
    expect((await screen.findByRole("alert")).textContent).toBe(COOLING.body.detail);
    expect(
      screen.queryByText(/Nous avons envoyé un code|Le code à 6 chiffres est envoyé/),
    ).toBeNull();
    otp = {
      status: 200,
      body: { channel: "email", destination: "c•••@exemple.fr", expires_in: 600, resend_in: 60 },
    };
    await userEvent.click(await code());
    expect((await screen.findByText(/Nous avons envoyé un code/)).textContent).toContain(
      "à c•••@exemple.fr",
    );
  },
);

test("accepts a code that went by mail under a minute ago", async () => {
  otp = COOLING;
  await userEvent.click(await code());
  expect((await screen.findByText(/Nous avons envoyé un code/)).textContent).toContain(
    "à c•••@exemple.fr",
  );
});

test("opens the legal pages in a new tab", async () => {
  const link = await screen.findByRole("link", { name: "Confidentialité" });
  expect([link.getAttribute("href"), link.getAttribute("target")]).toEqual([
    "/confidentialite",
    "_blank",
  ]);
});

const refused = (status: number, code: string, more = {}) => ({
  status,
  body: {
    status,
    code,
    detail: "",
    document_title: "Bail clos",
    sender_name: "Paul Morel",
    ...more,
  },
});
const readAs = (recipient: object, more = {}) => ({
  status: 200,
  body: {
    ...REQUEST,
    title: "Bail clos",
    sender_name: "Paul Morel",
    ...more,
    recipient: { ...REQUEST.recipient, ...recipient },
  },
});

test.each([
  [
    "Vous avez signé ce document",
    readAs({ signed: true, status: "signed" }),
    ["Télécharger le document"],
  ],
  ["Vous avez signé ce document", refused(409, "already_signed"), ["Télécharger le document"]],
  [
    "Le délai de signature est dépassé",
    refused(410, "envelope_expired"),
    ["Demander une prolongation"],
  ],
  ["Cette demande a été annulée", refused(410, "envelope_cancelled"), []],
  ["Demande close", refused(409, "envelope_declined", { declined_by_you: true }), []],
  ["Demande close", readAs({ status: "sent" }, { status: "declined" }), []],
  ["Pas encore votre tour", readAs({ status: "waiting" }), []],
  ["Pas encore votre tour", refused(409, "not_your_turn"), []],
  ["Signez dans votre compte", refused(403, "account_required"), []],
])(
  "« %s » names the document and its sender, has its button and the legal pages",
  async (title, answer, buttons) => {
    await code();
    reading = answer;
    cleanup();
    open();
    await screen.findByRole("heading", { level: 1, name: title });
    expect(screen.getAllByText("Bail clos").length).toBeGreaterThan(1);
    expect(screen.getByText("De Paul Morel")).toBeDefined();
    for (const name of buttons) expect(await screen.findByRole("button", { name })).toBeDefined();
    expect(screen.queryAllByRole("button")).toHaveLength(buttons.length);
    expect(screen.getByRole("link", { name: "Confidentialité" }).getAttribute("target")).toBe(
      "_blank",
    );
  },
);

test("a member who confirms each signature is led to the account, at the same document", async () => {
  await code();
  const answer = refused(403, "account_required");
  const detail = "Connectez-vous à votre compte pour signer.";
  reading = { ...answer, body: { ...answer.body, detail } };
  cleanup();
  open();
  expect(await screen.findByText(detail)).toBeDefined();
  const link = screen.getByRole("link", { name: "Se connecter" });
  expect(link.getAttribute("href")).toBe("/signature/sign/e1");
  expect(screen.queryByRole("button")).toBeNull();
});

/** Makes the page visible again after another tab or window. */
const seeAgain = () => act(async () => void document.dispatchEvent(new Event("visibilitychange")));
const code = () => screen.findByRole("button", { name: "Recevoir mon code" });

test("says when the page is seen again that the request was cancelled", async () => {
  await code();
  reading = {
    status: 410,
    body: {
      status: 410,
      code: "envelope_cancelled",
      detail: "Cette demande a été annulée par l’expéditeur.",
    },
  };
  await seeAgain();
  const title = await screen.findByRole("heading", {
    level: 1,
    name: "Cette demande a été annulée",
  });
  expect(
    screen
      .getByText("L’expéditeur a annulé cette demande. Vous n’avez rien à faire.")
      .getAttribute("role"),
  ).toBe("status");
  await vi.waitFor(() => expect(document.activeElement).toBe(title));
  expect(screen.queryByRole("button", { name: "Recevoir mon code" })).toBeNull();
  // A closed request is not read again.
  const before = calls.length;
  await seeAgain();
  expect(calls).toHaveLength(before);
});

test("does not call a withdrawn request a wrong link", async () => {
  await code();
  reading = { status: 404, body: { status: 404, code: "not_found", detail: "Introuvable." } };
  await act(async () => void window.dispatchEvent(new Event("focus")));
  expect(await screen.findByRole("heading", { level: 1, name: "Demande close" })).toBeDefined();
  expect(
    screen
      .getByText("Cette demande ne vous attend plus : son expéditeur l’a annulée ou changée.")
      .getAttribute("role"),
  ).toBe("status");
});

test.each([
  ["that is still open", { status: 200, body: { ...REQUEST, title: "Bail changé" } }],
  ["that cannot be read", { status: 503, body: {} }],
])("leaves a request %s as it was read", async (_which, answer) => {
  await code();
  reading = answer;
  await seeAgain();
  await act(() => new Promise((resolve) => setTimeout(resolve, 50)));
  expect(calls).toHaveLength(2);
  expect(screen.getByRole("heading", { level: 1, name: "Bail commercial" })).toBeDefined();
  expect(await code()).toBeDefined();
});

const at = (href: string) => {
  const history = { state: { key: "k" }, replaceState: vi.fn() };
  return {
    location: { href } as Location,
    history: history as unknown as History,
    replaceState: history.replaceState,
  };
};

test("removes the token from the address bar, and nothing else", () => {
  const page = at("https://paraphe.fr/sign/e1?token=secret&lang=fr#fin");
  expect(takeGuestToken("e1", page)).toBe("secret");
  expect(page.replaceState).toHaveBeenCalledWith({ key: "k" }, "", "/sign/e1?lang=fr#fin");
});
test("finds the token after a reload, for its own envelope only", () => {
  takeGuestToken("e2", at("https://paraphe.fr/sign/e2?token=secret"));
  expect(takeGuestToken("e2", at("https://paraphe.fr/sign/e2"))).toBe("secret");
  expect(readGuestToken("e3")).toBeNull();
});
