import { render, screen } from "@testing-library/react";
import { useRef } from "react";
import { expect, test } from "vitest";
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
