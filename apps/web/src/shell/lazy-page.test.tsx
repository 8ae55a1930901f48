import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { Suspense } from "react";
import { expect, test, vi } from "vitest";
import { lazyPage } from "./lazy-page.tsx";

test("shows a page's loading failure in its place, and loads it once online", async () => {
  vi.spyOn(console, "warn").mockImplementation(() => {});
  const reload = vi.spyOn(location, "reload").mockImplementation(() => {});
  const onLine = vi.spyOn(navigator, "onLine", "get").mockReturnValue(false);
  const Page = lazyPage(
    () =>
      Promise.reject<{ Page: () => null }>(
        new TypeError("Failed to fetch dynamically imported module"),
      ),
    "Page",
  );
  render(
    <Suspense>
      <p>Cadre</p>
      <Page />
    </Suspense>,
  );
  expect(
    await screen.findByRole("heading", { name: "Erreur réseau ou serveur injoignable" }),
  ).toBeDefined();
  expect(screen.getByText("Cadre")).toBeDefined();
  await userEvent.click(screen.getByRole("button", { name: "Réessayer" }));
  expect(reload).not.toHaveBeenCalled();
  onLine.mockReturnValue(true);
  await userEvent.click(screen.getByRole("button", { name: "Réessayer" }));
  expect(reload).toHaveBeenCalledOnce();
});

test("shows a loaded page", async () => {
  const Page = lazyPage(async () => ({ Page: () => <p>Page</p> }), "Page");
  render(
    <Suspense>
      <Page />
    </Suspense>,
  );
  expect(await screen.findByText("Page")).toBeDefined();
});
