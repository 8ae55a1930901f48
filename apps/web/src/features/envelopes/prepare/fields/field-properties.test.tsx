import type { UpdateEnvelopeRequest } from "@paraphe/contracts";
import { act, fireEvent, render, screen } from "@testing-library/react";
import { useSyncExternalStore } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { DraftKeeper } from "../draft/draft-keeper.ts";
import { makeEnvelope, makeField, makeRecipient } from "../testing/make-envelope.ts";
import { useFieldEditor } from "./use-field-editor.ts";
import { FieldProperties } from "./field-properties.tsx";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function show(type: "mention" | "text") {
  const envelope = makeEnvelope({ recipients: [makeRecipient()], fields: [makeField({ type })] });
  const sent: UpdateEnvelopeRequest[] = [];
  const patch = (_: unknown, body: UpdateEnvelopeRequest) => {
    sent.push(body);
    return Promise.resolve(envelope);
  };
  const keeper = new DraftKeeper(envelope, {
    patch,
    load: () => Promise.resolve(envelope),
    now: () => new Date("2026-11-21T10:00:00Z"),
  });
  const undo = { now: () => undefined as void };
  function Properties() {
    const { draft } = useSyncExternalStore(keeper.subscribe, keeper.state);
    const editor = useFieldEditor(keeper, envelope.documents);
    undo.now = editor.undo;
    const [field] = draft.fields;
    if (!field) return null;
    return (
      <FieldProperties
        {...{ draft, field }}
        pageCount={1}
        onChange={(part) => editor.change([field.key], part)}
        onLeave={() => void keeper.flush()}
        onRemove={() => undefined}
      />
    );
  }
  render(<Properties />);
  return { keeper, sent, undo };
}
/** Types one key at a time, without leaving the box. */
function type(box: HTMLElement, text: string) {
  for (let length = 1; length <= text.length; length += 1)
    fireEvent.change(box, { target: { value: text.slice(0, length) } });
}

test("the sentence to copy is saved while typed and undone in one step", async () => {
  const { keeper, sent, undo } = show("mention");
  const box = screen.getByRole<HTMLTextAreaElement>("textbox", { name: /Phrase à recopier/ });
  type(box, "Lu et approuvé ");
  expect(box.value).toBe("Lu et approuvé ");
  expect(keeper.state().draft.fields[0]?.value).toBe("Lu et approuvé");
  await act(() => vi.advanceTimersByTimeAsync(800));
  expect(sent.map(({ fields }) => fields?.[0]?.value)).toEqual(["Lu et approuvé"]);
  act(() => undo.now());
  expect(box.value).toBe("");
});

test("a label is saved at once when its box is left", async () => {
  const { sent } = show("text");
  const box = screen.getByRole("textbox", { name: /Libellé/ });
  type(box, "Nom du bien");
  fireEvent.blur(box);
  await act(() => vi.advanceTimersByTimeAsync(0));
  expect(sent.map(({ fields }) => fields?.[0]?.label)).toEqual(["Nom du bien"]);
});

test.each([
  ["text", /Libellé/],
  ["mention", /Phrase à recopier/],
] as const)(
  "unprintable text of a %s field is refused at its box and not sent",
  async (kind, name) => {
    const { sent } = show(kind);
    const box = screen.getByRole("textbox", { name });
    fireEvent.change(box, { target: { value: "Ville 🌸" } });
    expect(document.getElementById(`${box.id}-erreur`)?.textContent).toBe(
      "Le caractère «\u00a0🌸\u00a0» ne peut pas être imprimé dans le document. Remplacez-le. Les champs ne sont pas enregistrés.",
    );
    fireEvent.blur(box);
    await act(() => vi.advanceTimersByTimeAsync(800));
    expect(sent).toEqual([]);
  },
);
