import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useRef, useState } from "react";
import { beforeEach, expect, it } from "vitest";
import type { PdfViewerHandle } from "../../../pdf/pdf-viewer.tsx";
import type { SigningCalls } from "../signing-calls.ts";
import { DeskActions } from "./desk-actions.tsx";
import { FieldTodo } from "./field-todo.tsx";
import type { SigningField } from "./field-walk.ts";
import { sampleField, typedMark } from "./testing/sample-field.ts";
import { type OpenedRequest, createDeskMemory, useDesk } from "./use-desk.ts";
import { useFieldWalk } from "./use-field-walk.ts";

const NOTHING = () => undefined;
const PLACES = ["head", "side", "dock"] as const;

/** Every place that shows the work left, for one state. */
function EveryPlace({ request }: { readonly request: OpenedRequest }) {
  const [memory] = useState(createDeskMemory);
  const desk = useDesk({
    request,
    calls: { sign: () => new Promise(NOTHING) } as unknown as SigningCalls,
    memory,
    onSigned: NOTHING,
    onOutcome: NOTHING,
  });
  const viewer = useRef<PdfViewerHandle>(null);
  const walk = useFieldWalk({
    request,
    desk,
    viewer,
    isOpen: false,
    open: NOTHING,
    isBusy: false,
    opensAtOnce: false,
  });
  const marked = desk.own.filter(({ type }) => type === "signature");
  return (
    <>
      <FieldTodo desk={desk} currentId={walk.currentId} onGo={walk.goTo} />
      {PLACES.map((place) => (
        <section key={place} aria-label={place}>
          <DeskActions
            {...{ desk, walk, place, role: "signer", onDecline: NOTHING, onRedoMark: NOTHING }}
            step={{ step: undefined, onOpen: NOTHING }}
          />
        </section>
      ))}
      <button type="button" onClick={() => void desk.sign()}>
        Envoyer
      </button>
      <button type="button" onClick={() => desk.useMark(typedMark(), marked)}>
        Signer ici
      </button>
      <button type="button" onClick={() => desk.setValue("mention", "Lu")}>
        Commencer la mention
      </button>
    </>
  );
}

function open(fields: readonly SigningField[]) {
  const request = {
    id: "e1",
    recipient: { id: "r1", full_name: "Camille Roux", role: "signer" },
    documents: [{ id: "d1", name: "bail.pdf" }],
    fields,
  };
  render(<EveryPlace request={request as unknown as OpenedRequest} />);
}

const at = (place: (typeof PLACES)[number]) => within(screen.getByRole("region", { name: place }));
const meter = (place: "head" | "dock") => [
  at(place).getByRole("status").textContent,
  at(place).queryByRole("img")?.getAttribute("aria-label"),
];
const listed = () =>
  Object.fromEntries(
    screen
      .getAllByRole("heading", { level: 2 })
      .map((title) => [
        title.textContent,
        [...(title.parentElement?.querySelectorAll("li") ?? [])].map((item) => item.textContent),
      ]),
  );

const FIELDS = [
  sampleField("phone", { required: false, label: "Téléphone", y: 0.1 }),
  sampleField("date", { type: "date", y: 0.2 }),
  sampleField("mention", { type: "mention", required: false, value: "Lu et approuvé", y: 0.3 }),
  sampleField("sign", { type: "signature", y: 0.5 }),
];

beforeEach(() => sessionStorage.clear());

it("counts the same fields left in the head, the list, the button and the dock", () => {
  open(FIELDS);
  expect(meter("head")).toEqual(["1 champ à remplir", "1 champ rempli sur 2"]);
  expect(meter("dock")).toEqual(meter("head"));
  expect(at("side").getByText("Remplissez d’abord le champ restant.")).toBeTruthy();
  expect(listed()).toEqual({
    "À remplir": ["Date, page\u00a01 (rempli)", "Signature, page\u00a01"],
    Facultatif: ["Téléphone, page\u00a01", "Mention manuscrite, page\u00a01"],
  });
});

it("counts an optional mention once it is begun, everywhere", async () => {
  open(FIELDS);
  await userEvent.click(screen.getByRole("button", { name: "Commencer la mention" }));
  expect(meter("head")).toEqual(["2 champs à remplir", "1 champ rempli sur 3"]);
  expect(meter("dock")).toEqual(meter("head"));
  expect(at("side").getByText("Remplissez d’abord les 2 champs restants.")).toBeTruthy();
  expect(listed()).toMatchObject({ Facultatif: ["Téléphone, page\u00a01"] });
});

it("offers what is optional by a link, and signs, once nothing is left", async () => {
  open(FIELDS);
  await userEvent.click(screen.getByRole("button", { name: "Signer ici" }));
  for (const place of ["head", "dock"] as const) {
    expect(meter(place)).toEqual(["Tout est rempli", undefined]);
    expect(at(place).getByRole("button", { name: "Voir les 2 champs facultatifs" })).toBeTruthy();
  }
  expect(at("head").queryByRole("button", { name: /Champ suivant|Commencer/ })).toBeNull();
});

it("refuses nothing and offers nothing else while signing is under way", async () => {
  open(FIELDS);
  await userEvent.click(screen.getByRole("button", { name: "Signer ici" }));
  const refusals = () =>
    screen.getAllByRole<HTMLButtonElement>("button", { name: /^(Refuser|Voir)/ });
  expect(refusals().map(({ disabled }) => disabled)).toEqual([false, false, false, false]);
  await userEvent.click(screen.getByRole("button", { name: "Envoyer" }));
  expect(refusals().map(({ disabled }) => disabled)).toEqual([true, true, true, true]);
});
