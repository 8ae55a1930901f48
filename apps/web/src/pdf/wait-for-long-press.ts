import type { PointerEvent as ReactPointerEvent } from "react";
import { trackPointer } from "./track-pointer.ts";

const LONG_PRESS_MS = 450;
/** A finger is never quite still. */
const STILL_PX = 8;

/** Tells a finger that taps or stays from one that scrolls: nothing when it moves, leaves, or is joined by another. */
export function waitForLongPress(
  event: ReactPointerEvent<HTMLElement>,
  { onTap, onHeld }: { onTap: () => void; onHeld: () => void },
): void {
  const from = { x: event.clientX, y: event.clientY };
  const timer = setTimeout(() => {
    giveUp();
    navigator.vibrate?.(10);
    onHeld();
  }, LONG_PRESS_MS);
  const giveUp = trackPointer(event.pointerId, {
    onMove(move) {
      if (Math.hypot(move.clientX - from.x, move.clientY - from.y) > STILL_PX) giveUp();
    },
    onEnd(at) {
      clearTimeout(timer);
      if (at) onTap();
    },
  });
}
