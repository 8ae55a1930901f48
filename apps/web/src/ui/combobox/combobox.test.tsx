import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { cleanup } from "@testing-library/react";
import { Combobox } from "./combobox.tsx";

const PEOPLE = [
  { id: "1", label: "Camille Roux", description: "camille@exemple.fr" },
  { id: "2", label: "Théo Lenoir", description: "theo@exemple.fr" },
];
const onChoose = vi.fn();
const onKeyDown = vi.fn();
afterEach(() => {
  cleanup();
  vi.clearAllMocks();
});

function Box() {
  const [value, setValue] = useState("");
  return (
    <>
      <Combobox
        label="Nom"
        listLabel="Propositions"
        value={value}
        onValue={setValue}
        options={value === "zzz" ? [] : PEOPLE}
        onChoose={onChoose}
        onKeyDown={onKeyDown}
      />
      <button type="button">Après</button>
    </>
  );
}

it("opens while typing; arrows go round through the typed text, and Enter chooses", async () => {
  const user = userEvent.setup();
  render(<Box />);
  const box = screen.getByRole("combobox", { name: "Nom" });
  expect([box.getAttribute("aria-expanded"), box.getAttribute("aria-autocomplete")]).toEqual([
    "false",
    "list",
  ]);
  await user.type(box, "ro");
  expect(box.getAttribute("aria-expanded")).toBe("true");
  expect(screen.getByRole("listbox", { name: "Propositions" }).id).toBe(
    box.getAttribute("aria-controls"),
  );
  expect(box.getAttribute("aria-activedescendant")).toBeNull();
  await user.keyboard("{ArrowDown}{ArrowDown}");
  const second = screen.getByRole("option", { name: /Théo/ });
  expect([box.getAttribute("aria-activedescendant"), second.getAttribute("aria-selected")]).toEqual(
    [second.id, "true"],
  );
  await user.keyboard("{ArrowDown}");
  expect(box.getAttribute("aria-activedescendant")).toBeNull();
  await user.keyboard("{ArrowUp}{Enter}");
  expect(onChoose).toHaveBeenCalledExactlyOnceWith("2");
  expect(screen.queryByRole("listbox")).toBeNull();
  expect(document.activeElement).toBe(box);
});

it("leaves Enter to the form while no proposal is the current one", async () => {
  const user = userEvent.setup();
  render(<Box />);
  await user.type(screen.getByRole("combobox"), "ro{Enter}");
  expect(onChoose).not.toHaveBeenCalled();
  expect(onKeyDown.mock.calls.map(([event]) => event.key)).toContain("Enter");
});

it("closes by Escape, by Tab and where there is nothing to propose; Alt and the arrow open it again", async () => {
  const user = userEvent.setup();
  render(<Box />);
  const box = screen.getByRole("combobox");
  await user.type(box, "ro{Escape}");
  expect([screen.queryByRole("listbox"), (box as HTMLInputElement).value]).toEqual([null, "ro"]);
  await user.keyboard("{Alt>}{ArrowDown}{/Alt}");
  expect(screen.getByRole("listbox")).toBeTruthy();
  expect(box.getAttribute("aria-activedescendant")).toBeNull();
  await user.tab();
  expect(screen.queryByRole("listbox")).toBeNull();
  expect(onChoose).not.toHaveBeenCalled();
  await user.clear(box);
  await user.type(box, "zzz");
  expect([screen.queryByRole("listbox"), box.getAttribute("aria-expanded")]).toEqual([
    null,
    "false",
  ]);
});

it("takes a pressed proposal, and the focus stays in the box", async () => {
  const user = userEvent.setup();
  render(<Box />);
  await user.type(screen.getByRole("combobox"), "c");
  await user.click(screen.getByText("camille@exemple.fr"));
  expect(onChoose).toHaveBeenCalledExactlyOnceWith("1");
  expect(document.activeElement).toBe(screen.getByRole("combobox"));
});

it("has a scrolling list that is no Tab stop, because it closes when the box is left", async () => {
  const user = userEvent.setup();
  render(<Box />);
  await user.type(screen.getByRole("combobox", { name: "Nom" }), "ro");
  expect(screen.getByRole("listbox").tabIndex).toBe(-1);
  expect(screen.getByRole("listbox").hasAttribute("tabindex")).toBe(true);
  await user.tab();
  expect(document.activeElement).toBe(screen.getByRole("button", { name: "Après" }));
});

it("keeps the current proposal when the same list comes again", async () => {
  const user = userEvent.setup();
  const box = (options: typeof PEOPLE) => (
    <Combobox
      label="Nom"
      listLabel="Propositions"
      value="ro"
      onValue={() => {}}
      options={options}
      onChoose={onChoose}
    />
  );
  const { rerender } = render(box(PEOPLE));
  await user.click(screen.getByRole("combobox"));
  await user.keyboard("{ArrowDown}{ArrowDown}");
  rerender(box(PEOPLE.map((person, index) => ({ ...person, id: String(9 - index) }))));
  await user.keyboard("{Enter}");
  expect(onChoose).toHaveBeenCalledExactlyOnceWith("8");
});
