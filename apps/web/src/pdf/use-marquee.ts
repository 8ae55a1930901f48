import { type RefObject, useEffect, useRef, useState } from "react";
import type { Box } from "./box.ts";
import { trackPointer } from "./track-pointer.ts";

type MarqueeOptions = {
  readonly layer: RefObject<HTMLElement | null>;
  readonly isOff: boolean;
  /** Drawn around these; `add` keeps what was selected before. */
  readonly onSelect: (frame: Box, how: "replace" | "add") => void;
  /** A press beside the fields. */
  readonly onPressBeside: () => void;
};
const THRESHOLD_PX = 4;

/**
 * Draws a frame around fields with the mouse, from a place of the page where there is neither a field nor a word: words stay for selection and copy
 * (with Shift the frame begins anywhere). A finger scrolls.
 */
export function useMarquee({ layer, isOff, onSelect, onPressBeside }: MarqueeOptions): Box | null {
  const [frame, setFrame] = useState<Box | null>(null);
  const latest = useRef({ isOff, onSelect, onPressBeside });
  latest.current = { isOff, onSelect, onPressBeside };
  useEffect(() => {
    const page = layer.current?.parentElement;
    if (!page) return;
    const press = (event: PointerEvent) => {
      if (latest.current.isOff || event.button !== 0 || isOnField(event.target)) return;
      const isMouse = event.pointerType === "mouse";
      if (!isMouse || (isOnWord(event.target) && !event.shiftKey)) {
        // A finger that scrolls keeps the selection: only one that was lifted on the spot drops it.
        if (isMouse) latest.current.onPressBeside();
        else watchTap(event, latest.current.onPressBeside);
        return;
      }
      event.preventDefault();
      draw(event, page);
    };
    const draw = (event: PointerEvent, element: HTMLElement) => {
      const room = element.getBoundingClientRect();
      let drawn: Box | null = null;
      // The browser would select the words that the frame goes over.
      const noSelection = new AbortController();
      document.addEventListener("selectstart", (start) => start.preventDefault(), {
        signal: noSelection.signal,
      });
      trackPointer(event.pointerId, {
        onMove(move) {
          if (
            !drawn &&
            Math.hypot(move.clientX - event.clientX, move.clientY - event.clientY) < THRESHOLD_PX
          )
            return;
          drawn = frameBetween(event, move, room);
          setFrame(drawn);
        },
        onEnd(at) {
          noSelection.abort();
          setFrame(null);
          if (at && drawn) latest.current.onSelect(drawn, event.shiftKey ? "add" : "replace");
          else if (at && !event.shiftKey) latest.current.onPressBeside();
        },
      });
    };
    page.addEventListener("pointerdown", press);
    return () => page.removeEventListener("pointerdown", press);
  }, [layer]);
  return frame;
}

function watchTap(event: PointerEvent, onTap: () => void): void {
  const stop = trackPointer(event.pointerId, {
    onMove: (move) => {
      if (Math.hypot(move.clientX - event.clientX, move.clientY - event.clientY) > 8) stop();
    },
    onEnd: (at) => at && onTap(),
  });
}

function isOnField(target: EventTarget | null): boolean {
  return (
    target instanceof Element &&
    target.closest("[data-field], button, a, [role='toolbar']") !== null
  );
}

function isOnWord(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.tagName === "SPAN" &&
    target.textContent !== "" &&
    target.closest("[data-pdf-text]") !== null
  );
}

type At = { readonly clientX: number; readonly clientY: number };

function frameBetween(a: At, b: At, room: DOMRect): Box {
  const within = (value: number) => Math.min(Math.max(value, 0), 1);
  const [x1, x2] = [
    within((a.clientX - room.left) / room.width),
    within((b.clientX - room.left) / room.width),
  ];
  const [y1, y2] = [
    within((a.clientY - room.top) / room.height),
    within((b.clientY - room.top) / room.height),
  ];
  return {
    x: Math.min(x1, x2),
    y: Math.min(y1, y2),
    width: Math.abs(x2 - x1),
    height: Math.abs(y2 - y1),
  };
}
