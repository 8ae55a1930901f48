import type { CSSProperties } from "react";
import type { Box } from "./box.ts";
import styles from "./field-layer.module.css";

/** A short flag over a field, kept on its page: it grows towards the farther edge and is cut there. Decorative: the field's own name says more. */
export function FieldTag({ box, tone, children }: { box: Box; tone?: "danger" | "quiet" | undefined; children: string }) {
  const fromRight = box.x + box.width / 2 > 0.5;
  const room = fromRight ? box.x + box.width : 1 - box.x;
  // The page is the container whose width `cqw` counts.
  const place = { maxWidth: `${+(room * 100).toFixed(2)}cqw` } as CSSProperties;
  return (
    <span className={styles.tag} style={place} data-side={fromRight ? "right" : "left"} data-tone={tone} aria-hidden="true">
      {children}
    </span>
  );
}
