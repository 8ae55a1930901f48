import {
  type PointerEvent as ReactPointerEvent,
  type RefObject,
  useEffect,
  useRef,
  useState,
} from "react";
import { type Box, type Handle, frameOf, moveTogether, resizeBox } from "../box.ts";
import { pageAtPoint } from "../page-layout.ts";
import { SCROLLER_ATTRIBUTE, startAutoScroll, trackPointer } from "./track-pointer.ts";
import { type SnapGuide, snapBox, snapResized } from "./arrange-boxes.ts";

export type MovedBoxes = ReadonlyMap<string, Box>;
type FieldDragOptions = {
  readonly pageNumber: number;
  readonly layer: RefObject<HTMLElement | null>;
  /** By field id, of this page. */
  readonly boxes: MovedBoxes;
  /** Called once, after a real move, with the page under the pointer. */
  readonly onEnd: (boxes: MovedBoxes, pageNumber: number, part: Handle | "move") => void;
};
type DragStart = {
  readonly part: Handle | "move";
  /** The first is under the pointer. */
  readonly ids: readonly string[];
  readonly onClick?: () => void;
};
type Dragged = {
  readonly boxes: MovedBoxes;
  readonly guides: readonly SnapGuide[];
  readonly pageNumber: number;
};
/** Place in the window; the finger hides what is under it. */
export type FingerDrag = {
  readonly x: number;
  readonly y: number;
  readonly id: string;
  readonly part: Handle | "move";
};
export type FieldDrag = {
  readonly dragged: (Dragged & { readonly finger: FingerDrag | null }) | null;
  start(event: ReactPointerEvent<HTMLElement>, what: DragStart): void;
};

const DRAG_THRESHOLD_PX = 3;

/** Pages scroll near the edges; fields may go to another page. */
export function useFieldDrag({ pageNumber, layer, boxes, onEnd }: FieldDragOptions): FieldDrag {
  const [dragged, setDragged] = useState<FieldDrag["dragged"]>(null);
  const isDragging = useRef(false);
  useTouchKept(layer, isDragging);

  const start = (event: ReactPointerEvent<HTMLElement>, { part, ids, onClick }: DragStart) => {
    const element = layer.current;
    const grabbed = pointOn(element, event);
    if (!element || !grabbed || event.button !== 0) return;
    const press = { x: event.clientX, y: event.clientY };
    const held = new Map(
      ids.flatMap((id) => (boxes.has(id) ? [[id, boxes.get(id) as Box] as const] : [])),
    );
    const others = [...boxes].filter(([id]) => !held.has(id)).map(([, box]) => box);
    let last = { x: press.x, y: press.y, altKey: event.altKey };
    let result: Dragged | null = null;
    const show = () => {
      const to = pointOn(element, { clientX: last.x, clientY: last.y });
      if (!to) return;
      const by = { dx: to.x - grabbed.x, dy: to.y - grabbed.y };
      const target =
        part === "move" ? (pageAtPoint(last.x, last.y)?.pageNumber ?? pageNumber) : pageNumber;
      result =
        target === pageNumber
          ? dragOnPage({ held, others, part, by, pageNumber }, last.altKey)
          : dragElsewhere(held, by, target);
      const isFinger = event.pointerType === "touch" && ids[0] !== undefined;
      setDragged({
        ...result,
        finger: isFinger ? { x: last.x, y: last.y, id: ids[0] as string, part } : null,
      });
    };
    const scroll = startAutoScroll(element.closest(`[${SCROLLER_ATTRIBUTE}]`), show);
    isDragging.current = true;
    trackPointer(event.pointerId, {
      onMove(move) {
        if (
          result === null &&
          Math.hypot(move.clientX - press.x, move.clientY - press.y) < DRAG_THRESHOLD_PX
        )
          return;
        last = { x: move.clientX, y: move.clientY, altKey: move.altKey };
        scroll.follow(move.clientY);
        show();
      },
      onEnd(at) {
        scroll.stop();
        isDragging.current = false;
        setDragged(null);
        if (!at) return;
        if (!result) onClick?.();
        else if (result.pageNumber === pageNumber) onEnd(result.boxes, pageNumber, part);
        else onEnd(droppedOn(result, { element, at, held }), result.pageNumber, part);
      },
    });
  };
  return { dragged, start };
}

type PageDrag = {
  readonly held: MovedBoxes;
  readonly others: readonly Box[];
  readonly part: Handle | "move";
  readonly by: { readonly dx: number; readonly dy: number };
  readonly pageNumber: number;
};

/** Alt: no snapping. */
function dragOnPage({ held, others, part, by, pageNumber }: PageDrag, isFree: boolean): Dragged {
  const before = [...held.values()];
  if (part !== "move") {
    const [box] = before;
    const free = box ? resizeBox(box, part, by) : null;
    const snapped = !free || isFree ? { box: free, guides: [] } : snapResized(free, part, others);
    return {
      boxes: keyed(held, snapped.box ? [snapped.box] : []),
      guides: snapped.guides,
      pageNumber,
    };
  }
  const moved = moveTogether(before, by);
  if (isFree || moved.length === 0) return { boxes: keyed(held, moved), guides: [], pageNumber };
  const frame = frameOf(moved);
  const { box, guides } = snapBox(frame, others);
  return {
    boxes: keyed(held, moveTogether(moved, { dx: box.x - frame.x, dy: box.y - frame.y })),
    guides,
    pageNumber,
  };
}

function dragElsewhere(
  held: MovedBoxes,
  by: { dx: number; dy: number },
  pageNumber: number,
): Dragged {
  const free = [...held.values()].map((box) => ({ ...box, x: box.x + by.dx, y: box.y + by.dy }));
  return { boxes: keyed(held, free), guides: [], pageNumber };
}

/** Keeps the distances from the pointer, within the new page. */
function droppedOn(
  result: Dragged,
  { element, at, held }: { element: HTMLElement; at: { x: number; y: number }; held: MovedBoxes },
) {
  const onTarget = pageAtPoint(at.x, at.y);
  const onSource = pointOn(element, { clientX: at.x, clientY: at.y });
  if (!onTarget || !onSource) return held;
  const free = [...result.boxes.values()].map((box) => ({
    ...box,
    x: onTarget.x + (box.x - onSource.x),
    y: onTarget.y + (box.y - onSource.y),
  }));
  return keyed(held, moveTogether(free, { dx: 0, dy: 0 }));
}

function keyed(held: MovedBoxes, boxes: readonly Box[]): MovedBoxes {
  return new Map(
    [...held.keys()].flatMap((id, index) => (boxes[index] ? [[id, boxes[index]] as const] : [])),
  );
}

function pointOn(
  element: HTMLElement | null,
  at: { clientX: number; clientY: number },
): { x: number; y: number } | null {
  const frame = element?.getBoundingClientRect();
  if (!frame || frame.width === 0) return null;
  return { x: (at.clientX - frame.left) / frame.width, y: (at.clientY - frame.top) / frame.height };
}

/** Set before the finger comes down, because the browser decides then. */
function useTouchKept(layer: RefObject<HTMLElement | null>, isDragging: RefObject<boolean>): void {
  useEffect(() => {
    const element = layer.current;
    if (!element) return;
    const keep = (event: TouchEvent) => {
      if (isDragging.current && event.cancelable) event.preventDefault();
    };
    element.addEventListener("touchmove", keep, { passive: false });
    return () => element.removeEventListener("touchmove", keep);
  }, [layer, isDragging]);
}
