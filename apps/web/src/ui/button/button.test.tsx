import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, test, vi } from "vitest";
import { Button } from "./button.tsx";

test("while loading it shows its label, says it is busy and does nothing", async () => {
  const onClick = vi.fn();
  render(
    <Button loading loadingLabel="Connexion..." onClick={onClick}>
      Se connecter
    </Button>,
  );
  const button = screen.getByRole("button", { name: "Connexion..." });
  await userEvent.click(button);
  expect(button.getAttribute("aria-busy")).toBe("true");
  expect(onClick).not.toHaveBeenCalled();
});

test("a blocked button keeps the focus but does nothing", async () => {
  const onClick = vi.fn();
  render(
    <Button blocked onClick={onClick}>
      Envoyer
    </Button>,
  );
  await userEvent.tab();
  await userEvent.keyboard("{Enter}");
  expect(document.activeElement).toBe(screen.getByRole("button"));
  expect(onClick).not.toHaveBeenCalled();
});

function Steps() {
  const [step, setStep] = useState(0);
  return (
    <>
      <Button disabled={step === 2} onClick={() => setStep(step + 1)}>
        Descendre
      </Button>
      <button type="button">Après</button>
      <output>{step}</output>
    </>
  );
}

test("a button that becomes disabled by its own press keeps the focus, inert, until it is left", async () => {
  render(<Steps />);
  await userEvent.tab();
  await userEvent.keyboard("{Enter}{Enter}{Enter}");
  const button = screen.getByRole<HTMLButtonElement>("button", { name: "Descendre" });
  expect(button.disabled).toBe(false);
  expect(button.getAttribute("aria-disabled")).toBe("true");
  expect(document.activeElement).toBe(button);
  expect(screen.getByRole("status").textContent).toBe("2");
  await userEvent.tab();
  expect(document.activeElement).toBe(screen.getByText("Après"));
  expect(button.disabled).toBe(true);
});
