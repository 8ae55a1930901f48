import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter, Route, Routes, useLocation } from "react-router";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clearToasts, currentToasts, removeToast } from "../../ui/toast/toast-store.ts";
import { DownloadButton } from "./download-button.tsx";
import { GuestSuccessPage } from "./guest/guest-success-page.tsx";
import { SuccessPage } from "./success-page.tsx";

let status: number;
let saved: string[];
let calls: { path: string; token: string | null }[];
let hold: Promise<void> | undefined;
let documents: readonly object[] | undefined;
let recipient: object;
let delegation: object | undefined;
let refusal: object | undefined;

beforeEach(() => {
  act(clearToasts);
  sessionStorage.clear();
  status = 200;
  saved = [];
  calls = [];
  hold = undefined;
  documents = undefined;
  recipient = { signed: true, status: "signed" };
  refusal = undefined;
  delegation = undefined;
  vi.spyOn(console, "error").mockImplementation(() => {});
  vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (
    this: HTMLAnchorElement,
  ) {
    saved.push(this.download);
  });
  // The network alone is replaced.
  vi.stubGlobal("fetch", async (address: string, { headers }: { headers: Headers }) => {
    const { pathname: path, search } = new URL(address);
    calls.push({ path: path + search, token: headers.get("x-signature-token") });
    await hold;
    if (path === "/f.pdf")
      return new Response("%PDF-", { headers: { "content-type": "application/pdf" } });
    if (/\/(guest|sign-page)\/$/.test(path))
      return Response.json(
        refusal ?? {
          title: "Bail – Rouen",
          sender_name: "Inès Bollore",
          status: "sent",
          recipient,
          progress: { signed: 1, total: 2 },
          documents,
          ...(delegation && { delegation }),
        },
        { status },
      );
    return Response.json({ download_url: "/f.pdf", file_name: "bail.pdf" }, { status });
  });
});
afterEach(() => vi.unstubAllGlobals());

function Elsewhere() {
  return <p>{`Page ${useLocation().pathname}`}</p>;
}

function show(entry: string | { pathname: string; state: unknown }) {
  render(
    <QueryClientProvider
      client={new QueryClient({ defaultOptions: { queries: { retry: false, retryDelay: 0 } } })}
    >
      <MemoryRouter initialEntries={[entry]}>
        <Routes>
          <Route path="/signature/success" element={<SuccessPage />} />
          <Route path="/signature/guest/success" element={<GuestSuccessPage />} />
          <Route path="*" element={<Elsewhere />} />
        </Routes>
      </MemoryRouter>
    </QueryClientProvider>,
  );
}
const press = (name: string) => userEvent.click(screen.getByRole("button", { name }));
const toasts = () => currentToasts().map(({ message }) => message);

test("shows 'Signature confirmée !' and announces the redirection in 10 seconds", async () => {
  show("/signature/success?id=e1");
  expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Signature confirmée !");
  expect(currentToasts()).toMatchObject([
    {
      kind: "info",
      message: 'Redirection vers "Mes documents signés" dans 10 secondes',
      durationMs: 10_000,
    },
  ]);
  act(() => currentToasts()[0]?.onElapsed?.());
  expect(await screen.findByText("Page /signature/envelopes/completed")).toBeDefined();
});

test("stops the redirection on request", async () => {
  show("/signature/success?id=e1");
  await press("Rester sur cette page");
  expect(toasts()).toEqual([]);
  expect(screen.queryByRole("button", { name: "Rester sur cette page" })).toBeNull();
});

test("downloads by the address's id, shows 'Téléchargement...' and saves document_signe.pdf", async () => {
  let release = () => {};
  hold = new Promise<void>((resolve) => {
    release = resolve;
  });
  show("/signature/success?id=e1");
  const [redirection] = currentToasts();
  if (redirection) act(() => removeToast(redirection.id));
  await press("Télécharger le document");
  expect(screen.getByRole("button", { name: "Téléchargement..." })).toBeDefined();
  release();
  await vi.waitFor(() => expect(toasts()).toEqual(["Document téléchargé avec succès"]));
  expect(calls.map(({ path }) => path)).toContain("/api/signature/envelopes/e1/download/");
  expect(saved).toEqual(["document_signe.pdf"]);
});

test("prefers the id of the navigation's state to the address's", async () => {
  show({ pathname: "/signature/success", state: { id: "e2", title: "Bail" } });
  await press("Télécharger le document");
  await vi.waitFor(() =>
    expect(calls.map(({ path }) => path)).toContain("/api/signature/envelopes/e2/download/"),
  );
});

test.each([
  [null, undefined, "Identifiant du document manquant"],
  ["e1", null, "Informations manquantes pour le téléchargement"],
  [null, "jeton", "Informations manquantes pour le téléchargement"],
] as const)("refuses a download with id %j and token %j: '%s'", async (id, token, sentence) => {
  render(
    <DownloadButton
      id={id}
      title={null}
      label="Télécharger"
      {...(token === undefined ? {} : { token })}
    />,
  );
  await press("Télécharger");
  expect(toasts()).toEqual([sentence]);
  expect(calls).toEqual([]);
});

test("says 'Échec du téléchargement. Veuillez réessayer.' after a failed download", async () => {
  status = 500;
  render(<DownloadButton id="e1" title={null} label="Télécharger" />);
  await press("Télécharger");
  await vi.waitFor(() =>
    expect(toasts()).toEqual(["Échec du téléchargement. Veuillez réessayer."]),
  );
});

test("downloads a guest's document as the slugified title with _signe.pdf", async () => {
  sessionStorage.setItem("paraphe.token.e1", "jeton");
  window.history.replaceState(null, "", "/signature/guest/success?id=e1&token=jeton");
  show("/signature/guest/success?id=e1&token=jeton");
  expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Signature réussie !");
  await screen.findByText(/1 sur 2/);
  await press("Télécharger le document signé");
  await vi.waitFor(() => expect(saved).toEqual(["bail-rouen_signe.pdf"]));
  expect(calls.every(({ token }) => token === "jeton")).toBe(true);
});

test("names the envelope to a guest, and counts its documents", async () => {
  documents = [{}, {}, {}];
  sessionStorage.setItem("paraphe.token.e1", "jeton");
  window.history.replaceState(null, "", "/signature/guest/success?id=e1&token=jeton");
  show("/signature/guest/success?id=e1&token=jeton");
  await screen.findByText("« Bail – Rouen »");
  await screen.findByRole("button", { name: /^Télécharger les 3\sdocuments signés$/ });
});

const BACK = {
  code: "not_your_turn",
  sent_back: "Renvoyé à Inès Bollore",
  document_title: "Bail",
  sender_name: "Inès Bollore",
};
const SUCCESS = {
  guest: "/signature/guest/success?id=e1&token=jeton",
  member: "/signature/success?id=e1",
};

test.each(["guest", "member"] as const)(
  "a signature that a return annulled is no success: %s",
  async (who) => {
    [status, refusal] = [409, BACK];
    window.history.replaceState(null, "", SUCCESS[who]);
    show(SUCCESS[who]);
    await screen.findByRole("heading", { name: "Renvoyé à Inès Bollore" });
    expect(screen.getByText(/^Votre signature est annulée/)).toBeDefined();
    expect(screen.getByText("D’Inès Bollore")).toBeDefined();
    expect(screen.queryByRole("button", { name: /Télécharger/ })).toBeNull();
    expect(toasts().filter((text) => text.startsWith("Impossible"))).toEqual([]);
  },
);

test.each(["guest", "member"] as const)(
  "an open success page tells of a return once a download is refused: %s",
  async (who) => {
    sessionStorage.setItem("paraphe.token.e1", "jeton");
    window.history.replaceState(null, "", SUCCESS[who]);
    show(SUCCESS[who]);
    await screen.findByText(/1 sur 2/);
    [status, refusal] = [409, BACK];
    await userEvent.click(screen.getByRole("button", { name: /^Télécharger/ }));
    await screen.findByRole("heading", { name: "Renvoyé à Inès Bollore" });
    expect(toasts().filter((text) => text.startsWith("Échec"))).toEqual([]);
  },
);

test.each(["guest", "member"] as const)(
  "a signature annulled by a return to a step says so: %s",
  async (who) => {
    recipient = { signed: false, status: "waiting" };
    window.history.replaceState(null, "", SUCCESS[who]);
    show(SUCCESS[who]);
    await screen.findByRole("heading", { name: "Document renvoyé" });
    expect(screen.getByText(/Votre signature est annulée/)).toBeDefined();
  },
);

test("a signature stands while its signer is asked for somebody else", async () => {
  show({ pathname: "/signature/success", state: { id: "e1", title: "Bail", recipientId: "r1" } });
  await screen.findByText(/\(1\s*sur\s*2\)/);
  expect(calls.map(({ path }) => path)).toContain(
    "/api/signature/envelopes/e1/sign-page/?recipient=r1",
  );
  cleanup();
  [recipient, delegation] = [{ signed: false, status: "notified" }, {}];
  show("/signature/success?id=e1");
  await screen.findByText(/\(1\s*sur\s*2\)/);
  expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Signature confirmée !");
});

test("a member reads who has signed so far, not that all is sealed", async () => {
  show({ pathname: "/signature/success", state: { id: "e1", title: "Bail" } });
  await screen.findByText(/sera scellé quand tous les signataires auront signé \(1\s*sur\s*2\)/);
  expect(screen.queryByText(/est signé, horodaté et scellé/)).toBeNull();
});

test("shows no download button to a guest without id or token", () => {
  window.history.replaceState(null, "", "/signature/guest/success");
  show("/signature/guest/success?id=e9");
  expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Signature réussie !");
  expect(screen.queryByRole("button")).toBeNull();
});

test("says 'Impossible de charger les informations du document' for an unreadable document", async () => {
  status = 500;
  window.history.replaceState(null, "", "/signature/guest/success?id=e1&token=jeton");
  show("/signature/guest/success?id=e1&token=jeton");
  await vi.waitFor(
    () => expect(toasts()).toEqual(["Impossible de charger les informations du document"]),
    { timeout: 4_000 },
  );
});
