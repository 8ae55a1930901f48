/** The attribute of the element in which the pages scroll. */
export const SCROLLER_ATTRIBUTE = "data-pdf-pages";
/** How near the top or the bottom of the pages a pointer that drags makes them scroll. */
const EDGE_PX = 56;
const FASTEST_PX = 18;

export type AutoScroll = { follow(clientY: number): void; stop(): void };

/** Gives how far the pages go in a frame: nothing in the middle, faster the nearer the edge. */
export function scrollStep(clientY: number, room: { readonly top: number; readonly bottom: number }): number {
  const above = room.top + EDGE_PX - clientY;
  const below = clientY - (room.bottom - EDGE_PX);
  const depth = Math.max(above, below);
  if (depth <= 0) return 0;
  const step = Math.ceil((FASTEST_PX * Math.min(depth, EDGE_PX)) / EDGE_PX);
  return above > below ? -step : step;
}

/** Scrolls the pages while a pointer that drags stays near their top or bottom; `onScroll` says that what is under it has changed. */
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
