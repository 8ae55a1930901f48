import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { SkipLink } from "./skip-link.tsx";

test("the skip link focuses the content, and leaves the address as it is", async () => {
  location.hash = "#AQIDBA";
  render(
    <>
      <SkipLink />
      <main id="contenu">
        <h1>Bail</h1>
      </main>
    </>,
  );
  await userEvent.click(screen.getByRole("link", { name: "Aller au contenu" }));
  expect(document.activeElement).toBe(screen.getByRole("main"));
  expect(location.hash).toBe("#AQIDBA");
});
