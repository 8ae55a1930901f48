import { type PointerEvent, useCallback, useEffect, useRef, useState } from "react";
import { scrollStep, trackPointer } from "../../../pdf/fields/track-pointer.ts";

type RowDragOptions<Place> = {
  /** Where the row would land at this height in the window; null: nowhere. */
  readonly placeAt: (y: number, dragged: string) => Place | null;
  readonly onDrop: (key: string, place: Place) => void;
};
type RowDrag<Place> = { readonly key: string; readonly place: Place | null };

/** Drags by mouse, pen or finger; Escape, a second finger or a browser gesture cancels. */
export function useRowDrag<Place>(options: RowDragOptions<Place>) {
  const [drag, setDrag] = useState<RowDrag<Place> | null>(null);
  const latest = useRef(options);
  const giveUp = useRef<() => void>(null);
  useEffect(() => {
    latest.current = options;
  });
  useEffect(() => () => giveUp.current?.(), []);
  // The same function for the life of the list: rows are memoised.
  const grab = useCallback((key: string, event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0) return;
    event.currentTarget.focus();
    const place = (y: number) => latest.current.placeAt(y, key);
    const scroll = scrollWindow((y) => setDrag({ key, place: place(y) }));
    setDrag({ key, place: null });
    giveUp.current = trackPointer(event.pointerId, {
      onMove(move) {
        scroll.follow(move.clientY);
        setDrag({ key, place: place(move.clientY) });
      },
      onEnd(at) {
        scroll.stop();
        setDrag(null);
        const landed = at && place(at.y);
        if (landed) latest.current.onDrop(key, landed);
      },
    });
  }, []);
  return { drag, grab };
}

/** Scrolls while the pointer is near the top or bottom. */
function scrollWindow(onScroll: (y: number) => void) {
  let frame = 0;
  let at = 0;
  const tick = () => {
    frame = 0;
    const before = window.scrollY;
    window.scrollBy({
      top: scrollStep(at, { top: 0, bottom: window.innerHeight }),
      behavior: "instant",
    });
    if (window.scrollY === before) return;
    onScroll(at);
    frame = requestAnimationFrame(tick);
  };
  return {
    follow(y: number) {
      at = y;
      if (scrollStep(y, { top: 0, bottom: window.innerHeight }) !== 0)
        frame ||= requestAnimationFrame(tick);
    },
    stop: () => cancelAnimationFrame(frame),
  };
}
