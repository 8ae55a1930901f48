import {
  type PointerEvent as ReactPointerEvent,
  type RefObject,
  useEffect,
  useRef,
  useState,
} from "react";
import { type Snapped, snapBox } from "./arrange-boxes.ts";
import { type Box, boxAround, boxInPage } from "../box.ts";
import { GuideLines } from "./drawn-frame.tsx";
import styles from "../field-layer.module.css";
import tools from "../field-tools.module.css";
import { PlacedField } from "./placed-field.tsx";
import type { FieldTool } from "./layer-field.ts";
import { trackPointer } from "./track-pointer.ts";

type PlacingSurfaceProps = {
  readonly tool: FieldTool;
  readonly others: readonly Box[];
  readonly onPlace: (box: Box) => void;
};

/** Shorter: a click, with the field's usual size. */
const DRAWN_FROM_PX = 10;

/**
 * A click places the tool's field, a drawn frame sizes it; a ghost follows the mouse. A finger
 * draws sideways and scrolls up and down. Keyboard: the palette or the form.
 */
export function PlacingSurface({ tool, others, onPlace }: PlacingSurfaceProps) {
  const [ghost, setGhost] = useState<Snapped | null>(null);
  const under = (event: At, frame: DOMRect): Snapped => {
    const box = boxAround(
      {
        x: (event.clientX - frame.left) / frame.width,
        y: (event.clientY - frame.top) / frame.height,
      },
      tool.size,
    );
    return event.altKey ? { box, guides: [] } : snapBox(box, others);
  };
  const press = (event: ReactPointerEvent<HTMLElement>) => {
    if (event.button !== 0) return;
    const frame = event.currentTarget.getBoundingClientRect();
    const from: At = event;
    let drawn: Box | null = null;
    trackPointer(event.pointerId, {
      onMove(move) {
        if (
          !drawn &&
          Math.hypot(move.clientX - from.clientX, move.clientY - from.clientY) < DRAWN_FROM_PX
        )
          return;
        drawn = boxBetween(from, move, frame);
        setGhost({ box: drawn, guides: [] });
      },
      onEnd(at) {
        setGhost(null);
        if (at)
          onPlace(drawn ?? under({ clientX: at.x, clientY: at.y, altKey: from.altKey }, frame).box);
      },
    });
  };
  return (
    <div
      className={tools.placing}
      onPointerDown={press}
      onPointerMove={(event) => {
        if (event.pointerType === "mouse" && event.buttons === 0)
          setGhost(under(event, event.currentTarget.getBoundingClientRect()));
      }}
      onPointerLeave={() => setGhost(null)}
    >
      {ghost ? (
        <>
          <PlacedField box={ghost.box} color={tool.color} state="ghost">
            <span className={styles.face}>{tool.label}</span>
          </PlacedField>
          <GuideLines guides={ghost.guides} />
        </>
      ) : null}
    </div>
  );
}

type At = { readonly clientX: number; readonly clientY: number; readonly altKey: boolean };

function boxBetween(a: At, b: Omit<At, "altKey">, frame: DOMRect): Box {
  const within = (value: number) => Math.min(Math.max(value, 0), 1);
  const [x1, x2] = [
    within((a.clientX - frame.left) / frame.width),
    within((b.clientX - frame.left) / frame.width),
  ];
  const [y1, y2] = [
    within((a.clientY - frame.top) / frame.height),
    within((b.clientY - frame.top) / frame.height),
  ];
  return boxInPage({
    x: Math.min(x1, x2),
    y: Math.min(y1, y2),
    width: Math.abs(x2 - x1),
    height: Math.abs(y2 - y1),
  });
}

type MarqueeOptions = {
  readonly layer: RefObject<HTMLElement | null>;
  readonly isOff: boolean;
  /** `add`: to the present selection. */
  readonly onSelect: (frame: Box, how: "replace" | "add") => void;
  readonly onPressBeside: () => void;
};
const THRESHOLD_PX = 4;

/**
 * A mouse frame selects fields; it starts off fields and words, which stay selectable (with Shift
 * anywhere). A finger scrolls.
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
        // Only a tap on the spot drops the selection, not a scroll.
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
      // The frame must not select words.
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

type MarqueeStart = { readonly clientX: number; readonly clientY: number };

function frameBetween(a: MarqueeStart, b: MarqueeStart, room: DOMRect): Box {
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
