import type { SnapGuide } from "./arrange-boxes.ts";
import type { Box } from "../box.ts";
import styles from "../field-tools.module.css";

export function DrawnFrame({ box }: { box: Box }) {
  return <span className={styles.marquee} style={placeOf(box)} aria-hidden="true" />;
}

export function GuideLines({ guides }: { guides: readonly SnapGuide[] }) {
  return guides.map((guide) => (
    <span
      key={`${guide.axis}${guide.at}`}
      className={styles.snap}
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
