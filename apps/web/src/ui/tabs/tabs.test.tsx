import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, test } from "vitest";
import { Tabs } from "./tabs.tsx";

const TABS = [
  { value: "draw", label: "Dessiner" },
  { value: "type", label: "Saisir" },
  { value: "import", label: "Importer" },
] as const;

function Host() {
  const [value, setValue] = useState<(typeof TABS)[number]["value"]>("draw");
  return (
    <Tabs label="Façon de signer" value={value} tabs={TABS} onChange={setValue}>
      {value}
    </Tabs>
  );
}

test("arrows, Home and End choose a tab; only the chosen one is in the Tab order", async () => {
  render(<Host />);
  await userEvent.tab();
  expect(screen.getByRole("tab", { name: "Dessiner" })).toBe(document.activeElement);
  await userEvent.keyboard("{ArrowRight}");
  expect(screen.getByRole("tab", { name: "Saisir" })).toBe(document.activeElement);
  expect(screen.getByRole("tabpanel", { name: "Saisir" }).textContent).toBe("type");
  await userEvent.keyboard("{End}{ArrowRight}");
  expect(screen.getByRole("tab", { name: "Dessiner" }).getAttribute("aria-selected")).toBe("true");
  expect(screen.getByRole("tab", { name: "Importer" }).tabIndex).toBe(-1);
});
