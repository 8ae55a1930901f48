import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { Menu } from "./menu.tsx";

function open(onAction = vi.fn()) {
  render(
    <>
      <Menu
        label="Types de signature"
        title="Types de signature"
        triggerClassName=""
        trigger="Signer maintenant"
        entries={[
          {
            id: "a",
            label: "Auto-signature",
            description: "Signer un document instantanément",
            onAction,
          },
          { id: "b", label: "Signature masse" },
          { id: "c", label: "Mes signatures" },
        ]}
      />
      <p>Ailleurs</p>
    </>,
  );
  return onAction;
}

test("shows its title and its entries, and runs the chosen one", async () => {
  const onAction = open();
  const trigger = screen.getByRole("button", { name: "Signer maintenant" });
  expect(trigger.getAttribute("aria-haspopup")).toBe("true");
  await userEvent.click(trigger);
  expect(screen.getByRole("group", { name: "Types de signature" })).toBeDefined();
  expect(screen.getAllByRole("menuitem")).toHaveLength(3);
  await userEvent.click(screen.getByRole("menuitem", { name: "Auto-signature" }));
  expect(onAction).toHaveBeenCalledOnce();
  expect(screen.queryByRole("menu")).toBeNull();
});

test("Escape closes it and the focus returns to its button", async () => {
  open();
  await userEvent.click(screen.getByRole("button", { name: "Signer maintenant" }));
  await userEvent.keyboard("{Escape}");
  expect(screen.queryByRole("menu")).toBeNull();
  expect(document.activeElement).toBe(screen.getByRole("button", { name: "Signer maintenant" }));
});

test("a menu closes when the window turns, and stays when only its height changes", async () => {
  open();
  const width = vi.spyOn(document.documentElement, "clientWidth", "get").mockReturnValue(390);
  await userEvent.click(screen.getByRole("button", { name: "Signer maintenant" }));
  act(() => void window.dispatchEvent(new Event("resize")));
  expect(screen.queryByRole("menu")).not.toBeNull();
  width.mockReturnValue(844);
  act(() => void window.dispatchEvent(new Event("resize")));
  expect(screen.queryByRole("menu")).toBeNull();
  width.mockRestore();
});
