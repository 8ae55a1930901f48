import { act, render, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { OfflineBanner } from "./offline-banner.tsx";

test("says that the network is away, for as long as it is", () => {
  const onLine = vi.spyOn(navigator, "onLine", "get").mockReturnValue(true);
  render(
    <OfflineBanner>
      Vos modifications seront enregistrées dès le retour de la connexion.
    </OfflineBanner>,
  );
  const status = screen.getByRole("status");
  expect(status.textContent).toBe("");
  onLine.mockReturnValue(false);
  act(() => void window.dispatchEvent(new Event("offline")));
  // What sticks to the window's top stands below it.
  const { style } = document.documentElement;
  expect(style.getPropertyValue("--offline-h")).toMatch(/px$/);
  expect(status.textContent).toBe(
    "Vous êtes hors ligne. Vos modifications seront enregistrées dès le retour de la connexion.",
  );
  onLine.mockReturnValue(true);
  act(() => void window.dispatchEvent(new Event("online")));
  expect(status.textContent).toBe("");
});
