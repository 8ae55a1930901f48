import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, test, vi } from "vitest";
import { Menu } from "../menu/menu.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";

function Host(props: {
  readonly onConfirm?: () => void;
  readonly tone?: "default" | "danger";
  readonly busy?: boolean;
}) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Ouvrir
      </button>
      {open && (
        <ConfirmDialog
          title="Supprimer ce document ?"
          message="Il sera déplacé."
          secondary="Dix jours."
          tone={props.tone ?? "default"}
          busy={props.busy ?? false}
          onConfirm={props.onConfirm ?? (() => {})}
          onCancel={() => setOpen(false)}
        />
      )}
    </>
  );
}

test("asks with 'Confirmer' and 'Annuler', named and described", async () => {
  render(<Host />);
  await userEvent.click(screen.getByText("Ouvrir"));
  const dialog = screen.getByRole("alertdialog", { name: "Supprimer ce document ?" });
  expect(dialog.getAttribute("aria-modal")).toBe("true");
  expect(screen.getByRole("button", { name: "Confirmer" })).toBe(document.activeElement);
  expect(screen.getByRole("button", { name: "Annuler" })).toBeDefined();
});

test("Escape closes it and gives the focus back", async () => {
  render(<Host />);
  await userEvent.click(screen.getByText("Ouvrir"));
  await userEvent.keyboard("{Escape}");
  expect(screen.queryByRole("alertdialog")).toBeNull();
  expect(screen.getByText("Ouvrir")).toBe(document.activeElement);
});

test("a dangerous question starts on the button that cancels, and Tab stays inside", async () => {
  render(<Host tone="danger" />);
  await userEvent.click(screen.getByText("Ouvrir"));
  const cancel = screen.getByRole("button", { name: "Annuler" });
  const confirm = screen.getByRole("button", { name: "Confirmer" });
  expect(document.activeElement).toBe(cancel);
  await userEvent.tab();
  expect(document.activeElement).toBe(confirm);
  await userEvent.tab();
  expect(document.activeElement).toBe(cancel);
  await userEvent.tab({ shift: true });
  expect(document.activeElement).toBe(confirm);
});

test("while busy, neither Escape nor a second press does anything", async () => {
  const onConfirm = vi.fn();
  render(<Host busy onConfirm={onConfirm} />);
  await userEvent.click(screen.getByText("Ouvrir"));
  await userEvent.keyboard("{Escape}");
  await userEvent.click(screen.getByRole("button", { name: "Confirmer" }));
  expect(screen.getByRole("alertdialog")).toBeDefined();
  expect(onConfirm).not.toHaveBeenCalled();
});

function MenuHost() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Menu
        label="Plus d’actions"
        triggerLabel="Plus d’actions"
        triggerClassName=""
        trigger="…"
        entries={[{ id: "cancel", label: "Annuler l’enveloppe", onAction: () => setOpen(true) }]}
      />
      {open && (
        <ConfirmDialog
          title="Annuler cette enveloppe ?"
          message=""
          onConfirm={() => {}}
          onCancel={() => setOpen(false)}
        />
      )}
    </>
  );
}

test("opened from a menu, it gives the focus back to the menu's button", async () => {
  render(<MenuHost />);
  const trigger = screen.getByRole("button", { name: "Plus d’actions" });
  await userEvent.click(trigger);
  const entry = screen.getByRole("menuitem");
  entry.focus();
  await userEvent.click(entry);
  expect(screen.getByRole("alertdialog")).toBeDefined();
  await userEvent.keyboard("{Escape}");
  expect(screen.queryByRole("alertdialog")).toBeNull();
  expect(document.activeElement).toBe(trigger);
});
