import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { CropDialog } from "./avatar-picker.tsx";
import { drawsPixels } from "../testing/use-cropped.ts";
import { press } from "../testing/forms.ts";

const size = { width: 800, height: 400 };
const file = new File(["photo"], "moi.jpg", { type: "image/jpeg" });
const onUse = vi.fn();
const onClose = vi.fn();
let drawn: number[][];

beforeEach(() => {
  onUse.mockReset();
  onClose.mockReset();
  ({ drawn } = drawsPixels());
  vi.stubGlobal("createImageBitmap", async () => ({ ...size, close() {} }));
  render(<CropDialog file={file} size={size} onUse={onUse} onClose={onClose} />);
});
afterEach(() => vi.unstubAllGlobals());

const frame = () => screen.getByRole("application", { name: "Partie gardée de l’image" });
const slider = (name: string) => screen.getByRole("slider", { name }) as HTMLInputElement;
/** Accepts the square; returns its left, top, width and height in the picture. */
async function taken(): Promise<readonly number[]> {
  await press("Utiliser cette image");
  await waitFor(() => expect(onUse).toHaveBeenCalled());
  return drawn[0]?.slice(0, 4).map((value) => Math.round(value)) ?? [];
}

test("proposes the square in the middle, and gives a file of the same name and type", async () => {
  expect(screen.getByRole("dialog", { name: "Cadrer l’image" })).toBeDefined();
  expect(await taken()).toEqual([200, 0, 400, 400]);
  const cropped = onUse.mock.calls[0]?.[0] as File;
  expect([cropped.name, cropped.type]).toEqual(["moi.jpg", "image/jpeg"]);
});

test.each(["mouse", "touch"])(
  "dragged by %s, the picture follows and the square goes the other way",
  async (pointerType) => {
    const box = frame();
    Object.defineProperty(box, "clientWidth", { value: 200 });
    box.setPointerCapture = () => {};
    fireEvent.pointerDown(box, { pointerId: 1, pointerType, clientX: 100, clientY: 100 });
    fireEvent.pointerMove(box, { pointerId: 1, pointerType, clientX: 50, clientY: 100 });
    // A second finger does not take over.
    fireEvent.pointerMove(box, { pointerId: 2, pointerType, clientX: 500, clientY: 100 });
    fireEvent.pointerUp(box, { pointerId: 1, pointerType });
    fireEvent.pointerMove(box, { pointerId: 1, pointerType, clientX: 0, clientY: 0 });
    expect(await taken()).toEqual([300, 0, 400, 400]);
  },
);

test("two fingers zoom the picture, the one that stays drags it, and a third does nothing", async () => {
  const box = frame();
  Object.defineProperty(box, "clientWidth", { value: 200 });
  box.setPointerCapture = () => {};
  const touch = (
    kind: "pointerDown" | "pointerMove" | "pointerUp",
    pointerId: number,
    clientX: number,
  ) => fireEvent[kind](box, { pointerId, pointerType: "touch", clientX, clientY: 100 });
  touch("pointerDown", 1, 80);
  touch("pointerDown", 2, 120);
  touch("pointerDown", 3, 10);
  touch("pointerMove", 3, 190);
  touch("pointerMove", 1, 60);
  touch("pointerMove", 2, 140);
  expect(slider("Agrandissement").value).toBe("200");
  touch("pointerUp", 2, 140);
  touch("pointerMove", 1, 40);
  touch("pointerUp", 1, 40);
  touch("pointerMove", 1, 0);
  // From the middle (300), the square moved right by a tenth of its side (200).
  expect(await taken()).toEqual([320, 100, 200, 200]);
});

test("arrows, + and − crop by the keyboard, and the browser keeps its own keys", async () => {
  frame().focus();
  await userEvent.keyboard("{ArrowRight}{ArrowRight}+++++");
  expect(fireEvent.keyDown(frame(), { key: "ArrowLeft", altKey: true })).toBe(true);
  expect(fireEvent.keyDown(frame(), { key: "ArrowLeft" })).toBe(false);
  const [left = 0, top, width] = await taken();
  expect(width).toBe(Math.round(400 / 1.5));
  expect(top).toBe(Math.round((400 - 400 / 1.5) / 2));
  // The picture went right twice and left once: the square is left of the middle (267).
  expect(left).toBe(240);
});

test("three labelled sliders crop too, and one without room does not move", async () => {
  expect(slider("De haut en bas").disabled).toBe(true);
  fireEvent.change(slider("Agrandissement"), { target: { value: "200" } });
  expect(slider("Agrandissement").getAttribute("aria-valuetext")).toBe("200\u00a0%");
  expect(slider("De haut en bas").disabled).toBe(false);
  fireEvent.change(slider("De gauche à droite"), { target: { value: "0" } });
  fireEvent.change(slider("De haut en bas"), { target: { value: "100" } });
  expect(await taken()).toEqual([0, 200, 200, 200]);
});

test("'Annuler' discards the new picture", async () => {
  await press("Annuler");
  expect([onClose.mock.calls.length, onUse.mock.calls.length]).toEqual([1, 0]);
});

test("a picture that cannot be cropped says so, and the dialog stays", async () => {
  vi.spyOn(console, "warn").mockImplementation(() => {});
  vi.stubGlobal("createImageBitmap", async () => {
    throw new DOMException("no", "InvalidStateError");
  });
  await press("Utiliser cette image");
  expect(
    (
      await screen.findByText(
        "Cette image ne peut pas être cadrée. Choisissez un autre fichier PNG ou JPG.",
      )
    ).textContent,
  ).toBeDefined();
  expect(onUse).not.toHaveBeenCalled();
});
