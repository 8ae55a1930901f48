import { type PointerEvent, useRef } from "react";
import { type Crop, moveSquare, type PictureSize, zoomSquare } from "./crop-square.ts";

type Point = { readonly x: number; readonly y: number };
/** What two fingers began with: every move of theirs is counted from there. */
type Pinch = { readonly crop: Crop; readonly apart: number; readonly middle: Point };
type CropPart = { readonly size: PictureSize; readonly crop: Crop; readonly onCrop: (crop: Crop) => void };

/** One finger or the mouse drags the picture; two fingers pinch it, and drag it by their middle; a third does nothing. */
export function useCropGesture({ size, crop, onCrop }: CropPart) {
  const fingers = useRef(new Map<number, Point>());
  const pinch = useRef<Pinch | null>(null);

  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    if (fingers.current.size === 2) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    fingers.current.set(event.pointerId, { x: event.clientX, y: event.clientY });
    const span = spanOf(fingers.current);
    pinch.current = span && { crop, ...span };
  };
  const onPointerMove = (event: PointerEvent<HTMLDivElement>) => {
    const from = fingers.current.get(event.pointerId);
    if (!from) return;
    const side = event.currentTarget.clientWidth || 1;
    const to = { x: event.clientX, y: event.clientY };
    fingers.current.set(event.pointerId, to);
    const began = pinch.current;
    const span = spanOf(fingers.current);
    // The picture follows the finger: the square goes the other way.
    const share = (start: Point, end: Point) => ({ dx: (start.x - end.x) / side, dy: (start.y - end.y) / side });
    if (began === null || span === null) onCrop(moveSquare(size, crop, share(from, to)));
    else
      onCrop(
        moveSquare(size, zoomSquare(size, began.crop, (began.crop.zoom * span.apart) / began.apart), share(began.middle, span.middle)),
      );
  };
  /** The finger that stays goes on dragging, from where it is. */
  const onPointerEnd = (event: PointerEvent<HTMLDivElement>) => {
    if (fingers.current.delete(event.pointerId)) pinch.current = null;
  };
  return { onPointerDown, onPointerMove, onPointerUp: onPointerEnd, onPointerCancel: onPointerEnd };
}

function spanOf(fingers: ReadonlyMap<number, Point>): { readonly apart: number; readonly middle: Point } | null {
  const [one, other] = [...fingers.values()];
  if (!one || !other) return null;
  // Two fingers on one point have no distance to compare with.
  const apart = Math.max(1, Math.hypot(one.x - other.x, one.y - other.y));
  return { apart, middle: { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 } };
}
