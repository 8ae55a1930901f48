import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, test, vi } from "vitest";
import { Checkbox } from "./checkbox.tsx";

function Once({ onAccept }: { readonly onAccept: () => void }) {
  const [accepted, setAccepted] = useState(false);
  const accept = () => {
    onAccept();
    setAccepted(true);
  };
  return <Checkbox label="J’accepte" checked={accepted} disabled={accepted} onChange={accept} />;
}

test("a box that may be ticked once keeps the focus and stays ticked", async () => {
  const onAccept = vi.fn();
  render(<Once onAccept={onAccept} />);
  await userEvent.tab();
  await userEvent.keyboard("  ");
  const box = screen.getByRole<HTMLInputElement>("checkbox");
  expect(document.activeElement).toBe(box);
  expect(box.checked).toBe(true);
  expect(box.disabled).toBe(false);
  expect(box.getAttribute("aria-disabled")).toBe("true");
  expect(onAccept).toHaveBeenCalledOnce();
});
