import { fireEvent, render, screen } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import {
  PrepareFieldLayer,
  LOUPE,
  inLoupe,
  loupeCentre,
  loupePlace,
} from "./prepare-field-layer.tsx";

const field = {
  id: "f1",
  pageNumber: 1,
  box: { x: 0.3, y: 0.3, width: 0.2, height: 0.05 },
  color: 1 as const,
  name: "Signature de Camille Roux, page 1",
  content: "Signature",
};

const second = {
  ...field,
  id: "f2",
  name: "Date de Camille Roux, page 1",
  box: { x: 0.6, y: 0.3, width: 0.2, height: 0.05 },
};

function show(more: Partial<Parameters<typeof PrepareFieldLayer>[0]> = {}) {
  const actions = {
    onSelect: vi.fn(),
    onToggle: vi.fn(),
    onKey: vi.fn(),
    onMove: vi.fn(),
    onPlace: vi.fn(),
  };
  const shown = render(
    <div data-pdf-page="1">
      <PrepareFieldLayer
        pageNumber={1}
        fields={[field]}
        selectedIds={new Set(["f1"])}
        leadId="f1"
        tool={null}
        {...actions}
        {...more}
      />
    </div>,
  );
  // No layout here: every element is 1 000 × 1 000 pixels.
  vi.spyOn(Element.prototype, "getBoundingClientRect").mockReturnValue(
    new DOMRect(0, 0, 1_000, 1_000),
  );
  Object.assign(document, {
    elementsFromPoint: () => [...document.querySelectorAll("[data-pdf-page]")],
  });
  return { ...actions, ...shown };
}
const button = (name = /Signature de/) => screen.getByRole("button", { name });
const at = (x: number, y: number, more: object = {}) => ({
  clientX: x,
  clientY: y,
  pointerId: 1,
  pointerType: "mouse",
  button: 0,
  ...more,
});

describe("the fields of a page in preparation", () => {
  it("are buttons named after their type, person and page", () => {
    show();
    expect(button().getAttribute("aria-pressed")).toBe("true");
  });

  it("say which key was pressed on which field, and leave the other keys alone", () => {
    const { onKey } = show();
    fireEvent.keyDown(button(), { key: "ArrowRight", shiftKey: true });
    expect(onKey).toHaveBeenLastCalledWith("f1", { kind: "move", by: { dx: 5, dy: 0 } });
    fireEvent.keyDown(button(), { key: "Delete" });
    expect(onKey).toHaveBeenLastCalledWith("f1", { kind: "delete" });
    expect(fireEvent.keyDown(button(), { key: "Tab" })).toBe(true);
    expect(onKey).toHaveBeenCalledTimes(2);
  });

  it("show eight handles and their tools only while selected, no handle when several are", () => {
    const selectedTools = <button type="button">Dupliquer</button>;
    const { unmount } = show({ selectedTools });
    expect(screen.getByRole("toolbar", { name: "Actions sur le champ" })).toBeTruthy();
    expect(document.querySelectorAll("[data-handle]")).toHaveLength(8);
    unmount();
    show({
      selectedTools,
      fields: [field, second],
      selectedIds: new Set(["f1", "f2"]),
      leadId: "f2",
    });
    expect(screen.getAllByRole("toolbar")).toHaveLength(1);
    expect(document.querySelectorAll("[data-handle]")).toHaveLength(0);
  });

  it("take the focus at their turn, so that the arrows move them at once, and leave it where it is otherwise", () => {
    const { unmount } = show();
    expect(document.activeElement).toBe(document.body);
    unmount();
    show({ focus: { id: "f1", turn: 1 } });
    expect(document.activeElement).toBe(button());
  });

  it("are seen through a magnifying glass while a finger drags one, never under a mouse", () => {
    show({ fields: [field, second] });
    const glass = () => document.querySelector("[data-loupe]");
    fireEvent.pointerDown(button(), at(400, 325, { pointerType: "touch" }));
    expect(glass()).toBeNull();
    fireEvent.pointerMove(window, at(450, 375, { pointerType: "touch" }));
    expect(glass()?.getAttribute("aria-hidden")).toBe("true");
    expect(
      [...(glass()?.querySelectorAll("[data-held]") ?? [])].map((frame) =>
        frame.getAttribute("data-held"),
      ),
    ).toEqual(["true", "false"]);
    fireEvent.pointerUp(window, at(450, 375, { pointerType: "touch" }));
    expect(glass()).toBeNull();
    fireEvent.pointerDown(button(), at(400, 325));
    fireEvent.pointerMove(window, at(450, 375));
    expect(glass()).toBeNull();
    fireEvent.pointerUp(window, at(450, 375));
  });

  it("follow the mouse, caught by the lines of the page unless Alt is held, and stay where it leaves them", () => {
    const { onMove } = show({ fields: [field, second], selectedIds: new Set() });
    fireEvent.pointerDown(button(), at(400, 325));
    fireEvent.pointerMove(window, at(450, 375));
    fireEvent.pointerUp(window, at(450, 375));
    expect(onMove).toHaveBeenLastCalledWith(
      new Map([["f1", { ...field.box, x: 0.35, y: 0.35 }]]),
      1,
      "move",
    );
    fireEvent.pointerDown(button(), at(400, 325));
    fireEvent.pointerMove(window, at(498, 325));
    expect(document.querySelector("[data-axis='x']")).not.toBeNull();
    fireEvent.pointerUp(window, at(498, 325));
    expect(onMove.mock.lastCall?.[0].get("f1")?.x).toBe(0.4);
    fireEvent.pointerDown(button(), at(400, 325));
    fireEvent.pointerMove(window, at(498, 325, { altKey: true }));
    expect(document.querySelector("[data-axis='x']")).toBeNull();
    fireEvent.pointerUp(window, at(498, 325));
    expect(onMove.mock.lastCall?.[0].get("f1")?.x).toBe(0.398);
  });

  it("go back to their place on Escape, and when a second finger comes (a pinch)", () => {
    const { onMove } = show();
    fireEvent.pointerDown(button(), at(400, 325));
    fireEvent.pointerMove(window, at(450, 375));
    fireEvent.keyDown(window, { key: "Escape" });
    fireEvent.pointerUp(window, at(450, 375));
    const finger = { pointerType: "touch" };
    fireEvent.pointerDown(button(), at(400, 325, finger));
    fireEvent.pointerMove(window, at(450, 375, finger));
    fireEvent.pointerDown(window, at(100, 100, { ...finger, pointerId: 2 }));
    fireEvent.pointerMove(window, at(500, 500, finger));
    fireEvent.pointerUp(window, at(500, 500, finger));
    expect(onMove).not.toHaveBeenCalled();
  });

  it("are resized by the handle that is pulled, never under the smallest size", () => {
    const { onMove } = show();
    const handle = document.querySelector("[data-handle='nw']") as Element;
    fireEvent.pointerDown(handle, at(300, 300));
    fireEvent.pointerMove(window, at(250, 270, { altKey: true }));
    fireEvent.pointerUp(window, at(250, 270));
    expect(onMove).toHaveBeenLastCalledWith(
      new Map([["f1", { x: 0.25, y: 0.27, width: 0.25, height: 0.08 }]]),
      1,
      "resize",
    );
    fireEvent.pointerDown(handle, at(300, 300));
    fireEvent.pointerMove(window, at(900, 900, { altKey: true }));
    fireEvent.pointerUp(window, at(900, 900));
    expect(onMove.mock.lastCall?.[0].get("f1")).toMatchObject({ width: 0.04, height: 0.02 });
  });
});

describe("several fields of a page", () => {
  it("move together when several are selected, and stop together at the page's edge", () => {
    const { onMove } = show({
      fields: [field, second],
      selectedIds: new Set(["f1", "f2"]),
      leadId: "f2",
    });
    fireEvent.pointerDown(button(), at(400, 325));
    fireEvent.pointerMove(window, at(990, 325, { altKey: true }));
    fireEvent.pointerUp(window, at(990, 325));
    expect([...(onMove.mock.lastCall?.[0] ?? [])].map(([id, { x }]) => [id, x])).toEqual([
      ["f1", 0.5],
      ["f2", 0.8],
    ]);
  });

  it("are taken one by one with Shift and a click, several with a frame drawn around them", () => {
    const { onToggle, onSelect } = show({ fields: [field, second], selectedIds: new Set(["f1"]) });
    fireEvent.pointerDown(button(/Date de/), at(650, 320, { shiftKey: true }));
    expect(onToggle).toHaveBeenLastCalledWith("f2");
    const page = document.querySelector("[data-pdf-page]") as Element;
    fireEvent.pointerDown(page, at(100, 100));
    fireEvent.pointerMove(window, at(700, 400));
    fireEvent.pointerUp(window, at(700, 400));
    expect(onSelect).toHaveBeenLastCalledWith(["f1", "f2"]);
    fireEvent.pointerDown(page, at(100, 100));
    fireEvent.pointerUp(window, at(100, 100));
    expect(onSelect).toHaveBeenLastCalledWith([]);
  });
});

describe("the fields of a page, by touch and by tool", () => {
  it("under a finger: a tap selects, a scroll does nothing, half a second on the spot takes the field", () => {
    vi.useFakeTimers();
    try {
      const { onSelect, onMove } = show({ selectedIds: new Set() });
      const finger = { pointerType: "touch" };
      fireEvent.pointerDown(button(), at(400, 325, finger));
      fireEvent.pointerMove(window, at(400, 380, finger));
      fireEvent.pointerUp(window, at(400, 380, finger));
      expect(onSelect).not.toHaveBeenCalled();
      fireEvent.pointerDown(button(), at(400, 325, finger));
      fireEvent.pointerUp(window, at(400, 325, finger));
      expect(onSelect).toHaveBeenLastCalledWith(["f1"]);
      fireEvent.pointerDown(button(), at(400, 325, finger));
      vi.advanceTimersByTime(500);
      fireEvent.pointerMove(window, at(420, 385, finger));
      fireEvent.pointerUp(window, at(420, 385, finger));
      expect(onMove.mock.lastCall?.[0].get("f1")).toMatchObject({ x: 0.32, y: 0.36 });
    } finally {
      vi.useRealTimers();
    }
  });

  it("are put with a tool in hand: a click gives the usual size, a drawn frame its own", () => {
    const { onPlace } = show({
      tool: { size: { width: 0.2, height: 0.05 }, color: 1, label: "Signature" },
    });
    const surface = document.querySelector("[class*='placing']") as Element;
    fireEvent.pointerDown(surface, at(300, 700, { altKey: true }));
    fireEvent.pointerUp(window, at(300, 700));
    expect(onPlace).toHaveBeenLastCalledWith(1, { x: 0.2, y: 0.675, width: 0.2, height: 0.05 });
    fireEvent.pointerDown(surface, at(300, 700));
    fireEvent.pointerMove(window, at(600, 800));
    fireEvent.pointerUp(window, at(600, 800));
    expect(onPlace).toHaveBeenLastCalledWith(1, { x: 0.3, y: 0.7, width: 0.3, height: 0.1 });
  });
});

const PHONE = { width: 390, height: 844 };

it("stands above the finger, inside the window", () => {
  expect(loupePlace({ x: 200, y: 400 }, PHONE)).toEqual({
    left: 200 - LOUPE.width / 2,
    top: 400 - 44 - LOUPE.height,
  });
  expect(loupePlace({ x: 4, y: 400 }, PHONE).left).toBe(8);
  expect(loupePlace({ x: 388, y: 400 }, PHONE).left).toBe(390 - LOUPE.width - 8);
});

it("goes to the side where there is no room above", () => {
  expect(loupePlace({ x: 60, y: 90 }, PHONE)).toEqual({ left: 104, top: 90 - LOUPE.height / 2 });
  expect(loupePlace({ x: 330, y: 20 }, PHONE)).toEqual({ left: 330 - 44 - LOUPE.width, top: 8 });
});

it("shows a whole field that moves when it fits, and the finger's own place otherwise", () => {
  const finger = { x: 100, y: 100 };
  const small = { left: 80, top: 90, width: 60, height: 20 };
  expect(loupeCentre(finger, small, "move")).toEqual({ x: 110, y: 100 });
  expect(loupeCentre(finger, small, "se")).toEqual(finger);
  expect(loupeCentre(finger, { ...small, width: 160 }, "move")).toEqual(finger);
});

it("magnifies around its middle", () => {
  expect(inLoupe({ left: 100, top: 100, width: 10, height: 5 }, { x: 100, y: 100 })).toEqual({
    left: LOUPE.width / 2,
    top: LOUPE.height / 2,
    width: 10 * LOUPE.zoom,
    height: 5 * LOUPE.zoom,
  });
});
