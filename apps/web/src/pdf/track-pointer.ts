type Point = { readonly x: number; readonly y: number };
type Tracking = {
  readonly onMove: (event: PointerEvent) => void;
  /** `at` is where the pointer was let go; null when the gesture was given up (Escape, a second finger, the browser took it). */
  readonly onEnd: (at: Point | null) => void;
};

/**
 * Follows one pointer from its press to its release. Escape, a second finger (a pinch) and the browser's own gesture give it up.
 * Gives what ends it from outside.
 */
export function trackPointer(pointerId: number, { onMove, onEnd }: Tracking): () => void {
  const stop = new AbortController();
  const end = (at: Point | null) => {
    if (stop.signal.aborted) return;
    stop.abort();
    onEnd(at);
  };
  const listen = { signal: stop.signal, capture: true };
  window.addEventListener("pointermove", (event) => event.pointerId === pointerId && onMove(event), listen);
  window.addEventListener("pointerup", (event) => event.pointerId === pointerId && end({ x: event.clientX, y: event.clientY }), listen);
  window.addEventListener("pointercancel", (event) => event.pointerId === pointerId && end(null), listen);
  window.addEventListener("pointerdown", (event) => event.pointerId !== pointerId && end(null), listen);
  window.addEventListener(
    "keydown",
    (event) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      event.stopPropagation();
      end(null);
    },
    listen,
  );
  return () => end(null);
}
