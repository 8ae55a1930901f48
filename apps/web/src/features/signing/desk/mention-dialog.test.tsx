import { act, fireEvent, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import type { SigningField } from "./field-walk.ts";
import { MentionDialog } from "./desk-dialogs.tsx";

const FIELD: SigningField = {
  id: "m",
  document_id: "d",
  recipient_id: "r",
  type: "mention",
  page: 1,
  x: 0.1,
  y: 0.1,
  width: 0.4,
  height: 0.05,
  required: true,
  label: null,
  value: "Lu et approuvé",
  own: true,
};

function open(value = "") {
  const [onSave, onClose] = [vi.fn(), vi.fn()];
  render(
    <MentionDialog
      field={FIELD}
      value={value}
      error={undefined}
      onSave={onSave}
      onClose={onClose}
    />,
  );
  return {
    onSave,
    onClose,
    user: userEvent.setup(),
    input: screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Votre mention" }),
  };
}
const helpOf = (input: HTMLElement) =>
  (input.getAttribute("aria-describedby") ?? "")
    .split(" ")
    .map((id) => document.getElementById(id)?.textContent)
    .join(" ")
    .replaceAll("\u00a0", " ");

it("shows the sentence, and at each letter what is left or differs", async () => {
  const { user, input } = open();
  expect(screen.getByText("Lu et approuvé")).toBeTruthy();
  expect(helpOf(input)).toBe("Il reste 3 mots à écrire ; le prochain est « Lu ».");
  await user.type(input, "Lu et aprou");
  expect(helpOf(input)).toBe(
    "Une lettre diffère : écrivez « approuvé », et non « aprou » (la 3e lettre est « p »).",
  );
  await user.clear(input);
  await user.type(input, "Lu et approuvé");
  expect(helpOf(input)).toBe("La mention est exacte.");
});

it("accepts only the exact sentence, and otherwise says what is wrong", async () => {
  const { user, input, onSave, onClose } = open();
  await user.type(input, "lu");
  await user.click(screen.getByRole("button", { name: "Valider" }));
  expect(onClose).not.toHaveBeenCalled();
  expect(document.activeElement).toBe(input);
  expect([input.getAttribute("aria-invalid"), helpOf(input)]).toEqual([
    "true",
    expect.stringContaining("Attention aux majuscules : écrivez « Lu », et non « lu »."),
  ]);
  await user.clear(input);
  await user.type(input, "Lu et approuvé");
  await user.click(screen.getByRole("button", { name: "Valider" }));
  expect(onSave).toHaveBeenCalledWith("Lu et approuvé");
  expect(onClose).toHaveBeenCalledOnce();
});

it("retains a half-written sentence", async () => {
  const { user, input, onSave } = open("Lu");
  await user.type(input, " et");
  await user.click(screen.getByRole("button", { name: "Plus tard" }));
  expect(onSave).toHaveBeenCalledWith("Lu et");
});

it("refuses a paste and says why", async () => {
  const { user, input } = open();
  await user.click(input);
  await user.paste("Lu et approuvé");
  expect(input.value).toBe("");
  expect(helpOf(input)).toContain(
    "Le collage ne sert pas ici : écrivez la phrase vous-même, au clavier ou à la voix.",
  );
});

it("announces the help after a pause, inside the dialog", () => {
  vi.useFakeTimers();
  const { input } = open();
  const status = screen.getByRole("status");
  fireEvent.change(input, { target: { value: "Lu e" } });
  expect(status.textContent).toBe("");
  act(() => {
    vi.advanceTimersByTime(1_000);
  });
  vi.useRealTimers();
  expect(status.textContent).toContain("le prochain est «\u00a0et\u00a0».");
  expect(screen.getByRole("dialog").contains(status)).toBe(true);
});
