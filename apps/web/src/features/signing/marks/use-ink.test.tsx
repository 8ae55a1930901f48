import { fireEvent, render, screen } from "@testing-library/react";
import { useState } from "react";
import { beforeAll, expect, it, vi } from "vitest";
import type { Stroke } from "./stroke.ts";
import { SignaturePad } from "./signature-pad.tsx";

function Page({ onDrawn }: { readonly onDrawn: (strokes: readonly Stroke[]) => void }) {
  const [strokes, setStrokes] = useState<readonly Stroke[]>([]);
  const change = (drawn: readonly Stroke[]) => {
    setStrokes(drawn);
    onDrawn(drawn);
  };
  return <SignaturePad strokes={strokes} onChange={change} />;
}

/** A pad of this size at the window's corner, because a test page has no layout. */
function openPad(width: number, height: number) {
  const onDrawn = vi.fn<(strokes: readonly Stroke[]) => void>();
  render(<Page onDrawn={onDrawn} />);
  const pad = screen.getByTestId("signature-pad");
  const size = { width, height };
  vi.spyOn(pad, "getBoundingClientRect").mockImplementation(
    () => new DOMRect(0, 0, size.width, size.height),
  );
  const point = (
    type: "pointerDown" | "pointerMove" | "pointerUp",
    clientX: number,
    clientY: number,
  ) => fireEvent[type](pad, { clientX, clientY, pointerId: 1, button: 0, pointerType: "touch" });
  return {
    point,
    drawn: () => onDrawn.mock.lastCall?.[0] ?? [],
    turn: (to: { width: number; height: number }) => Object.assign(size, to),
  };
}

beforeAll(() => {
  HTMLElement.prototype.setPointerCapture = () => undefined;
});

it("stops the ink at the pad's edge", () => {
  const { point, drawn } = openPad(500, 200);
  point("pointerDown", 100, 100);
  point("pointerMove", 200, -700);
  point("pointerMove", 9_000, 900);
  point("pointerUp", 9_000, 900);
  expect(drawn().map((stroke) => stroke.map(([x, y]) => [x, y]))).toEqual([
    [
      [0.5, 0.5],
      [1, 0],
      [2.5, 1],
    ],
  ]);
});

it("ends the stroke when the phone is turned", () => {
  const { point, drawn, turn } = openPad(358, 210);
  point("pointerDown", 21, 21);
  point("pointerMove", 105, 105);
  turn({ width: 800, height: 100 });
  point("pointerMove", 700, 90);
  point("pointerMove", 720, 95);
  point("pointerUp", 720, 95);
  expect(drawn().map((stroke) => stroke.map(([x, y]) => [x, y]))).toEqual([
    [
      [0.1, 0.1],
      [0.5, 0.5],
    ],
  ]);
  point("pointerDown", 50, 50);
  point("pointerUp", 50, 50);
  expect(drawn()[1]?.[0]?.slice(0, 2)).toEqual([0.5, 0.5]);
});
