import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { ApiError } from "../../../lib/api-error.ts";
import { DeclineDialog } from "./decline-dialog.tsx";

/** The words that explain a control to who cannot see what stands beside it. */
const describedBy = (control: HTMLElement) =>
  document.getElementById(control.getAttribute("aria-describedby") ?? "")?.textContent;

it("asks for a reason and a confirmation before declining", async () => {
  const onDecline = vi.fn(async () => undefined);
  const user = userEvent.setup();
  render(<DeclineDialog onDecline={onDecline} onClose={vi.fn()} />);
  const refuse = screen.getByRole("button", { name: "Refuser de signer" });
  await user.click(refuse);
  expect([refuse.getAttribute("aria-disabled"), describedBy(refuse)]).toEqual([
    "true",
    "Cochez la case de confirmation avant de refuser.",
  ]);
  expect(onDecline).not.toHaveBeenCalled();
  await user.click(screen.getByRole("checkbox"));
  expect(describedBy(refuse)).toBeUndefined();
  await user.click(refuse);
  const details = screen.getByLabelText(/Précisez/);
  expect([document.activeElement, describedBy(details)]).toEqual([
    details,
    "Indiquez le motif de votre refus",
  ]);
  await user.click(screen.getByRole("radio", { name: "Erreur dans le document" }));
  await user.type(details, "Le prix est faux");
  await user.click(refuse);
  expect(onDecline).toHaveBeenCalledWith("Erreur dans le document : Le prix est faux");
});

it("retains the typed reason and says why when the refusal is not recorded", async () => {
  const user = userEvent.setup();
  render(
    <DeclineDialog
      onDecline={() => Promise.reject(new ApiError({ status: 0 }))}
      onClose={vi.fn()}
    />,
  );
  await user.click(screen.getByRole("radio", { name: "Désaccord" }));
  await user.click(screen.getByRole("checkbox"));
  await user.click(screen.getByRole("button", { name: "Refuser de signer" }));
  expect((await screen.findByRole("alert")).textContent).toContain(
    "Votre refus n’a pas été enregistré. Réessayez.",
  );
  expect(screen.getByRole<HTMLInputElement>("radio", { name: "Désaccord" }).checked).toBe(true);
});
