import { type CSSProperties, useLayoutEffect, useRef } from "react";
import { createPortal } from "react-dom";
import type { Box } from "./box.ts";
import styles from "./field-loupe.module.css";
import type { LayerField } from "./layer-field.ts";
import { inLoupe, LOUPE, loupeCentre, loupePlace } from "./loupe-place.ts";
import { PAGE_ATTRIBUTE } from "./page-at-point.ts";
import type { FingerDrag } from "./use-field-drag.ts";

type FieldLoupeProps = {
  readonly finger: FingerDrag;
  /** The fields of the layer, those that move where they are now, in fractions of it. */
  readonly fields: readonly Pick<LayerField, "id" | "box" | "color">[];
  readonly layer: HTMLElement;
};

/** The magnifying glass over a finger that drags a field: the page under it, larger, and the fields' frames. Decorative: the move is announced. */
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
  // At each move: the pages may have scrolled under a finger that stays.
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

/** Copies, larger, what the pages show around a point of the window. */
function drawAround(target: HTMLCanvasElement, centre: { readonly x: number; readonly y: number }): void {
  const ratio = window.devicePixelRatio;
  target.width = LOUPE.width * ratio;
  target.height = LOUPE.height * ratio;
  const pen = target.getContext("2d");
  if (!pen) return;
  for (const sheet of document.querySelectorAll<HTMLElement>(`[${PAGE_ATTRIBUTE}]`)) {
    const at = inLoupe(sheet.getBoundingClientRect(), centre);
    if (at.left > LOUPE.width || at.top > LOUPE.height || at.left + at.width < 0 || at.top + at.height < 0) continue;
    const corner = [at.left * ratio, at.top * ratio, at.width * ratio, at.height * ratio] as const;
    pen.fillStyle = "#fff";
    pen.fillRect(...corner);
    const drawn = sheet.querySelector("canvas");
    if (drawn && drawn.width > 0) pen.drawImage(drawn, ...corner);
  }
}
