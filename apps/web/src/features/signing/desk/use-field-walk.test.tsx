import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useRef, useState } from "react";
import { beforeEach, expect, it, vi } from "vitest";
import type { PdfViewerHandle } from "../../../pdf/pdf-viewer.tsx";
import type { SigningCalls } from "../signing-calls.ts";
import { DeskActions } from "./desk-actions.tsx";
import type { SigningField } from "./field-walk.ts";
import { type OpenedRequest, createDeskMemory, useDesk } from "./use-desk.ts";
import { useFieldWalk } from "./use-field-walk.ts";
import { useWalkKeys } from "./signing-desk.tsx";
import { sampleField, typedMark } from "./testing/sample-field.ts";

const field = (id: string, part: Partial<SigningField> = {}) =>
  sampleField(id, { document_id: "bail", label: id, ...part });

const MARK = typedMark();
const CALLS = {} as SigningCalls;
const NOTHING = () => undefined;

/** A phone's dock, and which document is shown above it. */
function Phone({ request }: { readonly request: OpenedRequest }) {
  const [dialog, setDialog] = useState("");
  const [memory] = useState(createDeskMemory);
  const desk = useDesk({ request, calls: CALLS, memory, onSigned: NOTHING, onOutcome: NOTHING });
  const viewer = useRef<PdfViewerHandle>(null);
  const open = (opened: { readonly kind: string } | null) => setDialog(opened?.kind ?? "");
  const isOpen = dialog !== "";
  const walk = useFieldWalk({
    request,
    desk,
    viewer,
    isOpen,
    open,
    isBusy: false,
    opensAtOnce: true,
  });
  useWalkKeys(!isOpen, walk);
  return (
    <>
      <output aria-label="Document">{walk.documentId}</output>
      <output aria-label="Dialogue">{dialog}</output>
      {desk.own.map((own) => (
        <div key={own.id} data-field={own.id}>
          <button type="button" onClick={() => walk.activate(own.id)}>{`Champ ${own.id}`}</button>
          {dialog === "mark" && own.id === walk.currentId ? (
            <>
              <button
                type="button"
                onClick={() => {
                  desk.useMark(MARK, [own]);
                  walk.made(own);
                }}
              >
                Utiliser
              </button>
              <button type="button" onClick={() => setDialog("")}>
                Annuler
              </button>
            </>
          ) : null}
        </div>
      ))}
      <output aria-label="Réponses">{JSON.stringify(desk.values)}</output>
      <DeskActions
        {...{ role: "signer", desk, walk, place: "dock", onDecline: NOTHING, onRedoMark: NOTHING }}
        step={{ step: undefined, onOpen: NOTHING }}
      />
    </>
  );
}

function open(documents: readonly string[], fields: readonly SigningField[]) {
  const recipient = { id: "r1", full_name: "Camille Roux", role: "signer" };
  const request = {
    id: "e1",
    recipient,
    documents: documents.map((id) => ({ id, name: `${id}.pdf` })),
    fields,
  };
  render(<Phone request={request as unknown as OpenedRequest} />);
  const press = (name: string) => userEvent.click(screen.getByRole("button", { name }));
  return { press, shown: () => screen.getByRole("status", { name: "Document" }).textContent };
}
const answers = () =>
  JSON.parse(screen.getByRole("status", { name: "Réponses" }).textContent ?? "");
const box = () => screen.getByRole<HTMLInputElement>("textbox");
const label = () => box().labels?.[0]?.textContent;

beforeEach(() => {
  sessionStorage.clear();
  vi.spyOn(window, "scrollTo").mockReturnValue(undefined);
});

it("answers a text in the dock, where one button leads on", async () => {
  const { press } = open(["bail"], [field("Téléphone"), field("Ville")]);
  expect(screen.getByText("2 champs à remplir")).toBeTruthy();
  await press("Commencer");
  expect(screen.getByText("2 champs restants")).toBeTruthy();
  expect([document.activeElement, label(), box().inputMode]).toEqual([box(), "Téléphone", "tel"]);
  await press("Suivant");
  expect([
    box().getAttribute("aria-invalid"),
    screen.getByText("Remplissez ce champ pour continuer."),
    document.activeElement,
  ]).toEqual(["true", expect.anything(), box()]);
  await userEvent.type(box(), "06 12{Enter}");
  expect(answers()).toMatchObject({ Téléphone: "06 12" });
  expect([document.activeElement, label(), box().value]).toEqual([box(), "Ville", ""]);
  await userEvent.type(box(), "Lyon{Enter}");
  expect(screen.queryByRole("textbox")).toBeNull();
  expect(
    screen.getByRole("checkbox", {
      name: "J’ai lu le document et j’accepte de le signer électroniquement.",
    }),
  ).toBeTruthy();
});

it("copies a sentence in the dock without paste, and leads on only once it is exact", async () => {
  const { press } = open(
    ["bail"],
    [field("m", { type: "mention", label: null, value: "Lu et approuvé" }), field("Ville")],
  );
  const reached: unknown[] = [];
  Element.prototype.scrollIntoView = function reach() {
    reached.push(this.getAttribute("data-field"));
  };
  await press("Commencer");
  await screen.findByRole("textbox");
  // Otherwise the dock would cover the field it answers.
  expect(reached).toContain("m");
  expect([document.activeElement, label()]).toEqual([
    box(),
    "Recopiez\u00a0: «\u00a0Lu et approuvé\u00a0»",
  ]);
  await userEvent.paste("Lu et approuvé");
  expect([box().value, screen.getByText(/^Le collage ne sert pas ici/)]).toEqual([
    "",
    expect.anything(),
  ]);
  await userEvent.type(box(), "Lu et aprouvé{Enter}");
  expect([answers().m, box().getAttribute("aria-invalid"), document.activeElement]).toEqual([
    "Lu et aprouvé",
    "true",
    box(),
  ]);
  await userEvent.clear(box());
  await userEvent.type(box(), "Lu et approuvé{Enter}");
  expect([answers().m, label()]).toEqual(["Lu et approuvé", "Ville"]);
});

it("lets an optional text be passed or left", async () => {
  const { press } = open(["bail"], [field("Fax", { required: false }), field("Ville")]);
  await press("Commencer");
  expect(label()).toBe("Fax (facultatif)");
  await userEvent.keyboard("{Escape}");
  expect([screen.queryByRole("textbox"), screen.getByRole("button", { name: "Remplir" })]).toEqual([
    null,
    expect.anything(),
  ]);
  await press("Passer");
  await press("Remplir");
  expect(label()).toBe("Ville");
});

it("walks from document to document, and reads one without fields before the consent", async () => {
  const documents = ["bail", "annexe", "plan"];
  const { press, shown } = open(documents, [
    field("Ville"),
    field("Étage", { document_id: "plan" }),
  ]);
  await press("Commencer");
  await userEvent.type(box(), "Lyon{Enter}");
  expect([shown(), screen.queryByRole("textbox")]).toEqual(["annexe", null]);
  await press("Remplir");
  expect(shown()).toBe("plan");
  await userEvent.type(box(), "3{Enter}");
  expect(
    screen.getByRole("checkbox", {
      name: "J’ai lu les 3 documents et j’accepte de les signer électroniquement.",
    }),
  ).toBeTruthy();
});

it("has every document read where nothing is to be filled", async () => {
  const { press, shown } = open(["bail", "annexe"], []);
  expect([shown(), screen.queryByRole("checkbox")]).toEqual(["bail", null]);
  await press("Document suivant");
  expect([shown(), screen.queryByRole("button", { name: "Document suivant" })]).toEqual([
    "annexe",
    null,
  ]);
  expect(screen.getByRole("checkbox", { name: /^J’ai lu les 2 documents/ })).toBeTruthy();
});

it("leads on after a tick by the button or a mark by a dialog", async () => {
  const { press } = open(
    ["bail"],
    [
      field("Accord", { type: "checkbox" }),
      field("s1", { type: "signature", y: 0.5 }),
      field("s2", { type: "signature", y: 0.8 }),
    ],
  );
  const focused = () => document.activeElement?.textContent;
  await press("Commencer");
  expect(focused()).toBe("Champ Accord");
  await press("Cocher la case");
  expect([answers().Accord, focused()]).toEqual(["Oui", "Champ s1"]);
  // Closing the dialog without a mark leads nowhere.
  await press("Poser ma signature");
  await press("Annuler");
  expect(screen.getByText("2 champs restants")).toBeTruthy();
  await press("Poser ma signature");
  await press("Utiliser");
  expect(focused()).toBe("Champ s2");
  await press("Poser ma signature");
  expect(document.activeElement).toBe(
    screen.getByRole("checkbox", { name: /^J’ai lu le document/ }),
  );
});

it("keeps a text opened by the button after a tick until the person goes on", async () => {
  const { press } = open(
    ["bail"],
    [
      field("Accord", { type: "checkbox" }),
      field("Ville", { y: 0.3 }),
      field("m", { type: "mention", label: null, value: "Lu et approuvé", y: 0.4 }),
      field("Notice", { type: "checkbox", y: 0.5 }),
    ],
  );
  await press("Commencer");
  await press("Cocher la case");
  await press("Remplir");
  await userEvent.keyboard("Lyon");
  expect([document.activeElement, label(), box().value]).toEqual([box(), "Ville", "Lyon"]);
  await userEvent.keyboard("{Escape}");
  await press("Écrire la mention");
  await screen.findByRole("textbox");
  await userEvent.keyboard("Lu et approuvé");
  expect([document.activeElement, box().value, answers().Notice]).toEqual([
    box(),
    "Lu et approuvé",
    "",
  ]);
  await userEvent.keyboard("{Enter}");
  expect(document.activeElement?.textContent).toBe("Champ Notice");
});

it("leaves the focus on a box ticked on the page", async () => {
  const { press } = open(
    ["bail"],
    [field("Accord", { type: "checkbox" }), field("Ville", { y: 0.5 })],
  );
  await press("Commencer");
  await press("Champ Accord");
  expect([answers().Accord, document.activeElement?.textContent]).toEqual(["Oui", "Champ Accord"]);
});

it("opens a text by N without writing the letter in it", async () => {
  open(["bail"], [field("Ville")]);
  screen.getByRole("button", { name: "Champ Ville" }).focus();
  await userEvent.keyboard("n");
  expect([document.activeElement, box().value]).toEqual([box(), ""]);
  await userEvent.keyboard("Nice");
  expect(box().value).toBe("Nice");
});

it("ticks by Space or Enter, and goes on by Enter from whatever is filled", async () => {
  open(
    ["bail"],
    [
      field("Accord", { type: "checkbox" }),
      field("Notice", { type: "checkbox", y: 0.4 }),
      field("Plan", { type: "checkbox", y: 0.5 }),
    ],
  );
  const focused = () => document.activeElement?.textContent;
  screen.getByRole("button", { name: "Champ Accord" }).focus();
  await userEvent.keyboard(" ");
  expect([answers().Accord, focused()]).toEqual(["Oui", "Champ Accord"]);
  await userEvent.keyboard("{Enter}");
  expect([answers().Accord, focused()]).toEqual(["Oui", "Champ Notice"]);
  await userEvent.keyboard("{Enter}");
  expect([answers().Notice, focused()]).toEqual(["Oui", "Champ Notice"]);
  // The walk goes on from the focused field, not from the one led to last.
  screen.getByRole("button", { name: "Champ Accord" }).focus();
  await userEvent.keyboard("{Enter}");
  expect(focused()).toBe("Champ Plan");
  await userEvent.keyboard(" {Enter}");
  expect(document.activeElement).toBe(
    screen.getByRole("checkbox", { name: /^J’ai lu le document/ }),
  );
  screen.getByRole("button", { name: "Champ Accord" }).focus();
  await userEvent.keyboard(" ");
  expect(answers().Accord).toBe("Non");
});

it("focuses a document to read after a last mark", async () => {
  const { press } = open(["bail", "annexe"], [field("s1", { type: "signature" })]);
  await press("Commencer");
  await press("Utiliser");
  expect(document.activeElement).toBe(screen.getByRole("button", { name: "Document suivant" }));
});
