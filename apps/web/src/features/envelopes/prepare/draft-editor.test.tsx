import { act, cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { clearToasts } from "../../../ui/toast/toast-store.ts";
import { makeDocument, makeEnvelope, makeField, makeRecipient } from "./testing/make-envelope.ts";
import { press, toasts } from "../testing/page.tsx";
import { goOn, openPreparePage, stepTitle } from "./testing/prepare-page.tsx";

const documents = [
  makeDocument(),
  makeDocument({ id: "d2", name: "annexe.pdf", sha256: "1".repeat(64) }),
];
const ready = () => makeEnvelope({ recipients: [makeRecipient()], fields: [makeField()] });
let stored = ready();
let refusal: { status: number; code: string } | null = null;

// The chunk of the step is loaded beforehand.
beforeAll(async () => void (await import("./fields/fields-step.tsx")));
beforeEach(() => {
  stored = ready();
  refusal = null;
  document.cookie = "csrftoken=jeton";
  window.scrollTo = () => undefined;
  vi.stubGlobal("fetch", async (address: string, { method }: { method: string }) => {
    if (!new URL(address).pathname.startsWith("/api/signature/envelopes/e1/"))
      return Response.json({ results: [] });
    // The file never arrives: its pages have the draft's sizes.
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

const open = (...entries: string[]) => openPreparePage("/dashboard", ...entries);

const next = async (title: string) => {
  await goOn();
  await stepTitle(title);
};

test("after the sending, Back leads to where the preparation was opened from", async () => {
  const { router, address } = open("/signature/workflow/e1");
  await stepTitle("Documents");
  await next("Destinataires");
  await act(() => router.navigate(-1));
  await stepTitle("Documents");
  await next("Destinataires");
  await act(() =>
    router.navigate("/signature/workflow/e1?etape=envoi", { state: { stepDepth: 2 } }),
  );
  await stepTitle("Vérifier et envoyer");
  await userEvent.click(screen.getAllByRole("button", { name: "Envoyer" })[0] as HTMLElement);
  await screen.findByRole("heading", { name: "Détail" });
  expect(address()).toBe("/signature/detail/e1");
  await act(() => router.navigate(-1));
  expect(address()).toBe("/dashboard");
  expect(toasts()).toEqual(["Enveloppe envoyée."]);
});

const stepButton = (name: RegExp) =>
  within(screen.getByRole("list", { name: "Étapes" })).getByRole("button", { name });

test("a finished draft's steps open in one press, once nothing is missing in the open one", async () => {
  const { address } = open("/signature/workflow/e1");
  await stepTitle("Documents");
  await userEvent.click(stepButton(/^Envoi/));
  await stepTitle("Vérifier et envoyer");
  await userEvent.click(stepButton(/^Documents \(terminée\)/));
  await stepTitle("Documents");
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
])("an envelope that is %j redirects to its own page and says so", async (part, sentence) => {
  stored = makeEnvelope(part);
  const { address } = open("/signature/workflow/e1");
  await waitFor(() => expect(address()).toBe("/signature/detail/e1"));
  expect(toasts()).toEqual([sentence]);
});

test("a draft cancelled in another page does not read as sent", async () => {
  const { address } = open("/signature/workflow/e1");
  const title = await screen.findByLabelText("Titre de l’enveloppe");
  refusal = { status: 409, code: "invalid_state" };
  stored = { ...stored, status: "cancelled" };
  fireEvent.change(title, { target: { value: "Bail" } });
  fireEvent.blur(title);
  await waitFor(() => expect(address()).toBe("/signature/detail/e1"));
  expect(toasts()).toEqual([
    "Ce brouillon est dans «\u00a0Supprimé\u00a0». Restaurez-le pour le modifier.",
  ]);
});

test("a conflict says when the draft was changed elsewhere and what would be replaced", async () => {
  open("/signature/workflow/e1");
  const title = await screen.findByLabelText("Titre de l’enveloppe");
  refusal = { status: 409, code: "version_conflict" };
  stored = { ...stored, updated_at: "2025-11-21T14:12:00Z" };
  fireEvent.change(title, { target: { value: "Bail" } });
  fireEvent.blur(title);
  expect((await screen.findByText(/modifié ailleurs/)).textContent).toBe(
    "Ce brouillon a été modifié ailleurs le 21\u00a0novembre 2025 à\u00a015\u00a0h\u00a012.",
  );
  expect(screen.getByText("Modifications non enregistrées")).toBeTruthy();
  expect(screen.getByText("Garder votre version n’y remplace que le titre.")).toBeTruthy();
  fireEvent.change(title, { target: { value: "Bail" } });
  fireEvent.change(screen.getByLabelText("Rappel automatique"), { target: { value: "7" } });
  expect(
    screen.getByText("Garder votre version n’y remplace que le titre et le rappel automatique."),
  ).toBeTruthy();
});

/** Drops files on an element; true when the browser does not open them. */
function dropOn(target: Element, files: readonly File[], types = ["Files"]): boolean {
  const dataTransfer = { files, types, dropEffect: "" };
  const isHeld = !fireEvent.dragOver(target, { dataTransfer });
  return !fireEvent.drop(target, { dataTransfer }) && isHeld;
}

test("files dropped anywhere are taken once at the first step, and never opened by the browser", async () => {
  open("/signature/workflow/e1");
  await stepTitle("Documents");
  const photo = new File(["x"], "photo.jpeg");
  await waitFor(() =>
    expect(dropOn(screen.getByRole("heading", { level: 1 }), [photo])).toBe(true),
  );
  expect(screen.getAllByText("photo.jpeg")).toHaveLength(1);
  expect(dropOn(screen.getByText("Déposez vos PDF ici"), [new File(["x"], "plan.png")])).toBe(true);
  expect(screen.getAllByText("plan.png")).toHaveLength(1);
  // Text dragged between fields is the browser's own.
  expect(dropOn(screen.getByRole("heading", { level: 1 }), [], ["text/plain"])).toBe(false);
  await next("Destinataires");
  expect(dropOn(screen.getByRole("heading", { level: 1 }), [new File(["x"], "autre.jpeg")])).toBe(
    true,
  );
  await userEvent.click(screen.getAllByRole("button", { name: "Retour" })[0] as HTMLElement);
  expect(screen.queryByText("autre.jpeg")).toBeNull();
});

test("a field over the file's own form is a warning of the check list, with its correction", async () => {
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
  await press("Placer les champs");
  expect(address()).toBe("/signature/workflow/e1?etape=champs");
});

test("a page covered too far stops the sending, with its correction", async () => {
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
  await press("Placer les champs");
  expect(address()).toBe("/signature/workflow/e1?etape=champs");
});

test("the check list opens the file of an incomplete mention and focuses its sentence", async () => {
  const fields = [
    makeField(),
    makeField({ id: "f2", document_id: "d2", type: "mention", page: 1, y: 0.2 }),
  ];
  stored = makeEnvelope({ documents, recipients: [makeRecipient()], fields });
  open("/signature/workflow/e1?etape=envoi");
  await screen.findByText(/Écrivez la phrase de la mention à recopier \(annexe\.pdf, page 1\)/);
  await press("Placer les champs");
  const sentence = await screen.findByRole("textbox", { name: /Phrase à recopier/ });
  await waitFor(() => expect(document.activeElement).toBe(sentence));
  expect(screen.getByRole<HTMLSelectElement>("combobox", { name: "Document affiché" }).value).toBe(
    "d2",
  );
});

test("a field added to another file displays that file and takes the focus", async () => {
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
  await press("Ajouter le champ");
  expect(screen.getByRole<HTMLSelectElement>("combobox", { name: "Document affiché" }).value).toBe(
    "d2",
  );
  await waitFor(() =>
    expect(document.activeElement?.outerHTML).toMatch(/Signature de Camille Roux, page 1/),
  );
});
