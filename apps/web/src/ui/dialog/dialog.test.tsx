import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useRef, useState } from "react";
import { afterEach, expect, test, vi } from "vitest";
import { Alert } from "../alert/alert.tsx";
import { Button } from "../button/button.tsx";
import { TextField } from "../field/field.tsx";
import { Dialog } from "./dialog.tsx";

test("a dialog opens on the first control of what it asks, not on its cross", () => {
  render(
    <Dialog title="Coller une liste" onClose={() => {}}>
      <textarea aria-label="Noms et adresses" />
    </Dialog>,
  );
  expect(document.activeElement).toBe(screen.getByLabelText("Noms et adresses"));
});

function Chosen() {
  const second = useRef<HTMLInputElement>(null);
  return (
    <Dialog title="Renommer" onClose={() => {}} initialFocus={second}>
      <input aria-label="Premier" />
      <input aria-label="Second" ref={second} />
    </Dialog>
  );
}

test("a dialog opens on the control that it names", () => {
  render(<Chosen />);
  expect(document.activeElement).toBe(screen.getByLabelText("Second"));
});

/** Refuses at each press: both names, then a third time the whole. */
function Refusing() {
  const [presses, setPresses] = useState(0);
  const press = () => setPresses(presses + 1);
  const error = presses === 0 ? undefined : "Nom requis";
  return (
    <Dialog title="Confier" onClose={() => {}} actions={<Button onClick={press}>Confier</Button>}>
      <TextField label="Titre" />
      <TextField label="Nom" error={error} />
      <TextField label="Prénom" error={error} />
      <Button onClick={press}>Vérifier</Button>
      {presses === 3 && <Alert tone="danger">Personne ne répond.</Alert>}
    </Dialog>
  );
}

const shown: string[] = [];
afterEach(() => {
  shown.length = 0;
  Reflect.deleteProperty(Element.prototype, "scrollIntoView");
});

function noteShown(): void {
  Element.prototype.scrollIntoView = vi.fn(function note(this: Element) {
    shown.push(this.textContent);
  });
}

test("a refused press takes the focus to the first wrong field, whose error is brought in sight", async () => {
  noteShown();
  render(<Refusing />);
  await userEvent.click(screen.getByRole("button", { name: "Confier" }));
  expect(document.activeElement).toBe(screen.getByLabelText("Nom"));
  expect(shown.at(-1)).toBe("Nom requis");
});

test("an error that appears while another control is used does not take its focus", async () => {
  noteShown();
  render(<Refusing />);
  const check = screen.getByRole("button", { name: "Vérifier" });
  await userEvent.click(check);
  expect(document.activeElement).toBe(check);
  expect(shown).toEqual([]);
  await userEvent.click(check);
  await userEvent.click(check);
  expect(shown).toEqual(["Personne ne répond."]);
});
