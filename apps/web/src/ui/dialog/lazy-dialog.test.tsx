import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { type ComponentType, useState } from "react";
import { beforeEach, expect, test, vi } from "vitest";
import { clearToasts, currentToasts } from "../toast/toast-store.ts";
import { Dialog } from "./dialog.tsx";
import { lazyDialog } from "./lazy-dialog.tsx";

type Props = { readonly onClose: () => void };
const Note = ({ onClose }: Props) => <Dialog title="Note" onClose={onClose} />;

beforeEach(() => act(clearToasts));

function show(load: () => Promise<ComponentType<Props>>) {
  const LazyNote = lazyDialog(load);
  const Page = () => {
    const [isOpen, setIsOpen] = useState(false);
    return (
      <>
        <button type="button" onClick={() => setIsOpen(true)}>
          Ouvrir
        </button>
        {isOpen && <LazyNote onClose={() => setIsOpen(false)} />}
      </>
    );
  };
  render(<Page />);
  return screen.getByRole("button", { name: "Ouvrir" });
}

test("a dialog loads once, when first opened; the focus waits on its opener and returns to it", async () => {
  let arrive: (dialog: ComponentType<Props>) => void = () => undefined;
  const load = vi.fn(() => new Promise<ComponentType<Props>>((resolve) => (arrive = resolve)));
  const opener = show(load);
  expect(load).not.toHaveBeenCalled();
  await userEvent.click(opener);
  expect([document.activeElement, screen.queryByRole("dialog")]).toEqual([opener, null]);
  await act(async () => arrive(Note));
  await userEvent.click(screen.getByRole("button", { name: "Fermer" }));
  expect([document.activeElement, screen.queryByRole("dialog")]).toEqual([opener, null]);
  await userEvent.click(opener);
  expect(screen.getByRole("dialog", { name: "Note" })).toBeTruthy();
  expect(load).toHaveBeenCalledTimes(1);
});

test("a dialog that does not load says so, and loads when it is opened again", async () => {
  vi.spyOn(console, "warn").mockImplementation(() => undefined);
  const load = vi.fn(
    async (): Promise<ComponentType<Props>> => Promise.reject(new TypeError("Failed to fetch")),
  );
  const opener = show(load);
  await userEvent.click(opener);
  await vi.waitFor(() =>
    expect(currentToasts().map(({ message }) => message)).toEqual([
      "Erreur réseau ou serveur injoignable",
    ]),
  );
  expect(document.activeElement).toBe(opener);
  load.mockResolvedValueOnce(Note);
  await userEvent.click(opener);
  expect(await screen.findByRole("dialog", { name: "Note" })).toBeTruthy();
});
