import {
  useRef,
  type CSSProperties,
  useLayoutEffect,
  type PointerEvent as ReactPointerEvent,
  type RefObject,
  useEffect,
  useState,
} from "react";
import { createPortal } from "react-dom";
import { boxesOverlap, type Box, boxAround, boxInPage } from "../box.ts";
import { PreparedField } from "./prepared-field.tsx";
import { useFieldDrag, type FingerDrag } from "./use-field-drag.ts";
import type { PrepareFieldLayerProps, LayerField, FieldTool } from "./layer-field.ts";
import { PAGE_ATTRIBUTE } from "../page-layout.ts";
import { type Snapped, snapBox, type SnapGuide } from "./arrange-boxes.ts";
import { PlacedField } from "./placed-field.tsx";
import { trackPointer } from "./track-pointer.ts";
import styles from "../field-layer.module.css";
import fieldLoupeStyles from "./field-loupe.module.css";
import tools from "../field-tools.module.css";

export function PrepareFieldLayer(props: PrepareFieldLayerProps) {
  const { pageNumber, fields, selectedIds, tool, onPlace, onSelect } = props;
  const layer = useRef<HTMLDivElement>(null);
  const boxes = new Map(fields.map((field) => [field.id, field.box]));
  const drag = useFieldDrag({
    pageNumber,
    layer,
    boxes,
    onEnd: (moved, page, part) => props.onMove(moved, page, part === "move" ? "move" : "resize"),
  });
  const frame = useMarquee({
    layer,
    isOff: tool !== null,
    onPressBeside: () => selectedIds.size > 0 && onSelect([]),
    onSelect: (drawn, how) => {
      const inside = fields
        .filter((field) => boxesOverlap(field.box, drawn))
        .map((field) => field.id);
      const kept =
        how === "add"
          ? fields.filter((field) => selectedIds.has(field.id)).map((field) => field.id)
          : [];
      onSelect([...new Set([...kept, ...inside])]);
    },
  });
  const finger = drag.dragged?.finger;
  return (
    <div ref={layer} className={styles.layer} data-dragging={drag.dragged ? "" : undefined}>
      {fields.map((field) => (
        <PreparedField
          key={field.id}
          field={field}
          box={drag.dragged?.boxes.get(field.id) ?? field.box}
          drag={drag}
          {...props}
        />
      ))}
      {finger && layer.current ? (
        <FieldLoupe
          finger={finger}
          fields={fields.map((field) => ({
            ...field,
            box: drag.dragged?.boxes.get(field.id) ?? field.box,
          }))}
          layer={layer.current}
        />
      ) : null}
      <GuideLines guides={drag.dragged?.guides ?? []} />
      {frame ? <DrawnFrame box={frame} /> : null}
      {tool ? (
        <PlacingSurface
          tool={tool}
          others={[...boxes.values()]}
          onPlace={(box) => onPlace(pageNumber, box)}
        />
      ) : null}
    </div>
  );
}

export const LOUPE = { width: 200, height: 112, zoom: 1.5 } as const;
/** At this distance the finger covers no part of the loupe. */
const GAP_PX = 44;
const EDGE_PX = 8;

type Point = { readonly x: number; readonly y: number };
type Rect = {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
};

export function loupePlace(
  finger: Point,
  room: { readonly width: number; readonly height: number },
): { left: number; top: number } {
  const above = finger.y - GAP_PX - LOUPE.height;
  const clamp = (value: number, most: number) => Math.min(Math.max(value, EDGE_PX), most - EDGE_PX);
  if (above >= EDGE_PX)
    return { left: clamp(finger.x - LOUPE.width / 2, room.width - LOUPE.width), top: above };
  const isLeftFree = finger.x > room.width / 2;
  const beside = isLeftFree ? finger.x - GAP_PX - LOUPE.width : finger.x + GAP_PX;
  return {
    left: clamp(beside, room.width - LOUPE.width),
    top: clamp(finger.y - LOUPE.height / 2, room.height - LOUPE.height),
  };
}

export function loupeCentre(finger: Point, field: Rect, part: "move" | (string & {})): Point {
  const fits =
    field.width * LOUPE.zoom <= LOUPE.width - 16 && field.height * LOUPE.zoom <= LOUPE.height - 16;
  return part === "move" && fits
    ? { x: field.left + field.width / 2, y: field.top + field.height / 2 }
    : finger;
}

export function inLoupe(rect: Rect, centre: Point): Rect {
  return {
    left: (rect.left - centre.x) * LOUPE.zoom + LOUPE.width / 2,
    top: (rect.top - centre.y) * LOUPE.zoom + LOUPE.height / 2,
    width: rect.width * LOUPE.zoom,
    height: rect.height * LOUPE.zoom,
  };
}

type FieldLoupeProps = {
  readonly finger: FingerDrag;
  /** Moving fields where they are now, in fractions of the layer. */
  readonly fields: readonly Pick<LayerField, "id" | "box" | "color">[];
  readonly layer: HTMLElement;
};

function FieldLoupe({ finger, fields, layer }: FieldLoupeProps) {
  const picture = useRef<HTMLCanvasElement>(null);
  const page = layer.getBoundingClientRect();
  const inWindow = (box: Box) => ({
    left: page.left + box.x * page.width,
    top: page.top + box.y * page.height,
    width: box.width * page.width,
    height: box.height * page.height,
  });
  const held = fields.find((field) => field.id === finger.id);
  const centre = held ? loupeCentre(finger, inWindow(held.box), finger.part) : finger;
  // Measured at each move, because the pages may have scrolled.
  useLayoutEffect(() => {
    if (picture.current) drawAround(picture.current, centre);
  });
  const place = loupePlace(finger, { width: window.innerWidth, height: window.innerHeight });
  return createPortal(
    <div className={fieldLoupeStyles.loupe} style={place} aria-hidden="true" data-loupe="">
      <canvas ref={picture} className={fieldLoupeStyles.picture} />
      {fields.map(({ id, box, color }) => (
        <span
          key={id}
          className={fieldLoupeStyles.frame}
          data-held={id === finger.id}
          style={{ ...inLoupe(inWindow(box), centre), "--c": `var(--r${color})` } as CSSProperties}
        />
      ))}
    </div>,
    document.body,
  );
}

function drawAround(
  target: HTMLCanvasElement,
  centre: { readonly x: number; readonly y: number },
): void {
  const ratio = window.devicePixelRatio;
  target.width = LOUPE.width * ratio;
  target.height = LOUPE.height * ratio;
  const pen = target.getContext("2d");
  if (!pen) return;
  for (const sheet of document.querySelectorAll<HTMLElement>(`[${PAGE_ATTRIBUTE}]`)) {
    const at = inLoupe(sheet.getBoundingClientRect(), centre);
    if (
      at.left > LOUPE.width ||
      at.top > LOUPE.height ||
      at.left + at.width < 0 ||
      at.top + at.height < 0
    )
      continue;
    const corner = [at.left * ratio, at.top * ratio, at.width * ratio, at.height * ratio] as const;
    pen.fillStyle = "#fff";
    pen.fillRect(...corner);
    const drawn = sheet.querySelector("canvas");
    if (drawn && drawn.width > 0) pen.drawImage(drawn, ...corner);
  }
}

type PlacingSurfaceProps = {
  readonly tool: FieldTool;
  readonly others: readonly Box[];
  readonly onPlace: (box: Box) => void;
};

/** A shorter drag is a click, which places a field of usual size. */
const DRAWN_FROM_PX = 10;

/**
 * A click places the tool's field, a drawn frame sizes it. A finger draws sideways and scrolls up
 * and down.
 */
function PlacingSurface({ tool, others, onPlace }: PlacingSurfaceProps) {
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
 * A frame starts beside fields and words, which stay selectable; with Shift, anywhere. A finger
 * scrolls.
 */
function useMarquee({ layer, isOff, onSelect, onPressBeside }: MarqueeOptions): Box | null {
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

function DrawnFrame({ box }: { box: Box }) {
  return <span className={tools.marquee} style={placeOf(box)} aria-hidden="true" />;
}

function GuideLines({ guides }: { guides: readonly SnapGuide[] }) {
  return guides.map((guide) => (
    <span
      key={`${guide.axis}${guide.at}`}
      className={tools.snap}
      data-axis={guide.axis}
      style={guide.axis === "x" ? { left: percent(guide.at) } : { top: percent(guide.at) }}
      aria-hidden="true"
    />
  ));
}

function placeOf({ x, y, width, height }: Box) {
  return { left: percent(x), top: percent(y), width: percent(width), height: percent(height) };
}

function percent(fraction: number): string {
  return `${+(fraction * 100).toFixed(4)}%`;
}
