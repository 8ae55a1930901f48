import type { Document, Envelope } from "@paraphe/contracts";
import { QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { clearToasts, currentToasts } from "../../../../ui/toast/toast-store.ts";
import { DraftKeeper } from "../draft/draft-keeper.ts";
import { envelopeCalls } from "../draft/envelope-calls.ts";
import { makeDocument, makeEnvelope, makeField, makeRecipient } from "../testing/make-envelope.ts";
import { preserveFocus } from "../../../../ui/focus/preserve-focus.ts";
import { replaceDocument } from "./replace-document.ts";
import type { Uploads } from "./use-uploads.ts";
import { DocumentsStep } from "./documents-step.tsx";
import { clemence } from "../../../accounts/settings/testing/open-page.tsx";
import { sessionQuery } from "../../../accounts/use-session.ts";
import { newClient, press } from "../../testing/page.tsx";

const CONSENT = "J’accepte que ce soit une copie corrigée de ce fichier qui soit signée.";
const SCRIPT = "Ce PDF contient du code JavaScript. Il est retiré de la copie à signer.";
const LAYERS = "Ce PDF contient des calques ou des annotations qui peuvent masquer du texte.";

afterEach(() => vi.unstubAllGlobals());

type Part = {
  order?: string[];
  accept_normalised?: string[];
  document_names?: { id: string; name: string }[];
  remove_documents?: string[];
};

const NO_UPLOADS: Uploads = {
  items: [],
  isBusy: false,
  add: () => undefined,
  retry: () => undefined,
  remove: () => undefined,
};

function open(...documents: Document[]) {
  return openWith(NO_UPLOADS, documents);
}

function openWith(
  uploads: Uploads,
  documents: readonly Document[],
  user = clemence,
  part: Partial<Envelope> = {},
) {
  const envelope = makeEnvelope({ documents: [...documents], ...part });
  const sent: Record<string, unknown>[] = [];
  let kept: readonly Document[] = documents;
  vi.stubGlobal(
    "fetch",
    async (url: string, { method, body }: { method: string; body: string }) => {
      if (url.includes("/correction/"))
        return Response.json({ page_count: 1, next: null, unread: [], difference: null });
      if (method !== "PATCH") return Response.json({});
      const part = JSON.parse(body) as Part;
      sent.push(part);
      kept = (part.order ?? kept.map(({ id }) => id)).flatMap((id) =>
        kept.filter((document) => document.id === id),
      );
      kept = kept.filter(({ id }) => !part.remove_documents?.includes(id));
      if (part.accept_normalised)
        kept = kept.map((document) => ({
          ...document,
          control: { ...document.control, accepted: true },
        }));
      const named = new Map(part.document_names?.map(({ id, name }) => [id, name]));
      kept = kept.map((document) => ({
        ...document,
        name: named.get(document.id) ?? document.name,
      }));
      return Response.json(makeEnvelope({ documents: [...kept], version: sent.length + 1 }));
    },
  );
  const keeper = new DraftKeeper(envelope, {
    now: () => new Date(),
    load: envelopeCalls.load,
    patch: envelopeCalls.patch,
  });
  const show = () => (
    <DocumentsStep
      draft={keeper.state().draft}
      keeper={keeper}
      documents={keeper.state().envelope?.documents ?? []}
      showFaults={false}
      uploads={uploads}
    />
  );
  const client = newClient();
  client.setQueryData(sessionQuery.queryKey, user);
  const Shown = () => <QueryClientProvider client={client}>{show()}</QueryClientProvider>;
  const { rerender } = render(<Shown />);
  keeper.subscribe(() => rerender(<Shown />));
  return { sent, keeper };
}

test("each finding is shown, and a corrected copy needs its owner's consent", async () => {
  const findings = [
    { code: "javascript", detail: SCRIPT },
    { code: "hidden_layers", detail: LAYERS },
  ];
  const { sent } = open(
    makeDocument({ control: { result: "fixable", findings, accepted: false } }),
  );
  expect(screen.getByText(SCRIPT)).toBeTruthy();
  expect(screen.getByText(LAYERS)).toBeTruthy();
  await screen.findByText("La copie corrigée a le même aspect que l’original.");
  await userEvent.click(screen.getByRole("checkbox", { name: CONSENT }));
  expect(sent).toEqual([{ accept_normalised: ["d1"] }]);
  const box = screen.getByRole<HTMLInputElement>("checkbox", { name: CONSENT });
  await waitFor(() => expect(box.getAttribute("aria-disabled")).toBe("true"));
  expect(box.checked).toBe(true);
  expect(document.activeElement).toBe(box);
  await userEvent.click(box);
  expect(sent).toHaveLength(1);
  await userEvent.tab();
  expect(box).toMatchObject({ checked: true, disabled: true });
});

test("a sound file needs no consent and says what it keeps", () => {
  const detail = "Ce PDF porte déjà une signature, qui n’a pas été altérée. Elle est conservée.";
  open(
    makeDocument({
      control: {
        result: "ok",
        findings: [{ code: "existing_signatures", detail }],
        accepted: false,
      },
    }),
  );
  expect(screen.getByText(detail)).toBeTruthy();
  expect(screen.queryByRole("checkbox")).toBeNull();
});

test("the only file is replaced, another is removed, and a toast tells that its fields went", async () => {
  clearToasts();
  const added: unknown[] = [];
  const uploads = { ...NO_UPLOADS, add: (...asked: unknown[]) => void added.push(asked) };
  const fields = [makeField(), makeField({ id: "f2" })];
  const only = makeDocument();
  openWith(uploads, [only], clemence, { recipients: [makeRecipient()], fields });
  expect(screen.queryByRole("button", { name: "Retirer contrat.pdf" })).toBeNull();
  expect(screen.getByRole("button", { name: "Remplacer contrat.pdf" })).toBeTruthy();
  const file = new File(["%PDF-1.7"], "corrigé.pdf", { type: "application/pdf" });
  const input = document.querySelector("input[aria-label='Remplacer contrat.pdf']");
  fireEvent.change(input as HTMLInputElement, { target: { files: [file] } });
  expect(added).toEqual([[[file], "d1"]]);
  cleanup();
  const two = [only, makeDocument({ id: "d2", name: "annexe.pdf" })];
  const { sent } = openWith(uploads, two, clemence, { recipients: [makeRecipient()], fields });
  await press("Retirer contrat.pdf");
  await waitFor(() =>
    expect(currentToasts()).toMatchObject([
      { message: expect.stringMatching(/^contrat\.pdf retiré, avec 2\schamps$/) },
    ]),
  );
  expect(sent).toEqual([{ remove_documents: ["d1"] }]);
});

test.each([
  ["on the replaced row", "Retirer contrat.pdf", "Remplacer corrigé.pdf"],
  ["elsewhere", "Titre de l’enveloppe", "Titre de l’enveloppe"],
])("a replaced file keeps the focus on its row: %s", async (_where, from, to) => {
  const stop = preserveFocus(document);
  const replaced = makeDocument();
  const added = makeDocument({ id: "d2", name: "corrigé.pdf" });
  const { keeper } = openWith(NO_UPLOADS, [replaced, added]);
  screen.getByLabelText(from, { exact: false }).focus();
  await act(() => replaceDocument(keeper, { replaced, added }));
  const focused = () => document.activeElement;
  await waitFor(() =>
    expect(focused()).toBe(
      screen.getByLabelText(to, { selector: "button,input:not([type=file])", exact: false }),
    ),
  );
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(focused()).toBe(
    screen.getByLabelText(to, { selector: "button,input:not([type=file])", exact: false }),
  );
  stop();
});

const nextYear = new Date().getFullYear() + 1;
const NAMES = ["Bail.pdf", "Annexe.pdf", "Plan.pdf"];
const three = () => NAMES.map((name, index) => makeDocument({ id: `d${index + 1}`, name }));
const shown = () =>
  screen
    .getAllByRole("button", { name: /^Déplacer / })
    .map((handle) => handle.getAttribute("aria-label")?.slice(9));

test("Alt and an arrow move a file from any of its controls, a step a press, and announce it", async () => {
  const user = userEvent.setup();
  const { sent } = open(...three());
  screen.getByRole("button", { name: "Déplacer Bail.pdf" }).focus();
  await user.keyboard("{ArrowDown}");
  expect(sent).toEqual([]);
  await user.keyboard("{Alt>}{ArrowDown}{ArrowDown}{/Alt}");
  await waitFor(() => expect(shown()).toEqual(["Annexe.pdf", "Plan.pdf", "Bail.pdf"]));
  expect(sent).toEqual([{ order: ["d2", "d1", "d3"] }, { order: ["d2", "d3", "d1"] }]);
  expect(document.activeElement?.getAttribute("aria-label")).toBe("Déplacer Bail.pdf");
  await waitFor(() =>
    expect(document.getElementById("annonces")?.textContent).toBe(
      "Bail.pdf\u00a0: position 3 sur 3",
    ),
  );
  screen.getByRole("button", { name: "Retirer Plan.pdf" }).focus();
  await user.keyboard("{Alt>}{ArrowUp}{/Alt}");
  await waitFor(() => expect(shown()).toEqual(["Plan.pdf", "Annexe.pdf", "Bail.pdf"]));
  await user.keyboard("{Alt>}{ArrowUp}{/Alt}");
  expect(sent).toHaveLength(3);
});

test("a file is dropped beside another; Escape or a drop elsewhere leaves the order", async () => {
  const { sent } = open(...three());
  for (const [index, row] of [...document.querySelectorAll("[data-file]")].entries())
    row.getBoundingClientRect = () => new DOMRect(0, 100 * index, 300, 80);
  const grip = screen.getByRole("button", { name: "Déplacer Plan.pdf" });
  const go = (type: string, clientY: number) =>
    fireEvent(window, new PointerEvent(type, { pointerId: 1, clientY, bubbles: true }));
  const grab = () =>
    fireEvent(grip, new PointerEvent("pointerdown", { pointerId: 1, clientY: 240, bubbles: true }));
  const landing = () =>
    [...document.querySelectorAll("[data-file]")].map((row) => row.getAttribute("data-landing"));
  grab();
  go("pointermove", 20);
  expect(landing()).toEqual(["before", null, null]);
  await userEvent.keyboard("{Escape}");
  expect(landing()).toEqual([null, null, null]);
  go("pointerup", 20);
  grab();
  go("pointerup", 500);
  expect(sent).toEqual([]);
  grab();
  go("pointermove", 60);
  expect(landing()).toEqual(["after", null, null]);
  go("pointerup", 60);
  await waitFor(() => expect(shown()).toEqual(["Bail.pdf", "Plan.pdf", "Annexe.pdf"]));
  expect(sent).toEqual([{ order: ["d1", "d3", "d2"] }]);
});

test("a single file has no order", () => {
  open(makeDocument());
  expect(screen.queryByRole("button", { name: /^Déplacer / })).toBeNull();
});

test("the title is required, the deadline optional, and a holiday only warned of", async () => {
  open(makeDocument());
  expect(screen.getByText(/^Les champs sont obligatoires, sauf ceux marqués/)).toBeTruthy();
  expect(screen.getByLabelText("Titre de l’enveloppe").getAttribute("aria-required")).toBe("true");
  const deadline = screen.getByRole("textbox", { name: "Échéance (facultatif)" });
  await userEvent.type(deadline, `11/11/${nextYear}`);
  expect(screen.getByText("Le 11 novembre est férié (Armistice 1918).")).toBeTruthy();
  expect(deadline.getAttribute("aria-invalid")).toBeNull();
});

test("the service's refusal of a deadline stands at its field until the next change", async () => {
  const { keeper } = open(makeDocument());
  vi.stubGlobal("fetch", async () =>
    Response.json(
      {
        status: 400,
        code: "validation",
        detail: "Données incorrectes",
        errors: { deadline_at: ["L’échéance doit être dans les deux ans"] },
      },
      { status: 400 },
    ),
  );
  const deadline = screen.getByRole("textbox", { name: "Échéance (facultatif)" });
  await userEvent.type(deadline, `01/12/${nextYear}`);
  await act(() => keeper.flush());
  expect(deadline.getAttribute("aria-invalid")).toBe("true");
  expect(screen.getByText("L’échéance doit être dans les deux ans")).toBeTruthy();
  await userEvent.clear(deadline);
  expect(screen.queryByText("L’échéance doit être dans les deux ans")).toBeNull();
});

test("a usual length sets the deadline in one press, and « Aucune » removes it", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-11-21T23:30:00Z") });
  const { keeper } = open(makeDocument());
  const lengths = within(screen.getByRole("group", { name: "Échéance dans" }));
  const names = lengths.getAllByRole("button").map(({ textContent }) => textContent);
  expect(names).toEqual(["Aucune", "7\u00a0jours", "14\u00a0jours", "30\u00a0jours"]);
  expect(lengths.getByRole("button", { pressed: true }).textContent).toBe("Aucune");
  await userEvent.click(lengths.getByRole("button", { name: "14\u00a0jours" }));
  // It is the 22nd in Paris already.
  expect(keeper.state().draft.deadline).toBe("2026-12-06");
  expect(
    screen.getByRole<HTMLInputElement>("textbox", { name: "Échéance (facultatif)" }).value,
  ).toBe("06/12/2026");
  expect(lengths.getByRole("button", { pressed: true }).textContent).toBe("14\u00a0jours");
  await userEvent.click(lengths.getByRole("button", { name: "Aucune" }));
  expect(keeper.state().draft.deadline).toBe("");
  vi.useRealTimers();
});

test("the reminder is set where the deadline is", async () => {
  const { keeper } = open(makeDocument());
  await userEvent.selectOptions(
    screen.getByRole("combobox", { name: "Rappel automatique" }),
    "Toutes les semaines",
  );
  expect(keeper.state().draft.remindEveryDays).toBe(7);
});

test("a file is renamed, an empty name refused, and the dialog closes", async () => {
  const { sent } = open(...three());
  await press("Renommer Annexe.pdf");
  const name = await screen.findByRole<HTMLInputElement>("textbox", { name: "Nom du fichier" });
  expect([name.value, document.activeElement]).toEqual(["Annexe.pdf", name]);
  await userEvent.clear(name);
  await userEvent.keyboard("{Enter}");
  expect(screen.getByText("Nom requis")).toBeTruthy();
  await userEvent.type(name, "Plan de situation.pdf{Enter}");
  await screen.findByRole("button", { name: "Renommer Plan de situation.pdf" });
  expect(sent).toEqual([{ document_names: [{ id: "d2", name: "Plan de situation.pdf" }] }]);
  expect(screen.queryByRole("dialog")).toBeNull();
});

test("each file shows its first page, hidden from assistive technology", () => {
  open(...three());
  const pictures = [
    ...document.querySelectorAll<HTMLImageElement>("li [aria-hidden='true'] > img[alt='']"),
  ];
  expect(pictures.map(({ src }) => new URL(src).pathname)).toEqual(
    ["d1", "d2", "d3"].map((id) => `/api/signature/envelopes/e1/documents/${id}/first-page/`),
  );
});

test("a file cut by the network can be retried, a refused one cannot; each comes in sight", async () => {
  const retried: string[] = [];
  const reached: (string | null)[] = [];
  Element.prototype.scrollIntoView = function reach() {
    reached.push(this.querySelector("span")?.textContent ?? null);
  };
  const item = {
    key: "a",
    name: "bail.pdf",
    size: 5_000,
    state: "refused",
    sentBytes: 0,
    error: "Erreur réseau",
    again: "with the network",
  } as const;
  const big = {
    ...item,
    key: "b",
    name: "plan.pdf",
    size: 10_485_761,
    error: "Le fichier est trop volumineux (max 10MB)",
    again: "never",
  } as const;
  openWith({ ...NO_UPLOADS, items: [item, big], retry: (key) => retried.push(key) }, [
    makeDocument(),
  ]);
  expect(reached).toHaveLength(2);
  await press(/^Réessayer/);
  expect(retried).toEqual(["a"]);
  expect(screen.getByText(/^10,01\sMo$/)).toBeTruthy();
});

test("a member of a team chooses in whose name the envelope goes; nobody else is asked", async () => {
  const { keeper } = openWith(NO_UPLOADS, [makeDocument()]);
  expect(screen.queryByLabelText("Équipe")).toBeNull();
  cleanup();
  await import("../../../accounts/team-field.tsx");
  const urban = { id: "01990000-0000-7000-8000-0000000000aa", name: "Service Urbanisme" };
  const shared = openWith(NO_UPLOADS, [makeDocument()], { ...clemence, teams: [urban] });
  await userEvent.selectOptions(await screen.findByLabelText("Équipe"), "Service Urbanisme");
  expect([keeper, shared.keeper].map((one) => one.state().draft.team)).toEqual([null, urban.id]);
  expect(screen.getByText(/^Envoyée .*service Urbanisme/i)).toBeDefined();
});
