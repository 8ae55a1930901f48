type Point = { readonly x: number; readonly y: number };
type Tracking = {
  readonly onMove: (event: PointerEvent) => void;
  /** Null when given up: Escape, a second finger, the browser's gesture. */
  readonly onEnd: (at: Point | null) => void;
};

/** Follows one pointer to its release; gives a way to stop it. */
export function trackPointer(pointerId: number, { onMove, onEnd }: Tracking): () => void {
  const stop = new AbortController();
  const end = (at: Point | null) => {
    if (stop.signal.aborted) return;
    stop.abort();
    onEnd(at);
  };
  const listen = { signal: stop.signal, capture: true };
  window.addEventListener(
    "pointermove",
    (event) => event.pointerId === pointerId && onMove(event),
    listen,
  );
  window.addEventListener(
    "pointerup",
    (event) => event.pointerId === pointerId && end({ x: event.clientX, y: event.clientY }),
    listen,
  );
  window.addEventListener(
    "pointercancel",
    (event) => event.pointerId === pointerId && end(null),
    listen,
  );
  window.addEventListener(
    "pointerdown",
    (event) => event.pointerId !== pointerId && end(null),
    listen,
  );
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

export const SCROLLER_ATTRIBUTE = "data-pdf-pages";
const EDGE_PX = 56;
const FASTEST_PX = 18;

type AutoScroll = { follow(clientY: number): void; stop(): void };

/** Pixels a frame, faster near the edge. */
export function scrollStep(
  clientY: number,
  room: { readonly top: number; readonly bottom: number },
): number {
  const above = room.top + EDGE_PX - clientY;
  const below = clientY - (room.bottom - EDGE_PX);
  const depth = Math.max(above, below);
  if (depth <= 0) return 0;
  const step = Math.ceil((FASTEST_PX * Math.min(depth, EDGE_PX)) / EDGE_PX);
  return above > below ? -step : step;
}

/** `onScroll`: called when another part lies under the pointer. */
export function startAutoScroll(scroller: Element | null, onScroll: () => void): AutoScroll {
  let frame = 0;
  let at: number | null = null;
  const tick = () => {
    frame = 0;
    const step = scroller && at !== null ? scrollStep(at, scroller.getBoundingClientRect()) : 0;
    if (!scroller || step === 0) return;
    const before = scroller.scrollTop;
    scroller.scrollTop += step;
    if (scroller.scrollTop === before) return;
    onScroll();
    frame = requestAnimationFrame(tick);
  };
  return {
    follow(clientY) {
      at = clientY;
      frame ||= requestAnimationFrame(tick);
    },
    stop() {
      at = null;
      cancelAnimationFrame(frame);
    },
  };
}
