import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { createMemoryRouter, RouterProvider } from "react-router";
import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { clearToasts, currentToasts } from "../../../ui/toast/toast-store.ts";
import { PreparePage } from "./prepare-page.tsx";
import { makeDocument, makeEnvelope, makeField, makeRecipient } from "./testing/make-envelope.ts";

const ready = () => makeEnvelope({ recipients: [makeRecipient()], fields: [makeField()] });
let stored = ready();
let refusal: { status: number; code: string } | null = null;

// The step is fetched when it is opened; here it is there already.
beforeAll(async () => void (await import("./fields/fields-step.tsx")));
beforeEach(() => {
  stored = ready();
  refusal = null;
  document.cookie = "csrftoken=jeton";
  window.scrollTo = () => undefined;
  // The network alone is replaced.
  vi.stubGlobal("fetch", async (address: string, { method }: { method: string }) => {
    if (!new URL(address).pathname.startsWith("/api/signature/envelopes/e1/"))
      return Response.json({ results: [] });
    // A file on its way: its pages stand, at the sizes that the draft tells.
    if (new URL(address).pathname.includes("/documents/"))
      return new Promise<Response>(() => undefined);
    if (method !== "GET" && refusal) return Response.json(refusal, { status: refusal.status });
    if (address.endsWith("/send/")) stored = { ...stored, status: "sent" };
    return Response.json(stored);
  });
});
afterEach(() => {
  cleanup();
  clearToasts();
  vi.unstubAllGlobals();
});

function open(...entries: string[]) {
  const router = createMemoryRouter(
    [
      { path: "/signature/workflow/:id", element: <PreparePage /> },
      { path: "/signature/detail/:id", element: <h1>Détail</h1> },
      { path: "*", element: <h1>Accueil</h1> },
    ],
    { initialEntries: ["/dashboard", ...entries] },
  );
  render(
    <QueryClientProvider
      client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}
    >
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  return { router, address: () => router.state.location.pathname + router.state.location.search };
}

const said = () => currentToasts().map((toast) => toast.message);
const goOn = async (title: string) => {
  await userEvent.click(screen.getAllByRole("button", { name: "Continuer" })[0] as HTMLElement);
  await screen.findByRole("heading", { level: 1, name: title });
};

test("after the sending, Back leads to where the preparation was opened from, whatever the steps gone through", async () => {
  const { router, address } = open("/signature/workflow/e1");
  await screen.findByRole("heading", { level: 1, name: "Documents" });
  await goOn("Destinataires");
  await act(() => router.navigate(-1));
  await screen.findByRole("heading", { level: 1, name: "Documents" });
  await goOn("Destinataires");
  await act(() =>
    router.navigate("/signature/workflow/e1?etape=envoi", { state: { stepDepth: 2 } }),
  );
  await screen.findByRole("heading", { level: 1, name: "Vérifier et envoyer" });
  await userEvent.click(screen.getAllByRole("button", { name: "Envoyer" })[0] as HTMLElement);
  await screen.findByRole("heading", { name: "Détail" });
  expect(address()).toBe("/signature/detail/e1");
  await act(() => router.navigate(-1));
  expect(address()).toBe("/dashboard");
  expect(said()).toEqual(["Enveloppe envoyée."]);
});

const stepButton = (name: RegExp) =>
  within(screen.getByRole("list", { name: "Étapes" })).getByRole("button", { name });

test("back at the documents of a finished draft, its other steps are in one press; what is missing here is said first", async () => {
  const { address } = open("/signature/workflow/e1");
  await screen.findByRole("heading", { level: 1, name: "Documents" });
  await userEvent.click(stepButton(/^Envoi/));
  await screen.findByRole("heading", { level: 1, name: "Vérifier et envoyer" });
  await userEvent.click(stepButton(/^Documents \(terminée\)/));
  await screen.findByRole("heading", { level: 1, name: "Documents" });
  await userEvent.click(stepButton(/^Destinataires \(terminée\)/));
  expect(address()).toBe("/signature/workflow/e1?etape=destinataires");
  await userEvent.click(stepButton(/^Documents/));
  await userEvent.clear(await screen.findByLabelText("Titre de l’enveloppe"));
  await userEvent.click(stepButton(/^Champs/));
  expect(screen.getByText("Titre requis")).toBeTruthy();
  expect(address()).toBe("/signature/workflow/e1?etape=documents");
});

test.each([
  [
    { status: "sent", sent_at: "2026-11-21T10:00:00Z" } as const,
    "Cette enveloppe a déjà été envoyée.",
  ],
  [
    { status: "cancelled", sent_at: "2026-11-21T10:00:00Z" } as const,
    "Cette enveloppe a été annulée.",
  ],
  [
    { status: "cancelled", sent_at: null } as const,
    "Ce brouillon est dans «\u00a0Supprimé\u00a0». Restaurez-le pour le modifier.",
  ],
])("an envelope that is %j leads to its own page and says so", async (part, sentence) => {
  stored = makeEnvelope(part);
  const { address } = open("/signature/workflow/e1");
  await waitFor(() => expect(address()).toBe("/signature/detail/e1"));
  expect(said()).toEqual([sentence]);
});

test("a draft cancelled in another page is not said to be sent", async () => {
  const { address } = open("/signature/workflow/e1");
  const title = await screen.findByLabelText("Titre de l’enveloppe");
  refusal = { status: 409, code: "invalid_state" };
  stored = { ...stored, status: "cancelled" };
  fireEvent.change(title, { target: { value: "Bail" } });
  fireEvent.blur(title);
  await waitFor(() => expect(address()).toBe("/signature/detail/e1"));
  expect(said()).toEqual([
    "Ce brouillon est dans «\u00a0Supprimé\u00a0». Restaurez-le pour le modifier.",
  ]);
});

test("a conflict says when the draft was changed elsewhere, and the bar that nothing is saved", async () => {
  open("/signature/workflow/e1");
  const title = await screen.findByLabelText("Titre de l’enveloppe");
  refusal = { status: 409, code: "version_conflict" };
  stored = { ...stored, updated_at: "2025-11-21T14:12:00Z" };
  fireEvent.change(title, { target: { value: "Bail" } });
  fireEvent.blur(title);
  expect((await screen.findByText(/modifié ailleurs/)).textContent).toBe(
    "Ce brouillon a été modifié ailleurs le 21 novembre 2025 à\u00a015\u00a0h\u00a012.",
  );
  expect(screen.getByText("Modifications non enregistrées")).toBeTruthy();
  expect(screen.getByText("Garder votre version n’y remplace que le titre.")).toBeTruthy();
  fireEvent.change(title, { target: { value: "Bail" } });
  fireEvent.change(screen.getByLabelText("Rappel automatique"), { target: { value: "7" } });
  expect(
    screen.getByText("Garder votre version n’y remplace que le titre et le rappel automatique."),
  ).toBeTruthy();
});

/** Files let go over an element; true when the browser is kept from opening them. */
function dropOn(target: Element, files: readonly File[], types = ["Files"]): boolean {
  const dataTransfer = { files, types, dropEffect: "" };
  const isHeld = !fireEvent.dragOver(target, { dataTransfer });
  return !fireEvent.drop(target, { dataTransfer }) && isHeld;
}

test("files dropped anywhere on the page are taken once at the first step, and never opened by the browser", async () => {
  open("/signature/workflow/e1");
  await screen.findByRole("heading", { level: 1, name: "Documents" });
  const photo = new File(["x"], "photo.jpeg");
  expect(dropOn(screen.getByRole("heading", { level: 1 }), [photo])).toBe(true);
  expect(screen.getAllByText("photo.jpeg")).toHaveLength(1);
  expect(dropOn(screen.getByText("Déposez vos PDF ici"), [new File(["x"], "plan.png")])).toBe(true);
  expect(screen.getAllByText("plan.png")).toHaveLength(1);
  // A text dragged from a field to another is the browser's own.
  expect(dropOn(screen.getByRole("heading", { level: 1 }), [], ["text/plain"])).toBe(false);
  await goOn("Destinataires");
  expect(dropOn(screen.getByRole("heading", { level: 1 }), [new File(["x"], "autre.jpeg")])).toBe(
    true,
  );
  await userEvent.click(screen.getAllByRole("button", { name: "Retour" })[0] as HTMLElement);
  expect(screen.queryByText("autre.jpeg")).toBeNull();
});

test("a place over the file's own form is said in the check list, where it is put right, and stops nothing", async () => {
  stored = {
    ...ready(),
    warnings: [{ code: "covers_form_field", field_id: "f1", document_id: "d1", page: 1 }],
  };
  const { address } = open("/signature/workflow/e1?etape=envoi");
  await screen.findByText(
    /^Un champ recouvre un champ de formulaire ou une signature du fichier \(page 1\)\./,
  );
  const [send] = screen.getAllByRole("button", { name: "Envoyer" });
  expect(send?.getAttribute("aria-disabled")).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "Placer les champs" }));
  expect(address()).toBe("/signature/workflow/e1?etape=champs");
});

test("a page that its fields cover too far stops the sending, and is put right where they are placed", async () => {
  stored = {
    ...ready(),
    warnings: [{ code: "page_covered", field_id: "f1", document_id: "d1", page: 1 }],
  };
  const { address } = open("/signature/workflow/e1?etape=envoi");
  await screen.findByText(
    /^Les champs couvrent trop la page, et une signature apposée avant eux ne serait plus valable/,
  );
  expect(screen.getAllByRole("button", { name: "Envoyer" })[0]?.getAttribute("aria-disabled")).toBe(
    "true",
  );
  await userEvent.click(screen.getByRole("button", { name: "Placer les champs" }));
  expect(address()).toBe("/signature/workflow/e1?etape=champs");
});

test("the check list leads to the very field that lacks something: its sentence's box has the focus, its file is displayed", async () => {
  const documents = [
    makeDocument(),
    makeDocument({ id: "d2", name: "annexe.pdf", sha256: "1".repeat(64) }),
  ];
  const fields = [
    makeField(),
    makeField({ id: "f2", document_id: "d2", type: "mention", page: 1, y: 0.2 }),
  ];
  stored = makeEnvelope({ documents, recipients: [makeRecipient()], fields });
  open("/signature/workflow/e1?etape=envoi");
  await screen.findByText(/Écrivez la phrase de la mention à recopier \(annexe\.pdf, page 1\)/);
  await userEvent.click(screen.getByRole("button", { name: "Placer les champs" }));
  const sentence = await screen.findByRole("textbox", { name: /Phrase à recopier/ });
  await waitFor(() => expect(document.activeElement).toBe(sentence));
  expect(screen.getByRole<HTMLSelectElement>("combobox", { name: "Document affiché" }).value).toBe(
    "d2",
  );
});

test("a field added to a file that is not displayed displays it, and has the focus", async () => {
  const documents = [
    makeDocument(),
    makeDocument({ id: "d2", name: "annexe.pdf", sha256: "1".repeat(64) }),
  ];
  stored = makeEnvelope({ documents, recipients: [makeRecipient()], fields: [makeField()] });
  open("/signature/workflow/e1?etape=champs");
  const shown = await screen.findByRole<HTMLSelectElement>("combobox", {
    name: "Document affiché",
  });
  expect(shown.value).toBe("d1");
  await userEvent.click(
    screen.getAllByRole("button", { name: "Ajouter sur la page…" })[0] as HTMLElement,
  );
  await userEvent.selectOptions(screen.getByRole("combobox", { name: "Document" }), "d2");
  await userEvent.click(screen.getByRole("button", { name: "Ajouter le champ" }));
  expect(screen.getByRole<HTMLSelectElement>("combobox", { name: "Document affiché" }).value).toBe(
    "d2",
  );
  await waitFor(() =>
    expect(document.activeElement?.outerHTML).toMatch(/Signature de Camille Roux, page 1/),
  );
});
