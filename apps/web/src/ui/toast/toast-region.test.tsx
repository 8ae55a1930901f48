import { act, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import { ToastRegion } from "./toast-region.tsx";
import { clearToasts, showToast } from "./toast-store.ts";

beforeEach(() => act(clearToasts));

test("announces an error at once and another message politely", () => {
  render(<ToastRegion />);
  act(() => {
    showToast("err", "Échec de l'annulation", { detail: "L’enveloppe est à l’état « Terminé »." });
    showToast("ok", "Enveloppe annulée");
  });
  expect(screen.getByRole("alert").textContent).toContain("Échec de l'annulation");
  expect(screen.getByRole("status").textContent).toContain("Enveloppe annulée");
});

test("closing a message does not count as its time being over", async () => {
  const onElapsed = vi.fn();
  const onClosed = vi.fn();
  render(<ToastRegion />);
  act(() => {
    showToast("info", "Redirection", { onElapsed, onClosed });
  });
  await userEvent.click(screen.getByRole("button", { name: "Fermer la notification" }));
  expect(screen.queryByText("Redirection")).toBeNull();
  expect(onClosed).toHaveBeenCalledOnce();
  expect(onElapsed).not.toHaveBeenCalled();
});

test("a message leaves by itself, and waits while the pointer is on it", async () => {
  const onElapsed = vi.fn();
  render(<ToastRegion />);
  act(() => {
    showToast("info", "Redirection", { durationMs: 150, onElapsed });
  });
  await userEvent.hover(screen.getByText("Redirection"));
  await new Promise((later) => setTimeout(later, 250));
  expect(screen.queryByText("Redirection")).not.toBeNull();
  await userEvent.unhover(screen.getByText("Redirection"));
  await waitFor(() => expect(onElapsed).toHaveBeenCalledOnce());
});
