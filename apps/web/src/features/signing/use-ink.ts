import { type PointerEvent as ReactPointerEvent, useRef, useState } from "react";
import { canAddStroke, extendStroke, type PadSample, type Stroke } from "./stroke.ts";

type Ink = {
  /** Everything drawn, the stroke under the pen included. */
  readonly strokes: readonly Stroke[];
  readonly isDrawing: boolean;
  readonly pad: {
    onPointerDown(event: ReactPointerEvent<HTMLElement>): void;
    onPointerMove(event: ReactPointerEvent<HTMLElement>): void;
    onPointerUp(event: ReactPointerEvent<HTMLElement>): void;
    onPointerCancel(event: ReactPointerEvent<HTMLElement>): void;
  };
};

/** The stroke under the pen, and the pad as it was when the pen came down. */
type Drawing = { readonly pointerId: number; stroke: Stroke; timeMs: number; readonly widthPx: number; readonly heightPx: number };

/** Captures what is drawn on a pad, with a finger, a pen or a mouse, as vectors. One pointer at a time: a resting palm draws nothing. */
export function useInk(strokes: readonly Stroke[], onChange: (strokes: readonly Stroke[]) => void): Ink {
  const [live, setLive] = useState<Stroke | null>(null);
  const drawing = useRef<Drawing | null>(null);

  const add = (pad: HTMLElement, event: PointerEvent) => {
    const current = drawing.current;
    if (!current) return;
    const frame = pad.getBoundingClientRect();
    // The phone was turned under the finger: what follows would be measured by another pad.
    if (frame.width !== current.widthPx || frame.height !== current.heightPx) return finish();
    // A fast hand gives several points between two frames.
    const events = event.getCoalescedEvents?.() ?? [];
    for (const point of events.length > 0 ? events : [event]) {
      const sample: PadSample = {
        x: point.clientX - frame.left,
        y: point.clientY - frame.top,
        timeMs: point.timeStamp,
        pressure: point.pressure,
        isPen: point.pointerType === "pen",
      };
      const longer = extendStroke(current.stroke, sample, current);
      if (longer !== current.stroke) {
        current.stroke = longer;
        current.timeMs = point.timeStamp;
      }
    }
    setLive(current.stroke);
  };
  const finish = () => {
    const done = drawing.current?.stroke;
    drawing.current = null;
    setLive(null);
    if (done && done.length > 0) onChange([...strokes, done]);
  };
  const isMine = (event: ReactPointerEvent<HTMLElement>) => drawing.current?.pointerId === event.pointerId;
  return {
    strokes: live ? [...strokes, live] : strokes,
    isDrawing: live !== null,
    pad: {
      onPointerDown(event) {
        if (drawing.current || event.button !== 0 || !canAddStroke(strokes)) return;
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
        const { width, height } = event.currentTarget.getBoundingClientRect();
        drawing.current = { pointerId: event.pointerId, stroke: [], timeMs: event.timeStamp, widthPx: width, heightPx: height };
        add(event.currentTarget, event.nativeEvent);
      },
      onPointerMove: (event) => isMine(event) && add(event.currentTarget, event.nativeEvent),
      onPointerUp: (event) => isMine(event) && finish(),
      onPointerCancel: (event) => isMine(event) && finish(),
    },
  };
}
