import { type CSSProperties, useLayoutEffect, useRef } from "react";
import { createPortal } from "react-dom";
import type { Box } from "../box.ts";
import { PAGE_ATTRIBUTE } from "../page-layout.ts";
import type { FingerDrag } from "./use-field-drag.ts";
import styles from "./field-loupe.module.css";
import type { LayerField } from "./layer-field.ts";

export const LOUPE = { width: 200, height: 112, zoom: 1.5 } as const;
/** The finger covers no part of the glass. */
const GAP_PX = 44;
const EDGE_PX = 8;

type Point = { readonly x: number; readonly y: number };
type Rect = {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
};

/** Above the finger, beside it without room above. */
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

/** A whole moving field when it fits, else the point under the finger. */
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

/** Magnifies the page and the frames under a dragging finger. Decorative: the move is announced. */
export function FieldLoupe({ finger, fields, layer }: FieldLoupeProps) {
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
  // At each move: the pages may have scrolled.
  useLayoutEffect(() => {
    if (picture.current) drawAround(picture.current, centre);
  });
  const place = loupePlace(finger, { width: window.innerWidth, height: window.innerHeight });
  return createPortal(
    <div className={styles.loupe} style={place} aria-hidden="true" data-loupe="">
      <canvas ref={picture} className={styles.picture} />
      {fields.map(({ id, box, color }) => (
        <span
          key={id}
          className={styles.frame}
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
