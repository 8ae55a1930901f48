import { render, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { ErrorBoundary } from "./error-boundary.tsx";

function Broken(): never {
  throw new Error("broken");
}

test("a crash of the rendering says 'Une erreur inattendue est survenue.' and is logged", () => {
  const log = vi.spyOn(console, "error").mockImplementation(() => {});
  render(
    <ErrorBoundary>
      <Broken />
    </ErrorBoundary>,
  );
  expect(screen.getByRole("heading", { level: 1 }).textContent).toBe(
    "Une erreur inattendue est survenue.",
  );
  expect(screen.getByRole("button", { name: "Recharger la page" })).toBeDefined();
  expect(log).toHaveBeenCalled();
});
